// The form that edits arguments: its buttons work without a reload, and no typed text is lost.
import { Pressing } from "./pressing.js";

/** @param {string} html */
const panelOf = (html) => new DOMParser().parseFromString(html, "text/html").getElementById("edit");

/** @param {HTMLFormElement} form */
const contents = (form) =>
  new URLSearchParams(/** @type {[string, string][]} */ ([...new FormData(form)]));

/** What a button does, `remove:/lines/1`: the verb, the list and the row in it. @param {string} value */
function parsed(value) {
  const [verb = "", at = ""] = value.split(":");
  const cut = at.lastIndexOf("/");
  return { verb, at, list: at.slice(0, cut), row: Number(at.slice(cut + 1)) };
}

/**
 * The name of a control, or the value of a button, once a command was carried out: rows of the same
 * list have other numbers then. Null: its row is gone.
 * @param {string} name @param {string} command @returns {string | null}
 */
function renamed(name, command) {
  const { verb, list, row } = parsed(command);
  const start = name.indexOf("/");
  const place = start < 0 ? "" : name.slice(start);
  if (verb === "add" || verb === "view" || !place.startsWith(`${list}/`)) return name;
  const [own = "", ...rest] = place.slice(list.length + 1).split("/");
  const now = renumbered(Number(own), verb, row);
  return now === null ? null : name.slice(0, start) + [list, now, ...rest].join("/");
}

/** @param {number} own @param {string} verb @param {number} row @returns {number | null} */
function renumbered(own, verb, row) {
  if (verb === "remove") return own === row ? null : own > row ? own - 1 : own;
  const other = verb === "up" ? row - 1 : row + 1;
  return own === row ? other : own === other ? row : own;
}

/**
 * A button that is pressed during a request waits for the answer, and still means the row that it
 * was shown for; text that is typed in the meantime is sent again with it.
 */
export class Editing {
  // Commands that are not done yet, by the names of the form that is shown; "" shows the difference.
  /** @type {string[]} */ #pressed = [];
  #running = false;

  /** @param {HTMLElement} place @param {AbortSignal} signal */
  constructor(place, signal) {
    this.place = place;
    this.pressing = new Pressing(place, signal);
  }

