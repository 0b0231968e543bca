// The inbox by keyboard, and filters that apply at once. No key approves anything.

const rows = () => /** @type {HTMLElement[]} */ ([...document.querySelectorAll("#inbox a")]);
const filters = /** @type {HTMLFormElement} */ (document.getElementById("filters"));
const help = /** @type {HTMLDialogElement} */ (document.getElementById("keys"));
// The index of the focused row, kept after that row has left.
let place = -1;

/** @param {number} to */
function go(to) {
  const all = rows();
  place = Math.max(0, Math.min(to, all.length - 1));
  all[place]?.focus();
  all[place]?.scrollIntoView({ block: "nearest" });
}

function select() {
  const box = rows()[place]?.closest("li")?.querySelector("input");
  if (box && !box.disabled) box.click();
}

/** @type {Record<string, () => void>} */
const KEYS = {
  j: () => go(place + 1),
  k: () => go(place - 1),
  o: () => rows()[place]?.click(),
  x: select,
  "/": () => document.getElementById("q")?.focus(),
  "?": () => help.showModal(),
};

document.addEventListener("keydown", (event) => {
  const target = /** @type {Element} */ (event.target);
  const isTyping = target.matches("input:not([type=checkbox]), textarea, select");
  const act = KEYS[event.key];
  if (isTyping && event.key === "Escape") /** @type {HTMLElement} */ (target).blur();
  if (!act || isTyping || help.open || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  act();
});

document.addEventListener("focusin", ({ target }) => {
  const at = rows().findIndex((row) => row === target);
  if (at >= 0) place = at;
});

// When the focused row leaves, the row after it gets the focus.
document.getElementById("rows")?.addEventListener("changed", () => {
  if (place >= 0 && document.activeElement === document.body) go(place);
  choose();
});

/** Only similar requests can be decided together: the first choice disables all others. */
function choose() {
  const boxes = /** @type {HTMLInputElement[]} */ ([...document.querySelectorAll("#batch input")]);
  const chosen = boxes.filter((box) => box.checked);
  const like = chosen[0]?.dataset.like;
  for (const box of boxes) box.disabled = like !== undefined && box.dataset.like !== like;
  const words = /** @type {HTMLElement | null} */ (document.querySelector(".together p"));
  if (!words) return;
  words.dataset.usual ??= words.textContent ?? "";
  words.textContent = chosen.length ? `${chosen.length} selected` : words.dataset.usual;
}

document.addEventListener("change", ({ target }) => {
  if (target instanceof HTMLSelectElement && target.form === filters) filters.requestSubmit();
  else choose();
});

// Empty filters are left out of the address.
filters.addEventListener("formdata", ({ formData }) => {
  for (const [name, value] of [...formData]) if (!value) formData.delete(name);
});

filters.classList.add("at-once");
choose();
