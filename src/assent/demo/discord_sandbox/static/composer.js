// The field to write in: messages, mentions after "@", commands after "/".
import { h } from "./dom.js";

/**
 * @typedef {import("./state.js").State} State
 * @typedef {import("./state.js").Channel} Channel
 * @typedef {{label: string, hint: string, insert: string}} Offer
 */

const OFFERS = 8;
const NAME_CHARS = 20;
const SUBCOMMANDS = new Set([1, 2]);

export class Composer {
  /** @param {State} state @param {() => void} sent */
  constructor(state, sent) {
    this.state = state;
    this.sent = sent;
    this.channel = "";
    this.field = /** @type {HTMLTextAreaElement} */ (
      h("textarea", { rows: 1, maxlength: 2000, enterkeyhint: "send", input: () => this.#changed(), keydown: (/** @type {Event} */ event) => this.#key(/** @type {KeyboardEvent} */ (event)) })
    );
    this.offers = h("ul.offers", { hidden: true });
    this.chips = h("div.chips", { hidden: true });
    this.problem = h("p.failure", { role: "alert", hidden: true });
    const send = h("button.send", { type: "submit", "aria-label": "Send", title: "Send" }, "➤");
    this.element = h(
      "form.composer",
      {
        submit: (/** @type {Event} */ event) => {
          event.preventDefault();
          void this.#send();
        },
      },
      this.chips,
      this.offers,
      this.problem,
      h("div.field", {}, this.field, send),
    );
  }

  /** @param {Channel} channel @param {boolean} empty */
  show(channel, empty) {
    const name = channel.type === "dm" ? `@${channel.name}` : `#${channel.name}`;
    this.field.placeholder = name.length > NAME_CHARS ? `Message ${name.slice(0, NAME_CHARS)}…` : `Message ${name}`;
    this.field.setAttribute("aria-label", `Message ${name}`);
    this.channel = channel.id;
    this.#chips(empty && channel.type === "text");
  }

  /** @param {boolean} wanted */
  #chips(wanted) {
    const view = this.state.view;
    const bot = view?.people.find((each) => each.bot)?.name ?? "";
    const sentences = wanted && !this.field.value ? (view?.suggestions ?? []) : [];
    this.chips.hidden = sentences.length === 0;
    if (this.chips.childElementCount === sentences.length) return;
    const chip = (/** @type {string} */ words) => h("button.chip", { type: "button", click: () => this.#fill(`@${bot} ${words}`) }, words);
    this.chips.replaceChildren(...sentences.map(chip));
  }

  /** @param {string} text */
  #fill(text) {
    this.field.value = text;
    this.field.focus();
    this.#changed();
  }

  #changed() {
    this.field.style.setProperty("height", "auto");
    this.field.style.setProperty("height", `${this.field.scrollHeight}px`);
    this.#say("");
    const offers = this.#found();
    this.offers.hidden = offers.length === 0;
    this.offers.replaceChildren(...offers.map((each) => this.#offer(each)));
    if (this.field.value) this.chips.hidden = true;
  }

  /** @param {Offer} offer */
  #offer(offer) {
    const take = () => {
      this.#fill(offer.insert);
      this.offers.hidden = true;
    };
    return h("li", {}, h("button", { type: "button", click: take }, h("strong", {}, offer.label), h("span", {}, offer.hint)));
  }

  /** @returns {Offer[]} */
  #found() {
    const text = this.field.value;
    if (text.startsWith("/")) return this.#commands(text.slice(1).toLowerCase());
    const at = /(?:^|\s)@(\S*)$/.exec(text);
    if (!at) return [];
    const start = (at[1] ?? "").toLowerCase();
    const before = text.slice(0, text.length - start.length);
    return (this.state.view?.people ?? [])
      .filter((each) => each.name.toLowerCase().startsWith(start) && each.name.toLowerCase() !== start)
      .slice(0, OFFERS)
      .map((each) => ({ label: `@${each.name}`, hint: each.bot ? "APP" : "", insert: `${before}${each.name} ` }));
  }

  /** @param {string} typed @returns {Offer[]} */
  #commands(typed) {
    if (typed.includes(":") || typed.endsWith(" ")) return [];
    return flat(this.state.view?.commands ?? [])
      .filter((each) => each.name.startsWith(typed))
      .slice(0, OFFERS)
      .map((each) => ({
        label: `/${each.name}`,
        hint: each.description,
        insert: `/${each.name} ${each.options.map((option) => `${option}:`).join(" ")}`,
      }));
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    if (event.key === "Tab" && !this.offers.hidden) {
      event.preventDefault();
      this.offers.querySelector("button")?.click();
    } else if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      void this.#send();
    } else if (event.key === "Escape") {
      this.offers.hidden = true;
    }
  }

  async #send() {
    const text = this.field.value.trim();
    if (!text) return;
    const command = text.startsWith("/") ? this.#command(text.slice(1)) : null;
    const problem = command
      ? await this.state.act("command", { channel: this.channel, ...command })
      : await this.state.act("say", { channel: this.channel, text });
    this.#say(problem);
    if (problem) return;
    this.field.value = "";
    this.#changed();
    this.sent();
  }

  /** Reads "inbox show page:2", or the only option without its name. */
  /** @param {string} text */
  #command(text) {
    const known = flat(this.state.view?.commands ?? []);
    const found = known.filter((each) => text === each.name || text.startsWith(`${each.name} `)).pop();
    if (!found) return null;
    const rest = text.slice(found.name.length).trim();
    const [only] = found.options;
    if (only && found.options.length === 1) {
      const value = rest.startsWith(`${only}:`) ? rest.slice(only.length + 1).trim() : rest;
      return { name: found.name, options: value ? { [only]: value } : {} };
    }
    const parts = rest.split(/\s(?=\w+:)/).map((part) => /** @type {const} */ ([part.split(":")[0] ?? "", part.slice(part.indexOf(":") + 1).trim()]));
    return { name: found.name, options: Object.fromEntries(parts.filter(([name, value]) => name && value)) };
  }

  /** @param {string} words */
  #say(words) {
    this.problem.textContent = words;
    this.problem.hidden = !words;
  }
}

/**
 * Commands and subcommands in one list.
 * @param {Record<string, any>[]} commands @param {string} before
 * @returns {{name: string, description: string, options: string[]}[]}
 */
function flat(commands, before = "") {
  return commands.flatMap((each) => {
    const options = /** @type {Record<string, any>[]} */ (each.options ?? []);
    const inside = options.filter((option) => SUBCOMMANDS.has(option.type));
    const name = `${before}${each.name}`;
    if (inside.length) return flat(inside, `${name} `);
    return [{ name, description: each.description ?? "", options: options.map((option) => option.name) }];
  });
}
