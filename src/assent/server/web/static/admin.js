// Administration: a button beside a secret that copies it; time zones to choose from.

const SAID_FOR = 2000;

/** Adds a copy button after its text; without JavaScript the text can still be selected. */
class CopyText extends HTMLElement {
  connectedCallback() {
    const text = this.querySelector("code")?.textContent ?? "";
    const button = Object.assign(document.createElement("button"), { type: "button" });
    const said = Object.assign(document.createElement("span"), { className: "hidden-text" });
    said.setAttribute("role", "status");
    /** @param {string} words */
    const say = (words) => {
      button.textContent = words;
      said.textContent = words;
      setTimeout(() => (button.textContent = "Copy"), SAID_FOR);
    };
    button.textContent = "Copy";
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(text);
        say("Copied");
      } catch {
        say("Select it and copy");
      }
    });
    this.append(button, said);
  }
}

/** Offers the time zones that the browser knows; a field that is not set yet has the browser's. */
class TimeZone extends HTMLElement {
  connectedCallback() {
    const input = this.querySelector("input");
    if (!input) return;
    const own = new Intl.DateTimeFormat().resolvedOptions().timeZone;
    if (input.hasAttribute("data-unset") && own) input.value = own;
    const list = Object.assign(document.createElement("datalist"), { id: `${input.id}-known` });
    // Old browsers know no list: the field takes any name all the same.
    for (const name of Intl.supportedValuesOf?.("timeZone") ?? []) {
      list.append(Object.assign(document.createElement("option"), { value: name }));
    }
    this.append(list);
    input.setAttribute("list", list.id);
  }
}

customElements.define("copy-text", CopyText);
customElements.define("time-zone", TimeZone);
