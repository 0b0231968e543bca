// A channel or thread: its heading, its messages and the field to write in.
import { Composer } from "./composer.js";
import { h } from "./dom.js";
import { continues, messageElement } from "./messages.js";

/**
 * @typedef {import("./messages.js").Message} Message
 * @typedef {import("./messages.js").Context} Context
 * @typedef {import("./state.js").Channel} Channel
 * @typedef {import("./state.js").State} State
 */

const NEAR_PX = 120;

export class ChannelView {
  /**
   * @param {HTMLElement} root @param {State} state @param {Context} context
   * @param {{before: HTMLElement | null, after: HTMLElement | null}} buttons around the heading
   */
  constructor(root, state, context, buttons) {
    this.root = root;
    this.state = state;
    this.context = context;
    this.id = "";
    /** @type {Map<string, {key: string, element: HTMLElement}>} */
    this.shown = new Map();
    this.title = h("h1");
    this.topic = h("p.topic");
    this.list = h("div.messages", { role: "log", "aria-label": "Messages", tabindex: "0" });
    this.typing = h("p.typing", { "aria-live": "polite" });
    this.composer = new Composer(state, () => this.#toEnd());
    const head = h("header.channel-head", {}, buttons.before, this.title, this.topic, buttons.after);
    root.replaceChildren(head, this.list, this.composer.element, this.typing);
  }

  /** @param {string} id */
  show(id) {
    if (id !== this.id) {
      this.id = id;
      this.shown.clear();
      this.list.replaceChildren();
    }
    this.refresh();
    this.#toEnd();
  }

  /** Brings the view up to date, touching only what changed. */
  refresh() {
    const channel = this.state.channel(this.id);
    if (!channel) return;
    this.#head(channel);
    const atEnd = this.list.scrollHeight - this.list.scrollTop - this.list.clientHeight < NEAR_PX;
    this.#messages();
    this.composer.show(channel, this.state.of(this.id).length === 0);
    const typing = channel.typing.length ? `${channel.typing.join(", ")} is typing…` : "";
    if (this.typing.textContent !== typing) this.typing.textContent = typing;
    if (atEnd) this.#toEnd();
  }

  /** @param {Channel} channel */
  #head(channel) {
    const sign = channel.type === "dm" ? "@ " : channel.parent ? "↳ " : "# ";
    this.title.replaceChildren(h("span.sign", { "aria-hidden": "true" }, sign), channel.name);
    const words = channel.archived ? "archived" : channel.topic;
    this.topic.textContent = words;
    this.topic.hidden = !words;
  }

  #messages() {
    const messages = this.state.of(this.id);
    const wanted = new Set(messages.map((each) => each.id));
    for (const [id, { element }] of this.shown) {
      if (wanted.has(id)) continue;
      element.remove();
      this.shown.delete(id);
    }
    /** @type {HTMLElement | null} */
    let last = this.#intro();
    messages.forEach((message, index) => {
      const element = this.#element(message, continues(messages[index - 1], message));
      if (last ? last.nextSibling !== element : this.list.firstChild !== element) {
        this.list.insertBefore(element, last ? last.nextSibling : this.list.firstChild);
      }
      last = element;
    });
  }

  #intro() {
    const channel = this.state.channel(this.id);
    const first = this.list.firstElementChild;
    if (first instanceof HTMLElement && first.classList.contains("intro")) return first;
    const name = channel?.type === "dm" ? channel.name : `#${channel?.name ?? ""}`;
    const intro = h("div.intro", {}, h("h2", {}, `Welcome to ${name}`), h("p", {}, "This is the beginning of it. Nothing here leaves your machine."));
    this.list.prepend(intro);
    return intro;
  }

  /** @param {Message} message @param {boolean} continued */
  #element(message, continued) {
    const thread = message.thread ? this.context.thread(message.thread) : null;
    const busy = this.state.view?.pending.filter((each) => each.message === message.id);
    const key = JSON.stringify([message.version, continued, thread, busy, this.context.failure(message.id)]);
    const known = this.shown.get(message.id);
    if (known?.key === key) return known.element;
    const element = messageElement(message, continued, this.context);
    const focused = known && known.element.contains(document.activeElement);
    known?.element.replaceWith(element);
    if (focused) this.list.focus({ preventScroll: true });
    this.shown.set(message.id, { key, element });
    return element;
  }

  #toEnd() {
    this.list.scrollTop = this.list.scrollHeight;
  }
}
