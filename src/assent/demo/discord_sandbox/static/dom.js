// Elements from plain values: text is always a text node, so nothing in it can become markup.

/**
 * @typedef {Node | string | null | undefined | false} Child
 * @typedef {Record<string, unknown>} Props
 */

/**
 * Makes an element. Functions become listeners, `data` becomes the dataset, the rest attributes.
 * @param {string} name
 * @param {Props} [props]
 * @param {...Child} children
 * @returns {HTMLElement}
 */
export function h(name, props = {}, ...children) {
  const [tag, ...classes] = name.split(".");
  const element = document.createElement(tag || "div");
  if (classes.length) element.className = classes.join(" ");
  for (const [key, value] of Object.entries(props)) put(element, key, value);
  element.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

/** @param {HTMLElement} element @param {string} key @param {unknown} value */
function put(element, key, value) {
  if (value === undefined || value === null || value === false) return;
  if (typeof value === "function") {
    element.addEventListener(key, /** @type {EventListener} */ (value));
  } else if (key === "data") {
    Object.assign(element.dataset, value);
  } else if (value === true) {
    element.setAttribute(key, "");
  } else {
    element.setAttribute(key, String(value));
  }
}

/** @param {string} id @returns {HTMLElement} */
export function byId(id) {
  const found = document.getElementById(id);
  if (!found) throw new Error(`no element ${id}`);
  return found;
}

const HUES = ["#5865f2", "#d83c8f", "#2d9d5b", "#c2702b", "#9b59d0", "#1f8fb3", "#b8433d"];

/**
 * A round picture with a letter in it; the same person always has the same colour.
 * @param {{id: string, name: string, bot: boolean}} person
 */
export function avatar(person) {
  const letter = [...person.name][0] ?? "?";
  const round = h("span.avatar", { "aria-hidden": "true" }, person.bot ? "✓" : letter.toUpperCase());
  const sum = [...person.id].reduce((total, digit) => total * 3 + Number(digit), 0);
  round.style.setProperty("--hue", person.bot ? "#3b6ef5" : HUES[sum % HUES.length] ?? "");
  return round;
}
