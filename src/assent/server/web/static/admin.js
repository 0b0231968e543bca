// Administration: a button beside a secret that copies it.

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

customElements.define("copy-text", CopyText);
