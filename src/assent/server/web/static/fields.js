// Fields of several controls, made easier: without this, buttons of the page do the same.

// After the last key, before a search begins.
const SEARCH_MILLISECONDS = 250;

/** The zone of a time: offers the one that the browser knows, and the names of all others. */
class OwnZone extends HTMLElement {
  connectedCallback() {
    const input = this.querySelector("input");
    if (!input) return;
    const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
    if (this.hasAttribute("data-offer") && own) input.value = own;
    const list = document.createElement("datalist");
    list.id = `${input.id}-names`;
    list.append(...Intl.supportedValuesOf("timeZone").map((name) => new Option(name, name)));
    this.append(list);
    input.setAttribute("list", list.id);
  }
}

/** A table of controls: rows can be added and taken away. */
class MoreRows extends HTMLElement {
  connectedCallback() {
    for (const row of this.#rows) this.#offer(row);
    // Rows come one by one here: those that wait at the end are not needed.
    while (this.#rows.length > 1 && this.#rows.slice(-2).every((row) => this.#isEmpty(row))) this.#rows.at(-1)?.remove();
    this.#count();
    this.addEventListener("click", (event) => this.#press(event));
  }

  get #rows() {
    return [...this.querySelectorAll("tbody > tr")];
  }

  /** @param {Event} event */
  #press(event) {
    const button = event.target instanceof Element && event.target.closest("button");
    if (!button) return;
    if (button.getAttribute("name") === "more") {
      event.preventDefault();
      this.#add();
    } else if (button.matches(".away > button")) {
      this.#take(/** @type {Element} */ (button.closest("tr")));
    }
  }

  #add() {
    const last = this.#rows.at(-1);
    if (!last || this.#rows.length >= Number(this.dataset.most)) return;
    const row = /** @type {Element} */ (last.cloneNode(true));
    this.#empty(row);
    last.after(row);
    this.#count();
    /** @type {HTMLElement | null} */ (row.querySelector("input, select"))?.focus();
  }

  /** The last row stays, and is emptied. @param {Element} row */
  #take(row) {
    const rows = this.#rows;
    const place = rows.indexOf(row);
    if (rows.length === 1) {
      this.#empty(row);
    } else {
      row.remove();
      this.#count();
    }
    const next = this.#rows[Math.min(place, this.#rows.length - 1)];
    /** @type {HTMLElement | null} */ (next?.querySelector("input, select"))?.focus();
    this.dispatchEvent(new Event("input", { bubbles: true }));
  }

  /** @param {Element} row */
  #isEmpty(row) {
    /** @type {NodeListOf<HTMLInputElement | HTMLSelectElement>} */
    const controls = row.querySelectorAll("input, select");
    return [...controls].every((each) => !each.value);
  }

  /** @param {Element} row */
  #empty(row) {
    for (const each of row.querySelectorAll("input")) each.value = "";
    for (const each of row.querySelectorAll("select")) each.selectedIndex = 0;
    for (const each of row.querySelectorAll("[aria-invalid]")) each.removeAttribute("aria-invalid");
  }

  #count() {
    for (const [index, row] of this.#rows.entries()) {
      for (const each of row.querySelectorAll("[aria-label]")) {
        const label = each.getAttribute("aria-label") ?? "";
        each.setAttribute("aria-label", label.replace(/\d+$/, String(index + 1)));
      }
    }
    const more = this.querySelector("button[name=more]");
    more?.toggleAttribute("hidden", this.#rows.length >= Number(this.dataset.most));
  }

  /** @param {Element} row */
  #offer(row) {
    const cell = document.createElement("td");
    cell.className = "away";
    const button = document.createElement("button");
    button.type = "button";
    button.className = "quiet";
    button.textContent = "✕";
    button.setAttribute("aria-label", `Take away row ${this.#rows.indexOf(row) + 1}`);
    cell.append(button);
    row.append(cell);
  }
}

/** A search: shows what it finds while somebody types, as the button would. */
class SearchOptions extends HTMLElement {
  #timer = 0;
  /** @type {AbortController | null} */ #asking = null;

  connectedCallback() {
    const input = this.#input;
    input?.addEventListener("input", () => this.#soon());
    input?.addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      event.preventDefault();
      this.#ask(input.id);
    });
    this.addEventListener("click", (event) => {
      const button = event.target instanceof Element && event.target.closest("button");
      if (!button) return;
      event.preventDefault();
      this.#ask(button.value);
    });
  }

  get #input() {
    /** @type {HTMLInputElement | null} */
    const found = this.querySelector("input[type=search]");
    return found;
  }

  #soon() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#ask(this.#input?.id ?? ""), SEARCH_MILLISECONDS);
  }

  /** Ask as the page's own button does, but with this field alone. @param {string} what */
  async #ask(what) {
    clearTimeout(this.#timer);
    const form = this.closest("form");
    const [place, told] = [this.querySelector(".found"), this.querySelector("[role=status]")];
    if (!form || !place || !told) return;
    this.#asking?.abort();
    const asking = this.#asking = new AbortController();
    const own = ["csrf_token", "digest", "seal", "verdict", "step", "back", this.#input?.name, this.#input?.id];
    const said = [...new FormData(form)].filter(([name]) => own.includes(name));
    const body = new URLSearchParams(said.map(([name, value]) => [name, String(value)]));
    body.append("find", what);
    try {
      const answer = await fetch(form.action, { method: "POST", body, signal: asking.signal });
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const found = page.getElementById(place.id);
      if (!found) throw new Error("another page");
      if (what === this.#input?.id) place.replaceChildren(...found.childNodes);
      else this.#append(place, found);
      const error = page.getElementById(`${this.#input?.id}-error`);
      told.replaceChildren(error ?? page.getElementById(told.id)?.textContent ?? "");
    } catch (problem) {
      if (!asking.signal.aborted) told.textContent = "The search did not answer: try again.";
    }
  }

  /** Put the next page of options below the others, and go on there. @param {Element} place @param {Element} found */
  #append(place, found) {
    // What is chosen and "None of them" come with each page.
    for (const each of found.querySelectorAll("label:has(:checked, [value=''])")) each.remove();
    place.querySelector("button")?.remove();
    const first = found.querySelector("input");
    place.append(...found.childNodes);
    first?.focus();
  }
}

customElements.define("search-options", SearchOptions);
customElements.define("own-zone", OwnZone);
customElements.define("more-rows", MoreRows);
