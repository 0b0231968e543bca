// Live updates: events from the service, and the parts of a page that follow them.
import { merge } from "./merge.js";
import { adjust } from "./moments.js";

/**
 * One event of `/api/events`: ids and statuses, never texts.
 * @typedef {{event: string, conversation_id?: string, turn_id?: string, request_id?: string,
 *   call_id?: string, requests?: string[], tool?: string, kind?: string, status?: string,
 *   by?: string, reason?: string}} News
 * What the tabs of one session tell each other.
 * @typedef {{news?: News, place?: string, connected?: boolean, over?: boolean, hello?: boolean}} Word
 */

const KINDS = ["started", "reset", "pending", "decided", "call", "result", "waiting", "finished"];
const FIRST_WAIT = 120;
const LEAST_GAP = 1000;
const COME_BACK = 3000;
const PATIENCE = 2000;
// Only the tabs of one session know this name.
const session = document.querySelector("meta[name=csrf-token]")?.getAttribute("content") ?? "";

/** @param {string} type @param {unknown} detail */
const tell = (type, detail) => document.dispatchEvent(new CustomEvent(type, { detail }));

// Listen to some kinds of events; returns a function that stops it.
/** @param {string[]} kinds @param {(news: News) => void} heard @returns {() => void} */
export function news(kinds, heard) {
  /** @param {Event} event */
  const listener = (event) => {
    const { detail } = /** @type {CustomEvent<News>} */ (event);
    if (kinds.includes(detail.event)) heard(detail);
  };
  document.addEventListener("assent:news", listener);
  return () => document.removeEventListener("assent:news", listener);
}

/**
 * The session's one stream. Browsers allow six connections to a host: of several tabs one reads
 * and tells the others; a tab that becomes visible takes over if no other answers.
 */
class Wire {
  /** @type {EventSource | null} */ #source = null;
  /** @type {boolean | null} */ #connected = null;
  #place = "";
  #over = false;
  #answered = false;
  #others = new BroadcastChannel(`assent ${session}`);

