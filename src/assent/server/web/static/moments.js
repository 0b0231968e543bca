// Times: countdowns, how long ago, and moments in the reader's time zone.

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const URGENT = 5 * MINUTE;

let offset = 0;

/** The server's time, as far as this page knows it. */
export const now = () => Date.now() + offset;

/**
 * Deadlines are by the server's clock: a wrong clock here must not show another time.
 * @param {string | null} stated the `Date` of an answer
 */
export function adjust(stated) {
  const skew = Date.parse(stated ?? "") - Date.now();
  if (!Number.isNaN(skew)) offset = Math.abs(skew) > 5 * SECOND ? skew : 0;
}

/** @param {number} length */
export function span(length) {
  if (length >= DAY) return `${Math.floor(length / DAY)} d`;
  if (length >= HOUR) return `${Math.floor(length / HOUR)} h`;
  if (length >= MINUTE) return `${Math.floor(length / MINUTE)} min`;
  return `${Math.floor(Math.max(0, length) / SECOND)} s`;
}

/** @type {Set<Moment>} */ const ticking = new Set();
setInterval(() => ticking.forEach((each) => each.tick()), SECOND);

/** The base of both elements: the text goes into the `time` inside, if there is one. */
class Moment extends HTMLElement {
  connectedCallback() {
    ticking.add(this);
    this.tick();
  }

  disconnectedCallback() {
    ticking.delete(this);
  }

  tick() {}

  /** @param {string} words */
  say(words) {
    const place = this.querySelector("time") ?? this;
    if (place.textContent !== words) place.textContent = words;
  }
}

/** A countdown to `until`; dispatches `expired` once it is over. */
class TimeLeft extends Moment {
  tick() {
    const left = Date.parse(this.getAttribute("until") ?? "") - now();
    if (Number.isNaN(left)) return;
    this.toggleAttribute("data-urgent", left < URGENT);
    this.say(left > 0 ? `${clock(left)} left` : "over");
    if (left > 0) return;
    ticking.delete(this);
    this.dispatchEvent(new CustomEvent("expired", { bubbles: true }));
  }
}

/** How long ago `at` was. */
class TimeAgo extends Moment {
  tick() {
    const passed = now() - Date.parse(this.getAttribute("at") ?? "");
    if (Number.isNaN(passed)) return;
    this.say(passed < 5 * SECOND ? "just now" : `${span(passed)} ago`);
  }
}

/** Minutes and seconds when little time is left. @param {number} left */
function clock(left) {
  if (left >= URGENT) return span(left);
  const seconds = Math.ceil(left / SECOND);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

customElements.define("time-left", TimeLeft);
customElements.define("time-ago", TimeAgo);

// The server writes UTC, which stays in the tooltip.
const UTC = /\d{4}-\d\d-\d\d \d\d:\d\d(:\d\d)? UTC$/;
const OF_DAY = /^\d\d:\d\d:\d\d$/;
/** @type {Intl.DateTimeFormatOptions} */
const MINUTES = { hour: "2-digit", minute: "2-digit", timeZoneName: "short" };
/** @type {Intl.DateTimeFormatOptions} */
const DATE = { year: "numeric", month: "short", day: "numeric" };
const usual = new Intl.DateTimeFormat(undefined, { ...DATE, ...MINUTES });
const precise = new Intl.DateTimeFormat(undefined, { ...DATE, ...MINUTES, second: "2-digit" });
const ofDay = new Intl.DateTimeFormat(undefined, { timeStyle: "medium" });

/** Convert one moment; doing it again changes nothing. @param {HTMLTimeElement} time */
function localise(time) {
  const [at, words] = [new Date(time.dateTime), time.textContent?.trim() ?? ""];
  if (Number.isNaN(at.getTime())) return;
  const exact = UTC.exec(words);
  if (exact || (OF_DAY.test(words) && !time.title)) {
    time.textContent = (exact ? (exact[1] ? precise : usual) : ofDay).format(at);
    time.title = exact ? words : `${words} UTC`;
  }
  if (!UTC.test(time.title)) return;
  time.title = time.title.replace(UTC, (utc) => `${precise.format(at)} (${utc})`);
}

function localiseAll() {
  for (const time of document.querySelectorAll("time")) localise(time);
}

new MutationObserver(localiseAll).observe(document.documentElement, {
  ...{ childList: true, characterData: true, subtree: true },
  attributeFilter: ["title", "datetime"],
});
localiseAll();
