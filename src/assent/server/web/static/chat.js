// The chat: shows an answer while it streams, and sends messages without leaving the page.
import "./answer_form.js";
import { Composer, put } from "./composer.js";
import { news } from "./live.js";
import { merge } from "./merge.js";

/**
 * @typedef {{draft: number, blocks: [number, string][]}} Piece
 * @typedef {{call: string, words: string, fraction: number | null}} Progress
 */

const COME_BACK = 3000;
const NEAR = 160;
const PATIENCE = 5000;

/** @param {string} text */
const parsed = (text) => new DOMParser().parseFromString(text, "text/html");

/** @template {Element} T @param {Document | Element} within @param {string} id @param {new () => T} kind */
function part(within, id, kind) {
  const found = within.querySelector(`#${CSS.escape(id)}`);
  return found instanceof kind ? found : null;
}

/** How far a reading of the conversation got: its newest turn, and that turn's newest event. @param {Element} talk */
function reach(talk) {
  const [turn = 0, event = 0] = (talk.getAttribute("data-reach") ?? "").split(" ").map(Number);
  return { turn, event };
}

/** @param {Element} one @param {Element} other */
function isOlder(one, other) {
  const [mine, theirs] = [reach(one), reach(other)];
  return mine.turn < theirs.turn || (mine.turn === theirs.turn && mine.event < theirs.event);
}

/** The button that shows that its form is on its way: not the one that the Enter key presses. @param {HTMLFormElement} form @param {HTMLElement | null} [pressed] */
function busyButton(form, pressed = null) {
  return pressed && !pressed.hidden ? pressed : form.querySelector("button.primary") ?? form.querySelector("button");
}

/** An idempotency key for each message: one that is sent twice counts once. */
function freshKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The page that starts a conversation; its forms are plain ones. */
class ChatDraft extends HTMLElement {
  connectedCallback() {
    const form = part(this, "composer", HTMLFormElement);
    if (!form) return;
    const composer = new Composer(form, "new");
    form.addEventListener("submit", () => sessionStorage.removeItem(composer.store));
    // The next page follows the answer, so the server need not wait for it.
    for (const each of document.querySelectorAll("form")) put(each, "wait", "no");
  }
}

/** One conversation: follows the turn that is going on, and brings the page up to date. */
class ChatStream extends HTMLElement {
  /** @type {EventSource | null} */ #source = null;
  /** @type {Element | null} */ #was = null;
  /** @type {Composer | null} */ #composer = null;
  #following = "";
  #reading = false;
  #again = false;
  #key = freshKey();
  #failed = "";
  #isSending = false;
  // Called when the page has something new of the answer.
  #stir = () => {};
  // Forms that were sent and not answered yet, and the newest of them.
  /** @type {Set<HTMLFormElement>} */ #pressed = new Set();
  /** @type {Promise<unknown>} */ #line = Promise.resolve();
  #deaf = () => {};

  connectedCallback() {
    const talk = this.#talk;
    this.#was = talk && parsed(talk.outerHTML).querySelector("#talk");
    const form = part(this, "composer", HTMLFormElement);
    this.#composer = form && new Composer(form, this.#at);
    this.addEventListener("submit", (event) => this.#submitted(event));
    this.addEventListener("input", (event) => this.#hold(event));
    const kinds = ["started", "pending", "decided", "call", "result", "waiting", "finished", "error"];
    this.#deaf = news([...kinds, "reset"], (told) => {
      // Events of the followed turn come in order through its own stream.
      const isHere = told.event === "reset" || told.conversation_id === this.dataset.conversation;
      if (isHere && told.turn_id !== this.#following) void this.refresh();
    });
    this.addEventListener("expired", () => void this.refresh());
    this.#follow();
    this.#begin();
  }

  disconnectedCallback() {
    this.#deaf();
    this.#source?.close();
  }

  get #at() {
    return this.dataset.at ?? "";
  }

