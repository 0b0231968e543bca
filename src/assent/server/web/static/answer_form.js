// Input forms, on the page of a request and in a conversation.

/** What a control says, as the value that a condition names. @param {FormDataEntryValue} said @param {unknown} wanted */
function read(said, wanted) {
  if (typeof said !== "string" || !said.trim()) return null;
  if (typeof wanted === "number") return Number(said.replace(",", "."));
  return typeof wanted === "boolean" ? said === "true" : said;
}

/** A form whose fields may depend on each other: shows only those that apply. */
class AnswerForm extends HTMLElement {
  connectedCallback() {
    this.addEventListener("input", () => this.#show());
    this.#show();
  }

  #show() {
    const form = this.querySelector("form");
    if (!form) return;
    const given = new FormData(form);
    /** @type {NodeListOf<HTMLElement>} */
    const fields = this.querySelectorAll("[data-show-if]");
    for (const field of fields) {
      const other = field.dataset.showIf ?? "";
      const wanted = JSON.parse(field.dataset.equals ?? "null");
      const values = given.getAll(other).map((value) => read(value, wanted));
      // A ticked box sends its value after that of the hidden field.
      const several = document.getElementById(other) instanceof HTMLFieldSetElement;
      const holds = several ? values.includes(wanted) : values.at(-1) === wanted;
      const hidden = document.getElementById(other)?.closest("[hidden]");
      field.hidden = (!holds || Boolean(hidden)) && !field.querySelector("[aria-invalid]");
    }
  }
}

customElements.define("answer-form", AnswerForm);