  constructor() {
    this.#others.onmessage = ({ data }) => this.#hear(data);
    document.addEventListener("visibilitychange", () => this.#ask());
    this.#queue(false);
    this.#ask();
  }

  /** Whether this tab is the one that reads. */
  get leads() {
    return this.#source !== null;
  }

  /** @param {boolean} steal */
  #queue(steal) {
    if (!navigator.locks) return this.#open();
    const lead = () => new Promise(() => this.#open());
    // It ends when another tab takes over: then this one waits for the lock again.
    navigator.locks.request(`assent ${session}`, { steal }, lead).catch(() => {
      this.#source?.close();
      this.#source = null;
      if (!this.#over) this.#queue(false);
    });
  }

  #ask() {
    if (this.leads || this.#over || document.hidden) return;
    this.#answered = false;
    this.#others.postMessage({ hello: true });
    setTimeout(() => {
      if (!this.#answered && !this.leads) this.#queue(true);
    }, PATIENCE);
  }

  #open() {
    if (this.#over) return;
    const after = this.#place && `?after=${encodeURIComponent(this.#place)}`;
    const source = (this.#source = new EventSource(`/api/events${after}`));
    source.onopen = () => this.#share({ connected: true });
    for (const kind of KINDS) source.addEventListener(kind, (event) => this.#receive(event));
    // Two kinds of `error`: the service's event for a failed turn, and the browser's for a lost connection.
    source.addEventListener("error", (event) => {
      if (event instanceof MessageEvent) this.#receive(event);
      else this.#lose(source);
    });
    source.addEventListener("closing", ({ data }) => {
      if (JSON.parse(data).reason === "signed_out") this.#share({ over: true });
    });
  }

  /** @param {MessageEvent<string>} event */
  #receive(event) {
    const told = { event: event.type, ...JSON.parse(event.data) };
    this.#share({ news: told, place: event.lastEventId });
  }

  /** @param {EventSource} source */
  #lose(source) {
    this.#share({ connected: false });
    // Browsers reconnect after a lost connection, but not after an error response.
    if (source.readyState === EventSource.CLOSED) setTimeout(() => this.#comeBack(source), COME_BACK);
  }

  /** @param {EventSource} source */
  async #comeBack(source) {
    const answer = await fetch("/api/session").catch(() => null);
    if (this.#source !== source) return;
    if (answer?.status === 401) this.#share({ over: true });
    else this.#open();
  }

  /** @param {Word} word */
  #share(word) {
    // Without locks each tab reads its own stream and tells the others nothing.
    if (navigator.locks) this.#others.postMessage(word);
    this.#hear(word);
  }

  /** @param {Word} word */
  #hear({ hello, place, news: told, over, connected }) {
    this.#answered ||= !hello;
    if (hello && this.leads) this.#others.postMessage({ connected: this.#connected ?? false });
    if (place) this.#place = place;
    if (told) tell("assent:news", told);
    if (connected !== undefined && connected !== this.#connected) {
      this.#connected = connected;
      tell("assent:live", { connected });
    }
    if (!over || this.#over) return;
    this.#over = true;
    this.#source?.close();
    tell("assent:over", {});
  }
}

/** Reads a page again for parts that are out of date: one page at a time, not too often. */
class Reader {
  /** @type {Set<LivePart>} */ #wanted = new Set();
  #running = false;
  #last = 0;

  /** @param {LivePart} part */
  async want(part) {
    this.#wanted.add(part);
    if (this.#running) return;
    this.#running = true;
    try {
      while (this.#wanted.size) await this.#round();
    } finally {
      this.#running = false;
    }
  }

  async #round() {
    const gap = this.#last + LEAST_GAP - performance.now();
    await new Promise((done) => setTimeout(done, Math.max(FIRST_WAIT, gap)));
    this.#last = performance.now();
    const parts = [...this.#wanted];
    this.#wanted.clear();
    const pages = new Set(parts.map((each) => each.page));
    for (const page of pages) await this.#read(page, parts.filter((each) => each.page === page));
  }

  /** @param {string} address @param {LivePart[]} parts */
  async #read(address, parts) {
    for (const part of parts) part.setAttribute("aria-busy", "true");
    const answer = await fetch(address).catch(() => null);
    adjust(answer?.headers.get("date") ?? null);
    // Redirected to the sign-in page, or refused: keep what is shown.
    const isIt = answer?.ok && !answer.redirected;
    const page = isIt ? await answer.text().catch(() => "") : "";
    const parsed = new DOMParser().parseFromString(page, "text/html");
    for (const part of parts) {
      part.removeAttribute("aria-busy");
      part.become(parsed);
    }
  }
}

const reader = new Reader();

/** Read every live part of the page again. */
export function refresh() {
  for (const part of document.querySelectorAll("live-part")) {
    if (part instanceof LivePart) void reader.want(part);
  }
}

/**
 * A part of a page that follows the news: `on` names the kinds, `match` the ids that matter, `src`
 * another page that has it, too. Typed text, opened details and the focus stay.
 */
class LivePart extends HTMLElement {
  /** @type {Element | null} */ #was = null;
  #leave = () => {};

  connectedCallback() {
    const page = new DOMParser().parseFromString(this.outerHTML, "text/html");
    this.#was ??= page.body.firstElementChild;
    this.#leave = news([...this.#list("on"), "reset"], (told) => {
      if (this.#isAbout(told)) void reader.want(this);
    });
  }

  disconnectedCallback() {
    this.#leave();
  }

  get page() {
    return this.getAttribute("src") ?? location.href;
  }

  /** @param {Document} page */
  become(page) {
    const now = page.getElementById(this.id);
    if (!now || !this.#was) return;
    merge(this, this.#was, now);
    this.#was = now;
    for (const inner of this.querySelectorAll("live-part")) {
      if (inner instanceof LivePart) inner.#was = page.getElementById(inner.id);
    }
    this.dispatchEvent(new CustomEvent("changed", { bubbles: true }));
  }

  /** @param {string} name */
  #list(name) {
    return (this.getAttribute(name) ?? "").split(/\s+/).filter(Boolean);
  }

  /** @param {News} told */
  #isAbout(told) {
    const ids = this.#list("match");
    const named = [told.request_id, told.conversation_id, told.turn_id, told.call_id];
    return !ids.length || ids.some((id) => named.includes(id) || told.requests?.includes(id));
  }
}

customElements.define("live-part", LivePart);
// Events between the rendering of this page and the start of its stream are not in the stream.
document.addEventListener("assent:live", refresh, { once: true });
export const wire = session ? new Wire() : null;