  /** @param {SubmitEvent} event */
  submitted(event) {
    const { target: form, submitter } = event;
    if (!(form instanceof HTMLFormElement) || !form.closest("#edit")) return;
    const button = submitter instanceof HTMLButtonElement ? submitter : null;
    const command = button?.name === "do" ? button.value : "";
    if (button?.dataset.again || (!command && !this.#running)) return;
    event.preventDefault();
    this.#pressed.push(command);
    this.#mark();
    if (!this.#running) void this.#run();
  }

  async #run() {
    this.#running = true;
    let isWanted = true;
    while (isWanted && this.#pressed[0]) isWanted = await this.#carryOut(this.#pressed[0]);
    this.#running = false;
    const shows = isWanted && this.#pressed[0] === "";
    this.#pressed = [];
    this.#mark();
    if (shows) this.#form?.requestSubmit();
  }

  get #form() {
    return /** @type {HTMLFormElement | null} */ (this.place.querySelector("#edit form"));
  }

  /** @param {string} command @returns {HTMLButtonElement | null} */
  #button(command) {
    return this.place.querySelector(`#edit button[name=do][value="${CSS.escape(command)}"]`);
  }

  /** Show which button is being processed. */
  #mark() {
    const panel = this.place.querySelector("#edit");
    if (this.#pressed.length) panel?.setAttribute("aria-busy", "true");
    else panel?.removeAttribute("aria-busy");
    for (const each of this.place.querySelectorAll("#edit button")) each.removeAttribute("aria-busy");
    for (const command of this.#pressed) {
      const button = command ? this.#button(command) : this.place.querySelector("#edit .primary");
      button?.setAttribute("aria-busy", "true");
    }
  }

  /** Whether the next one may follow. @param {string} command @returns {Promise<boolean>} */
  async #carryOut(command) {
    const [form, button] = [this.#form, this.#button(command)];
    // Its row was removed, or is already the first or last: there is nothing left to do.
    if (!form || !button || button.disabled) return Boolean(this.#pressed.shift());
    const sent = contents(form);
    const body = new URLSearchParams([...sent, ["do", command]]);
    const answer = await fetch(form.action, { method: "POST", body }).catch(() => null);
    const text = await answer?.text().catch(() => null);
    if (typeof text !== "string") return this.#fail(form);
    // A button that is just being pressed stays until it was: its click is the next command.
    await this.pressing.over();
    // Text was typed in the meantime: it is sent with the next request.
    if (String(contents(form)) !== String(sent)) return true;
    const fresh = panelOf(text);
    if (fresh) this.#replace(document.importNode(fresh, true), command, button);
    else this.#leave(form, button);
    return fresh !== null;
  }

  /** @param {HTMLElement} fresh @param {string} command @param {HTMLButtonElement} button */
  #replace(fresh, command, button) {
    const panel = this.place.querySelector("#edit");
    const held = panel?.contains(document.activeElement) ? document.activeElement : null;
    const isElsewhere = !held && document.activeElement !== document.body;
    panel?.replaceWith(fresh);
    this.#pressed = this.#pressed.slice(1).flatMap((each) => renamed(each, command) ?? []);
    this.#mark();
    if (isElsewhere) return;
    const same = held && held !== button ? this.#same(held, command) : null;
    if (held && same) resume(held, same);
    else this.#follow(command);
  }

  /** The control of the new form that has the focus in the old one. @param {Element} held @param {string} command */
  #same(held, command) {
    if (held instanceof HTMLButtonElement) return this.#button(renamed(held.value, command) ?? "");
    const { name = "", type = "", value = "" } = /** @type {HTMLInputElement} */ (held);
    const own = type === "radio" ? `[value="${CSS.escape(value)}"]` : "";
    const now = renamed(name, command);
    return now ? this.place.querySelector(`#edit [name="${CSS.escape(now)}"]${own}`) : null;
  }

  /** Put the keyboard focus back where it was. @param {string} command */
  #follow(command) {
    const { verb, at, list, row } = parsed(command);
    const after = { up: `up:${list}/${row - 1}`, down: `down:${list}/${row + 1}` };
    const wanted = verb === "up" || verb === "down" ? after[verb] : `add:${list}`;
    const ways = {
      add: `[id="arg${CSS.escape(at)}"] > .node-body > ol > li:last-child :is(input:not([type=hidden]), textarea, select)`,
      view: `#edit button[name=do]:enabled`,
    };
    const found = verb === "add" || verb === "view" ? this.place.querySelector(ways[verb]) : this.#button(wanted);
    if (found instanceof HTMLElement) found.focus();
  }

  /** Keep what was typed, and say that the service could not be reached. @param {HTMLFormElement} form */
  #fail(form) {
    const textContent = "The service could not be reached. Your edit is still here; press the button again.";
    const made = Object.assign(document.createElement("p"), { className: "notice warn", textContent, role: "alert" });
    form.querySelector(".body > .notice.warn")?.remove();
    form.querySelector(".body")?.prepend(made);
    return false;
  }

  /** There is nothing left to edit: the request's page says why. @param {HTMLFormElement} form @param {HTMLButtonElement} button */
  #leave(form, button) {
    button.dataset.again = "yes";
    form.requestSubmit(button);
  }
}

/** Focus the same field, at the same character. @param {Element} held @param {Element} same */
function resume(held, same) {
  /** @type {HTMLElement} */ (same).focus({ preventScroll: true });
  const [from, to] = /** @type {HTMLInputElement[]} */ ([held, same]);
  if (from?.selectionStart != null) to?.setSelectionRange(from.selectionStart, from.selectionEnd);
}
