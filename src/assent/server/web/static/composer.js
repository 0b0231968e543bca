// The field for a message, in a new conversation or an old one.

/** @param {HTMLFormElement} form @param {string} name @param {string} value */
export function put(form, name, value) {
  const field = form.elements.namedItem(name);
  if (field instanceof HTMLInputElement) field.value = value;
}

/** The field for a message: what was typed survives a reload. */
export class Composer {
  /** @param {HTMLFormElement} form @param {string} place */
  constructor(form, place) {
    this.form = form;
    this.field = /** @type {HTMLTextAreaElement} */ (form.querySelector("textarea"));
    this.store = `assent draft ${place}`;
    put(form, "wait", "no");
    form.querySelector("#keys")?.removeAttribute("hidden");
    this.field.value ||= sessionStorage.getItem(this.store) ?? "";
    this.field.addEventListener("input", () => this.keep());
  }

  keep() {
    sessionStorage.setItem(this.store, this.field.value);
  }

  /** The rows of the files that the message carries. */
  get files() {
    return [...this.form.querySelectorAll("input[type=checkbox][name=file]:checked")].map((box) => /** @type {HTMLElement} */ (box.closest("li")));
  }

  /** @returns {string} */
  take() {
    const text = this.field.value.trim();
    this.field.value = "";
    this.keep();
    return text;
  }

  /** @param {string} text */
  giveBack(text) {
    this.field.value ||= text;
    this.keep();
  }
}