  get #talk() {
    return part(this, "talk", HTMLElement);
  }

  get #draft() {
    return part(this, "draft", HTMLElement);
  }

  // Following

  /** Follow the active turn of the page, from the event that the page already shows. */
  #follow() {
    const { turn = "", after = "0" } = this.#talk?.dataset ?? {};
    if (turn === this.#following) return;
    this.#source?.close();
    this.#source = null;
    this.#following = turn;
    if (!turn) return;
    const asked = new URLSearchParams({ turn, after });
    const source = new EventSource(`${this.#at}/events?${asked}`);
    this.#source = source;
    source.addEventListener("text", (event) => this.#text(event));
    source.addEventListener("progress", (event) => this.#progress(JSON.parse(event.data)));
    source.addEventListener("changed", () => void this.refresh());
    source.addEventListener("rest", () => this.#rest(source));
    source.addEventListener("error", () => this.#lost(source));
  }

  /** @param {EventSource} source */
  #rest(source) {
    source.close();
    this.#source = null;
    this.#following = "";
    void this.refresh();
  }

  /** @param {EventSource} source */
  #lost(source) {
    // Browsers reconnect after a lost connection, with the last event id, but not after an error.
    if (source.readyState !== EventSource.CLOSED || this.#source !== source) return;
    this.#source = null;
    this.#following = "";
    setTimeout(() => void this.refresh(), COME_BACK);
  }

  /** @param {MessageEvent<string>} event */
  #text(event) {
    const draft = this.#draft;
    const bubble = draft?.querySelector(".bubble");
    if (!draft || !(bubble instanceof HTMLElement)) return void this.refresh();
    const seq = Number(event.lastEventId);
    // The page was read after this event, so it has the text already.
    if (seq <= Number(draft.dataset.seq)) return;
    /** @type {Piece} */ const piece = JSON.parse(event.data);
    const isNear = this.#isNear;
    if (draft.dataset.draft !== String(piece.draft)) bubble.replaceChildren();
    draft.dataset.draft = String(piece.draft);
    draft.dataset.seq = String(seq);
    for (const [place, html] of piece.blocks) block(bubble, place).innerHTML = html;
    bubble.hidden = false;
    this.#scroll(isNear);
    this.#stir();
  }

  /** @param {Progress} report */
  #progress(report) {
    const call = part(this, report.call, HTMLElement);
    const bar = call?.querySelector("progress");
    const words = call?.querySelector(".progress .words");
    if (!bar || !words) return;
    if (report.fraction === null) bar.removeAttribute("value");
    else bar.value = report.fraction;
    words.textContent = report.words;
  }

  // Bringing the page up to date

  async refresh() {
    this.#again = this.#reading;
    if (this.#reading) return;
    this.#reading = true;
    const asked = new URLSearchParams(location.search);
    asked.set("part", "talk");
    const answer = await fetch(`${this.#at}?${asked}`).catch(() => null);
    const text = answer?.ok ? await answer.text().catch(() => "") : "";
    this.#reading = false;
    if (text) this.#become(parsed(text));
    else if (this.#talk?.dataset.turn) setTimeout(() => void this.refresh(), COME_BACK);
    if (this.#again) void this.refresh();
  }

  /** @param {Document} page @param {Element | null} [sent] a form that this page answers */
  #become(page, sent = null) {
    const [here, was, now] = [this.#talk, this.#was, part(page, "talk", HTMLElement)];
    if (!here || !was || !now) return;
    if (sent) {
      // Not compared: what was typed in it is in the server's version, or has been used.
      part(was, sent.id, HTMLElement)?.remove();
      sent.remove();
    }
    // Answers overtake each other: what is shown already has all that this one has.
    if (isOlder(now, was)) return void (sent && this.refresh());
    const isNear = this.#isNear;
    const [mine, theirs] = [this.#draft, part(now, "draft", HTMLElement)];
    const isSame = mine && theirs && mine.dataset.draft === theirs.dataset.draft;
    if (isSame && Number(mine.dataset.seq) > Number(theirs.dataset.seq)) {
      theirs.replaceWith(mine.cloneNode(true));
    }
    // Scripts wrote the live answer: it is replaced, not compared with what the server sent.
    mine?.remove();
    was.querySelector("#draft")?.remove();
    for (const sent of this.querySelectorAll(".sending")) sent.remove();
    merge(here, was, now);
    this.#was = now;
    this.#scroll(isNear);
    this.#follow();
    this.#stir();
  }

  // Sending

  /** @param {SubmitEvent} event */
  #submitted(event) {
    const form = event.target;
    if (!(form instanceof HTMLFormElement)) return;
    const isMessage = form === this.#composer?.form;
    if (!isMessage && form.dataset.stay === undefined) return;
    event.preventDefault();
    if (!isMessage) return this.#press(form, event.submitter);
    // A message that is being sent is not sent twice; text that was typed since stays.
    if (this.#isSending || this.#pressed.size) return;
    const text = this.#composer?.take();
    if (text || this.#composer?.files.length) this.#line = this.#say(text ?? "");
  }

  /** Send forms one after the other, each once; a button pressed in the meantime is not lost. @param {HTMLFormElement} form @param {HTMLElement | null} button */
  #press(form, button) {
    if (this.#pressed.has(form)) return;
    this.#pressed.add(form);
    busyButton(form, button)?.setAttribute("aria-busy", "true");
    this.#line = this.#line
      // A request that was decided in the meantime has left the page.
      .then(() => (form.isConnected ? this.#act(form, button) : undefined))
      .finally(() => this.#pressed.delete(form));
  }

  /** @param {string} text @param {boolean} [supersede] */
  async #say(text, supersede = false) {
    const form = this.#composer?.form;
    if (!form) return;
    this.#trouble("");
    if (this.#isActive && !supersede) await this.#end(text);
    if (this.#isActive && !supersede) {
      if (await this.#mayCancel()) return void this.#say(text, true);
      return this.#composer?.giveBack(text);
    }
    const files = this.#composer?.files ?? [];
    this.#echo(text, files);
    // After a lost connection it is unknown whether the text arrived, so it keeps its key.
    if (text !== this.#failed) this.#key = freshKey();
    put(form, "key", this.#key);
    const fields = new FormData(form);
    fields.set("text", text);
    if (supersede) fields.set("supersede", "yes");
    this.#failed = text;
    const answer = await this.#post(form, fields, busyButton(form));
    if (answer?.ok && answer.page) {
      this.#failed = "";
      for (const row of files) row.remove();
      this.#become(answer.page);
      return this.#scroll(true);
    }
    this.querySelector(".sending")?.remove();
    this.#composer?.giveBack(text);
    // A call began to wait since the page was read: update the page, which asks next time.
    if (answer?.status === 409) return void this.refresh();
    this.#trouble(answer?.words || "It could not be sent. Try again.");
  }

  get #isActive() {
    return this.#talk?.dataset.active !== undefined;
  }

  /** Wait for the end of an answer that may be complete: until there is more of it, or for a moment. @param {string} text */
  async #end(text) {
    const said = this.#said;
    if (!said) return;
    this.#isSending = true;
    this.#echo(text, this.#composer?.files ?? []);
    const late = new Promise((done) => setTimeout(done, PATIENCE, true));
    let isLate = false;
    while (!isLate && this.#isActive && this.#said === said) {
      isLate = Boolean(await Promise.race([late, new Promise((done) => (this.#stir = () => done(false)))]));
    }
    this.#stir = () => {};
    this.#isSending = false;
    for (const sent of this.querySelectorAll(".sending")) sent.remove();
  }

  /** What the live answer says so far. */
  get #said() {
    return this.#draft?.querySelector(".bubble")?.textContent?.trim() ?? "";
  }

  /** Stop, retry, answer, approve or reject without leaving the page, and show the result. @param {HTMLFormElement} form @param {HTMLElement | null} button */
  async #act(form, button) {
    put(form, "wait", "no");
    const call = form.closest("article");
    const fields = new FormData(form);
    if (button instanceof HTMLButtonElement && button.name) fields.append(button.name, button.value);
    const answer = await this.#post(form, fields, busyButton(form, button));
    const sent = form.dataset.form === undefined ? null : form.closest("answer-form");
    if (answer?.page && sent) this.#answered(sent, call, answer.page, answer.at);
    else if (answer?.ok && answer.page) {
      this.#become(answer.page);
      // The button is gone: move the keyboard focus to its call.
      if (document.activeElement === document.body) call?.focus({ preventScroll: true });
    }
    // Another person was faster, or it takes more than a click: the request's page says so.
    else if (answer && new URL(form.action).pathname.startsWith("/requests/")) location.assign(form.action);
    else if (answer) void this.refresh();
    else this.#trouble("The service could not be reached. Nothing was decided; try again.");
  }

  /** Show what came of a form: its errors, its next step, or that it is sent. @param {Element} sent @param {Element | null} call @param {Document} page @param {URL} at */
  #answered(sent, call, page, at) {
    this.#become(page, sent);
    // The address says which step is open, so that the page is read again as it is.
    if (at.pathname === location.pathname) history.replaceState(null, "", at.pathname + at.search);
    const trouble = page.querySelector("#trouble:not([hidden])")?.textContent?.trim() ?? "";
    this.#trouble(trouble);
    const next = part(this, sent.id, HTMLElement);
    /** @type {HTMLElement | null | undefined} */
    const place = next?.querySelector("[aria-invalid]") ?? next?.querySelector("h2");
    const target = place instanceof HTMLFieldSetElement ? place.querySelector("input:not([type=hidden])") : place;
    if (target instanceof HTMLElement) target.focus();
    else if (call instanceof HTMLElement) call.focus({ preventScroll: true });
  }

  /** Keep the form that is being filled in open, whatever else begins to wait. @param {Event} event */
  #hold({ target }) {
    const form = target instanceof Element ? target.closest("form[data-form]") : null;
    const id = form?.closest("answer-form")?.id.replace(/^form-/, "");
    const asked = new URLSearchParams(location.search);
    if (!id || asked.get("form") === id) return;
    const step = form?.querySelector("input[name=step]");
    asked.set("form", id);
    if (step instanceof HTMLInputElement) asked.set("step", step.value);
    history.replaceState(null, "", `${location.pathname}?${asked}`);
  }

  /** @param {HTMLFormElement} form @param {FormData} fields @param {Element | null} button */
  async #post(form, fields, button) {
    const body = new URLSearchParams();
    for (const [name, value] of fields) if (typeof value === "string") body.append(name, value);
    this.#isSending = true;
    button?.setAttribute("aria-busy", "true");
    const answer = await fetch(form.action, { method: "POST", body }).catch(() => null);
    const text = await answer?.text().catch(() => null);
    this.#isSending = false;
    button?.removeAttribute("aria-busy");
    if (!answer || typeof text !== "string") return null;
    const page = parsed(text);
    const words = (page.querySelector("#trouble:not([hidden])") ?? page.querySelector("main h1 + p, .notice"))?.textContent?.trim() ?? "";
    const hasTalk = page.querySelector("#talk") !== null;
    const at = new URL(answer.url || form.action);
    return { ok: answer.ok && hasTalk, status: answer.status, page: hasTalk ? page : null, words, at };
  }

  /** Ask before a message cancels waiting calls. @returns {Promise<boolean>} */
  #mayCancel() {
    const dialog = part(this, "pending", HTMLDialogElement);
    if (!dialog) return Promise.resolve(false);
    dialog.returnValue = "keep";
    dialog.showModal();
    return new Promise((done) => {
      dialog.addEventListener("close", () => done(dialog.returnValue === "cancel"), { once: true });
    });
  }

  /** Show the person's message at once. @param {string} text @param {HTMLElement[]} files */
  #echo(text, files) {
    const item = document.createElement("li");
    const bubble = document.createElement("div");
    item.className = "mine sending";
    bubble.className = "bubble";
    const names = files.map((row) => row.querySelector(".file-name")?.textContent ?? "");
    bubble.textContent = [text, ...names].filter(Boolean).join("\n");
    item.append(bubble);
    this.querySelector("#messages")?.append(item);
    this.#scroll(true);
  }

  /** @param {string} words */
  #trouble(words) {
    const place = part(this, "trouble", HTMLElement);
    if (!place) return;
    place.textContent = words;
    place.hidden = !words;
  }

  /** A conversation opens at its end, but never below the first call that waits for an answer. */
  #begin() {
    if (location.hash && location.hash !== "#newest") return;
    // Otherwise the browser scrolls there itself once everything is loaded.
    history.replaceState(null, "", location.pathname + location.search);
    this.#scroll(true);
    const asked = this.querySelector(".tool-call:has(footer, .inline-form)");
    if (asked && asked.getBoundingClientRect().top < 0) asked.scrollIntoView();
  }

  /** Whether the end of the page is in view, so that it should stay in view. */
  get #isNear() {
    const page = document.documentElement;
    return page.scrollHeight - page.clientHeight - page.scrollTop < NEAR;
  }

  /** @param {boolean} wanted */
  #scroll(wanted) {
    if (wanted) document.documentElement.scrollTop = document.documentElement.scrollHeight;
  }
}

/** @param {HTMLElement} bubble @param {number} place @returns {HTMLElement} */
function block(bubble, place) {
  while (bubble.children.length <= place) {
    const made = document.createElement("div");
    made.dataset.block = String(bubble.children.length);
    bubble.append(made);
  }
  return /** @type {HTMLElement} */ (bubble.children[place]);
}

customElements.define("chat-draft", ChatDraft);
customElements.define("chat-stream", ChatStream);
