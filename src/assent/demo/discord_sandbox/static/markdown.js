// Discord's Markdown as DOM nodes. Nothing is ever parsed as HTML, and nothing is loaded.
import { h } from "./dom.js";

/**
 * @typedef {{users: Map<string, string>, channels: Map<string, string>}} Names
 * @typedef {(found: RegExpExecArray, names: Names) => Node} Make
 */

const FENCE = /```(?:([A-Za-z0-9_+.-]+)\n)?\n?([\s\S]*?)\n?```/g;
const HEADING = /^(#{1,3}) (.+)$/;
const SUBTEXT = /^-# (.+)$/;
const ITEM = /^(\s*)(?:[-*]|(\d+)\.) (.+)$/;
const MINUTE = 60, HOUR = 3600, DAY = 86400;

/** @type {[RegExp, Make][]} */
const INLINE = [
  [/\\([^A-Za-z0-9\s])/y, (found) => text(found[1])],
  [/(`+)([\s\S]*?[^`])\1(?!`)/y, (found) => h("code", {}, (found[2] ?? "").trim())],
  [/\*\*([\s\S]+?)\*\*(?!\*)/y, (found, names) => h("strong", {}, inline(found[1], names))],
  [/__([\s\S]+?)__(?!_)/y, (found, names) => h("u", {}, inline(found[1], names))],
  [/\*(?=\S)([\s\S]+?)\*(?!\*)/y, (found, names) => h("em", {}, inline(found[1], names))],
  [/_(?=\S)([\s\S]+?)_(?![A-Za-z0-9_])/y, (found, names) => h("em", {}, inline(found[1], names))],
  [/~~([\s\S]+?)~~/y, (found, names) => h("s", {}, inline(found[1], names))],
  [/\|\|([\s\S]+?)\|\|/y, (found, names) => spoiler(inline(found[1], names))],
  [/<@!?(\d+)>/y, (found, names) => mention("@", names.users.get(found[1] ?? "") ?? "unknown-user")],
  [/<@&(\d+)>/y, () => mention("@", "unknown-role")],
  [/<#(\d+)>/y, (found, names) => mention("#", names.channels.get(found[1] ?? "") ?? "unknown")],
  [/@(?:everyone|here)\b/y, (found) => mention("", found[0])],
  [/<t:(-?\d{1,12})(?::([tTdDfFR]))?>/y, (found) => moment(Number(found[1]), found[2] ?? "f")],
  [/\[([^\]\n]+)\]\((https?:\/\/[^\s)]+)\)/y, (found, names) => link(found[2], inline(found[1], names))],
  [/<(https?:\/\/[^\s>]+)>/y, (found) => link(found[1], text(found[1]))],
  [/https?:\/\/[^\s<]+[^\s<.,:;"')\]]/y, (found) => link(found[0], text(found[0]))],
];
const SPECIAL = /[\\`*_~|<@[h]/g;

/**
 * Renders a text.
 * @param {string} source @param {Names} names
 */
export function markdown(source, names) {
  const whole = document.createDocumentFragment();
  let end = 0;
  for (const found of source.matchAll(FENCE)) {
    whole.append(blocks(source.slice(end, found.index), names));
    whole.append(h("pre", {}, h("code", { data: { language: found[1] ?? "" } }, found[2] ?? "")));
    end = found.index + found[0].length;
  }
  whole.append(blocks(source.slice(end), names));
  return whole;
}

/** @param {string} source @param {Names} names */
function blocks(source, names) {
  const made = document.createDocumentFragment();
  const trimmed = source.replace(/^\n|\n$/g, "");
  if (!trimmed) return made;
  /** @type {string[]} */
  let plain = [];
  const flush = () => {
    if (plain.length) made.append(h("p", {}, inline(plain.join("\n"), names)));
    plain = [];
  };
  const lines = trimmed.split("\n");
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? "";
    const block = line.startsWith(">>> ") ? quote(lines.slice(at), names) : one(line, names);
    if (!block) {
      plain.push(line);
      continue;
    }
    flush();
    made.append(block);
    if (line.startsWith(">>> ")) break;
  }
  flush();
  return made;
}

/** @param {string[]} lines @param {Names} names */
function quote(lines, names) {
  return h("blockquote", {}, blocks(lines.join("\n").slice(4), names));
}

/** @param {string} line @param {Names} names */
function one(line, names) {
  const heading = HEADING.exec(line);
  if (heading) return h(`p.heading-${heading[1]?.length}`, {}, inline(heading[2], names));
  const small = SUBTEXT.exec(line);
  if (small) return h("p.subtext", {}, inline(small[1], names));
  if (line.startsWith("> ")) return h("blockquote", {}, inline(line.slice(2), names));
  const item = ITEM.exec(line);
  if (!item) return null;
  const depth = item[1] ? "1" : "0";
  const sign = item[2] ? `${item[2]}.` : "•";
  return h("p.item", { data: { depth } }, h("span.sign", {}, sign), h("span", {}, inline(item[3], names)));
}

/** @param {string | undefined} source @param {Names} names @returns {DocumentFragment} */
function inline(source, names) {
  const made = document.createDocumentFragment();
  const all = source ?? "";
  let start = 0;
  SPECIAL.lastIndex = 0;
  for (let at = next(all, 0); at < all.length; at = next(all, at)) {
    const [node, length] = special(all, at, names);
    if (!node) {
      at += 1;
      continue;
    }
    made.append(...broken(all.slice(start, at)), node);
    at += length;
    start = at;
  }
  made.append(...broken(all.slice(start)));
  return made;
}

/** @param {string} all @param {number} from */
function next(all, from) {
  SPECIAL.lastIndex = from;
  const found = SPECIAL.exec(all);
  return found ? found.index : all.length;
}

/** @param {string} all @param {number} at @param {Names} names @returns {[Node | null, number]} */
function special(all, at, names) {
  for (const [pattern, make] of INLINE) {
    pattern.lastIndex = at;
    const found = pattern.exec(all);
    // `make` may come back here for what is inside, so the length is kept.
    if (found) return [make(found, names), found[0].length];
  }
  return [null, 0];
}

/** @param {string} source */
function broken(source) {
  return source.split("\n").flatMap((line, index) => (index ? [h("br"), text(line)] : [text(line)]));
}

/** @param {string | undefined} source */
function text(source) {
  return document.createTextNode(source ?? "");
}

/** @param {string} sign @param {string} name */
function mention(sign, name) {
  return h("span.mention", {}, `${sign}${name}`);
}

/** @param {string | undefined} address @param {Node} words */
function link(address, words) {
  if (!address || !URL.canParse(address)) return words;
  return h("a", { href: address, target: "_blank", rel: "noopener noreferrer" }, words);
}

/** @param {Node} hidden */
function spoiler(hidden) {
  const show = (/** @type {Event} */ event) => {
    if (event.currentTarget instanceof HTMLElement) event.currentTarget.classList.add("shown");
  };
  return h("button.spoiler", { type: "button", "aria-label": "Spoiler", click: show }, h("span", {}, hidden));
}

/** @type {Record<string, Intl.DateTimeFormatOptions>} */
const STYLES = {
  t: { timeStyle: "short" },
  T: { timeStyle: "medium" },
  d: { dateStyle: "short" },
  D: { dateStyle: "long" },
  f: { dateStyle: "long", timeStyle: "short" },
  F: { dateStyle: "full", timeStyle: "short" },
};

/** @param {number} seconds @param {string} style */
function moment(seconds, style) {
  const date = new Date(seconds * 1000);
  const full = new Intl.DateTimeFormat(undefined, STYLES.F).format(date);
  const shown = h("time", { datetime: date.toISOString(), title: full });
  if (style === "R") {
    shown.dataset.relative = String(seconds);
    shown.textContent = relative(seconds);
  } else {
    shown.textContent = new Intl.DateTimeFormat(undefined, STYLES[style]).format(date);
  }
  return shown;
}

/** @param {number} seconds */
function relative(seconds) {
  const left = seconds - Date.now() / 1000;
  const size = Math.abs(left);
  const words = new Intl.RelativeTimeFormat(undefined, { numeric: "always" });
  if (size < MINUTE) return words.format(Math.round(left), "second");
  if (size < HOUR) return words.format(Math.round(left / MINUTE), "minute");
  if (size < DAY) return words.format(Math.round(left / HOUR), "hour");
  return words.format(Math.round(left / DAY), "day");
}

/** Brings all relative times up to date. */
export function tick() {
  for (const shown of document.querySelectorAll("time[data-relative]")) {
    const words = relative(Number(/** @type {HTMLElement} */ (shown).dataset.relative));
    if (shown.textContent !== words) shown.textContent = words;
  }
}
