// The modal that a bot has opened: a form that only its user sees.
import { choices, option } from "./components.js";
import { byId, h } from "./dom.js";
import { markdown } from "./markdown.js";

/**
 * @typedef {Record<string, any>} Component
 * @typedef {{names: import("./markdown.js").Names, people: {id: string, name: string}[],
 *   submit: (values: Record<string, unknown>) => Promise<string>, dismiss: () => void}} Context
 */

const ROW = 1, TEXT_INPUT = 4, TEXT_DISPLAY = 10, RADIO = 21, BOXES = 22, CHECKBOX = 23;

/** Shows the modal of the state, and closes it when the state has none. */
export class ModalDialog {
  constructor() {
    this.dialog = /** @type {HTMLDialogElement} */ (byId("modal"));
    this.shown = "";
  }

  /** @param {Component | null} modal @param {Context} context */
  show(modal, context) {
    if (!modal) {
      this.shown = "";
      this.dialog.close();
      return;
    }
    if (modal.id !== this.shown) this.#open(modal, context);
    this.#say(modal.problem);
  }

  /** @param {Component} modal @param {Context} context */
  #open(modal, context) {
    this.shown = modal.id;
    const fields = modal.components.flatMap((/** @type {Component} */ each) => field(each, context));
    const cancel = h("button.button.secondary", { type: "button", click: () => context.dismiss() }, "Cancel");
    const send = h("button.button.primary", { type: "submit" }, "Submit");
    const form = h(
      "form",
      { submit: (/** @type {Event} */ event) => this.#submit(event, context) },
      h("h2", { id: "modal-title" }, modal.title),
      h("p.warning", {}, "This form goes to the bot. Only you see what you type."),
      ...fields,
      h("p.failure", { role: "alert" }),
      h("footer", {}, cancel, send),
    );
    this.dialog.replaceChildren(form);
    this.dialog.oncancel = (event) => {
      event.preventDefault();
      context.dismiss();
    };
    if (!this.dialog.open) this.dialog.showModal();
  }

  /** @param {Event} event @param {Context} context */
  async #submit(event, context) {
    event.preventDefault();
    this.#say("");
    this.#say(await context.submit(values(/** @type {HTMLFormElement} */ (event.target))));
  }

  /** @param {string} words */
  #say(words) {
    const line = this.dialog.querySelector(".failure");
    if (line && line.textContent !== words) line.textContent = words;
  }
}

/** @param {HTMLFormElement} form */
function values(form) {
  /** @type {Record<string, unknown>} */
  const found = {};
  for (const group of form.querySelectorAll("[data-field]")) {
    const { field: name = "", kind } = /** @type {HTMLElement} */ (group).dataset;
    const chosen = [...group.querySelectorAll("input:checked")].map((box) => /** @type {HTMLInputElement} */ (box).value);
    if (kind === "text") found[name] = /** @type {HTMLInputElement} */ (group).value;
    else if (kind === "select") found[name] = [.../** @type {HTMLSelectElement} */ (group).selectedOptions].map((each) => each.value).filter(Boolean);
    else if (kind === "checkbox") found[name] = /** @type {HTMLInputElement} */ (group).checked;
    else found[name] = chosen;
  }
  return found;
}

/** @param {Component} one @param {Context} context @returns {HTMLElement[]} */
function field(one, context) {
  if (one.type === TEXT_DISPLAY) return [h("div.text", {}, markdown(one.content, context.names))];
  if (one.type === ROW) return one.components.map((/** @type {Component} */ each) => labelled(each.label ?? "", "", each, context));
  return [labelled(one.label, one.description ?? "", one.component, context)];
}

/** @param {string} label @param {string} description @param {Component} control @param {Context} context */
function labelled(label, description, control, context) {
  const id = `field-${control.id}`;
  const star = control.required === false || control.type === CHECKBOX ? null : h("span.required", { "aria-hidden": "true" }, " *");
  const group = control.type === RADIO || control.type === BOXES;
  const name = group ? h("legend", {}, label, star) : h("label", { for: id }, label, star);
  const words = description ? h("p.subtext", {}, description) : null;
  return h(group ? "fieldset.field-group" : "div.field-group", {}, name, words, input(id, control, context));
}

/** @param {string} id @param {Component} control @param {Context} context */
function input(id, control, context) {
  const required = control.required !== false;
  switch (control.type) {
    case TEXT_INPUT:
      return textInput(id, control, required);
    case CHECKBOX:
      return h("input", { id, type: "checkbox", checked: control.default === true, data: { field: control.custom_id, kind: "checkbox" } });
    case RADIO:
    case BOXES:
      return group(id, control);
    default: {
      const options = choices(control, context);
      const several = (control.max_values ?? 1) > 1;
      const hint = h("option", { value: "" }, control.placeholder ?? "Select…");
      const props = { id, required, multiple: several, data: { field: control.custom_id, kind: "select" } };
      return h("select", props, several ? null : hint, ...options.map((each) => option(each)));
    }
  }
}

/** @param {string} id @param {Component} control @param {boolean} required */
function textInput(id, control, required) {
  const props = {
    id,
    required,
    placeholder: control.placeholder,
    minlength: control.min_length || undefined,
    maxlength: control.max_length ?? 4000,
    autocomplete: "off",
    data: { field: control.custom_id, kind: "text" },
  };
  const long = control.style === 2;
  const made = h(long ? "textarea" : "input", long ? { ...props, rows: 5 } : { ...props, type: "text" });
  /** @type {HTMLInputElement} */ (made).value = control.value ?? "";
  return made;
}

/** @param {string} id @param {Component} control */
function group(id, control) {
  const type = control.type === RADIO ? "radio" : "checkbox";
  const boxes = (control.options ?? []).map((/** @type {Component} */ each) =>
    h(
      "label.choice",
      {},
      h("input", { type, name: id, value: each.value, checked: each.default === true }),
      h("span", {}, each.label, each.description && h("span.subtext", {}, each.description)),
    ),
  );
  return h("div", { id, data: { field: control.custom_id, kind: type } }, ...boxes);
}
