// Buttons, selects and layout of a message.
import { h } from "./dom.js";
import { markdown } from "./markdown.js";

/**
 * @typedef {import("./markdown.js").Names} Names
 * @typedef {Record<string, any>} Component
 * @typedef {{
 *   names: Names,
 *   people: {id: string, name: string}[],
 *   isPending: (customId: string) => boolean,
 *   press: (customId: string) => void,
 *   choose: (customId: string, values: string[]) => void,
 * }} Hands
 */

const STYLES = ["", "primary", "secondary", "success", "danger", "link"];
const BUTTON = 2, STRING_SELECT = 3, USER_SELECT = 5;

/**
 * Renders the components of a message.
 * @param {Component[]} list @param {Hands} hands
 */
export function components(list, hands) {
  return list.map((each) => component(each, hands));
}

/** @param {Component} one @param {Hands} hands @returns {HTMLElement} */
function component(one, hands) {
  switch (one.type) {
    case 1:
      return h("div.row", {}, ...components(one.components, hands));
    case BUTTON:
      return button(one, hands);
    case 9:
      return h(
        "div.section",
        {},
        h("div", {}, ...components(one.components, hands)),
        component(one.accessory, hands),
      );
    case 10:
      return h("div.text", {}, markdown(one.content, hands.names));
    case 14:
      return h(one.divider === false ? "div.gap" : "hr");
    case 17:
      return container(one, hands);
    default:
      return select(one, hands);
  }
}

/** @param {Component} one @param {Hands} hands */
function container(one, hands) {
  const made = h("div.container", {}, ...components(one.components, hands));
  if (typeof one.accent_color === "number") made.style.setProperty("--accent", colour(one.accent_color));
  return made;
}

/** @param {Component} one @param {Hands} hands */
function button(one, hands) {
  const face = [one.emoji?.name ?? "", one.label ?? ""].filter(Boolean).join(" ");
  const name = `button.button.${STYLES[one.style] ?? "secondary"}`;
  if (one.style === 5) {
    const outside = { href: one.url, target: "_blank", rel: "noopener noreferrer" };
    return h("a.button.link", outside, face, h("span.arrow", { "aria-hidden": "true" }, "↗"));
  }
  const waits = hands.isPending(one.custom_id);
  const props = {
    type: "button",
    disabled: one.disabled === true || waits,
    "aria-busy": waits ? "true" : undefined,
    click: () => hands.press(one.custom_id),
  };
  return h(name, props, waits ? h("span.dots", { "aria-label": face }, "•••") : face);
}

/** @param {Component} one @param {Hands} hands */
function select(one, hands) {
  const options = choices(one, hands);
  if ((one.max_values ?? 1) > 1) return several(one, options, hands);
  const props = {
    "aria-label": one.placeholder ?? "Choose",
    disabled: one.disabled === true || hands.isPending(one.custom_id),
    change: (/** @type {Event} */ event) => {
      if (event.target instanceof HTMLSelectElement && event.target.value) {
        hands.choose(one.custom_id, [event.target.value]);
      }
    },
  };
  const preset = options.some((option) => option.default);
  const hint = h("option", { value: "", disabled: true, selected: !preset }, one.placeholder ?? "Make a selection");
  return h("select.select", props, hint, ...options.map((each) => option(each)));
}

/** @param {Component} one @param {Component[]} options @param {Hands} hands */
function several(one, options, hands) {
  const boxes = options.map((each) =>
    h("label.choice", {}, h("input", { type: "checkbox", value: each.value, checked: each.default === true }), h("span", {}, each.label)),
  );
  const form = h("details.select.several", {}, h("summary", {}, one.placeholder ?? "Make a selection"), ...boxes);
  const send = () => {
    const chosen = [...form.querySelectorAll("input:checked")].map((box) => /** @type {HTMLInputElement} */ (box).value);
    hands.choose(one.custom_id, chosen);
  };
  form.append(h("button.button.primary", { type: "button", click: send }, "Choose"));
  return form;
}

/** @param {Component} one @param {{people: {id: string, name: string}[]}} hands @returns {Component[]} */
export function choices(one, hands) {
  if (one.type === STRING_SELECT || one.options) return one.options ?? [];
  if (one.type !== USER_SELECT) return [];
  return hands.people.map((person) => ({ label: person.name, value: person.id }));
}

/** @param {Component} one */
export function option(one) {
  const words = one.description ? `${one.label} — ${one.description}` : one.label;
  return h("option", { value: one.value, selected: one.default === true }, words);
}

/** @param {number} number */
export function colour(number) {
  return `#${number.toString(16).padStart(6, "0")}`;
}
