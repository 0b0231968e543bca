// The page: channels on the left, a channel and perhaps a thread, and who is there.
import { ChannelView } from "./channel_view.js";
import { avatar, byId, h } from "./dom.js";
import { tick } from "./markdown.js";
import { ModalDialog } from "./modal.js";
import { State, older } from "./state.js";

/**
 * @typedef {import("./state.js").Channel} Channel
 * @typedef {import("./messages.js").Message} Message
 * @typedef {import("./messages.js").Person} Person
 */

const TICK_MS = 1000;
const SAID_MS = 4000;

class Page {
  constructor() {
    this.app = byId("app");
    this.state = new State((changed) => this.#refresh(changed));
    this.modal = new ModalDialog();
    this.channel = "";
    this.thread = "";
    // The thread that was opened without a click, what is said for some seconds, and what remains.
    this.followed = "";
    this.lasting = "";
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.said = undefined;
    /** @type {Map<string, string>} the newest message that was seen in each channel */
    this.read = new Map();
    const menu = h("button.icon.menu", { type: "button", "aria-label": "Channels", click: () => this.#drawer(true) }, "☰");
    const close = h("button.icon", { type: "button", "aria-label": "Close thread", click: () => this.#open("") }, "✕");
    const context = this.#context();
    this.main = new ChannelView(byId("main"), this.state, context, { before: menu, after: null });
    this.side = new ChannelView(byId("thread"), this.state, context, { before: null, after: close });
    const { hash } = location;
    const wanted = new URLSearchParams(hash.slice(1));
    this.channel = wanted.get("channel") ?? "";
    this.thread = wanted.get("thread") ?? "";
    this.state.follow(wanted.get("as") ?? "");
    setInterval(tick, TICK_MS);
    document.addEventListener("click", (event) => {
      const inside = event.target instanceof Element && event.target.closest(".sidebar, .menu");
      if (!inside) this.#drawer(false);
    });
  }

  /** @returns {import("./messages.js").Context} */
  #context() {
    const page = this;
    const act = async (/** @type {string} */ action, /** @type {Message} */ message, /** @type {object} */ body) => {
      this.#say(await this.state.act(action, { channel: message.channel, message: message.id, ...body }));
    };
    return {
      get names() {
        return page.#names();
      },
      get people() {
        return page.state.view?.people.filter((each) => !each.bot) ?? [];
      },
      thread: (id) => this.state.channel(id),
      pending: (id, customId) => this.state.view?.pending.some((each) => each.message === id && each.custom_id === customId) ?? false,
      failure: (id) => this.#failure(id),
      press: (message, customId) => void act("press", message, { custom_id: customId }),
      choose: (message, customId, values) => void act("choose", message, { custom_id: customId, values }),
      dismiss: (message) => void act("dismiss", message, {}),
      open: (id) => this.#open(id),
    };
  }

  #names() {
    const view = this.state.view;
    return {
      users: new Map(view?.people.map((each) => [each.id, each.name])),
      channels: new Map(view?.channels.map((each) => [each.id, each.name])),
    };
  }

  /** @param {string} message */
  #failure(message) {
    return this.state.view?.failures.filter((each) => each.message === message).pop()?.text ?? "";
  }

  /** @param {Set<string>} changed */
  #refresh(changed) {
    const view = this.state.view;
    this.#connection();
    if (!view) return;
    document.title = `${view.guild} · Discord sandbox`;
    const texts = view.channels.filter((each) => each.type === "text");
    if (!this.state.channel(this.channel)) this.channel = texts[0]?.id ?? view.channels[0]?.id ?? "";
    if (!this.state.channel(this.thread)) this.thread = "";
    this.#follow(changed);
    if (this.main.id !== this.channel) this.main.show(this.channel);
    else this.main.refresh();
    this.#side();
    for (const id of [this.channel, this.thread]) this.#seen(id);
    this.#sidebar();
    this.#people();
    this.modal.show(view.modal, {
      names: this.#names(),
      people: view.people,
      submit: (values) => this.state.act("submit", { values }),
      dismiss: () => void this.state.act("dismiss", {}),
    });
  }

  /** Opens the thread that answers what this person has just said. @param {Set<string>} changed */
  #follow(changed) {
    const view = this.state.view;
    if (!view || view.first || !changed.has(this.channel)) return;
    const mine = this.state.of(this.channel).pop();
    if (mine?.author.id === view.me.id && mine.thread && this.followed !== mine.thread) {
      this.followed = mine.thread;
      this.thread = mine.thread;
    }
  }

  #side() {
    byId("thread").hidden = !this.thread;
    this.app.classList.toggle("with-thread", this.thread !== "");
    if (!this.thread) this.side.id = "";
    else if (this.side.id !== this.thread) this.side.show(this.thread);
    else this.side.refresh();
    this.#remember();
  }

  #remember() {
    const parts = new URLSearchParams({ as: this.state.view?.me.id ?? "", channel: this.channel });
    if (this.thread) parts.set("thread", this.thread);
    if (location.hash.slice(1) !== parts.toString()) history.replaceState(null, "", `#${parts}`);
  }

  /** @param {string} id a channel, a thread, or nothing to close the thread */
  #open(id) {
    const channel = this.state.channel(id);
    if (channel?.parent) {
      this.thread = id;
      this.channel = channel.parent;
    } else {
      this.thread = "";
      if (channel) this.channel = id;
    }
    this.#drawer(false);
    this.#refresh(new Set());
    if (channel && !channel.parent) this.main.show(id);
  }

  /** @param {string} id */
  #seen(id) {
    const last = this.state.of(id).pop();
    if (last) this.read.set(id, last.id);
  }

  /** @param {Channel} channel */
  #unread(channel) {
    const read = this.read.get(channel.id) ?? "";
    const fresh = this.state.of(channel.id).filter((each) => older(read, each.id) && each.author.id !== this.state.view?.me.id);
    return { any: fresh.length > 0, mentions: fresh.filter((each) => each.mentioned || channel.type === "dm").length };
  }

  #sidebar() {
    const view = this.state.view;
    if (!view) return;
    const tops = view.channels.filter((each) => each.type === "text");
    const direct = view.channels.filter((each) => each.type === "dm");
    const threads = (/** @type {Channel} */ parent) => view.channels.filter((each) => each.parent === parent.id && !each.archived);
    replace(byId("sidebar"), [
      h("header.guild", {}, h("strong", {}, view.guild), h("span.badge.quiet", {}, "SANDBOX")),
      h(
        "div.channels",
        {},
        h("h2", {}, "Text channels"),
        ...tops.flatMap((each) => [this.#channel(each, "#"), ...threads(each).map((thread) => this.#channel(thread, "↳"))]),
        direct.length > 0 && h("h2", {}, "Direct messages"),
        ...direct.map((each) => this.#channel({ ...each, name: view.people.find((one) => one.bot)?.name ?? each.name }, "@")),
      ),
      this.#account(view.me, view.people),
    ]);
  }

  /** @param {Channel} channel @param {string} sign */
  #channel(channel, sign) {
    const { any, mentions } = this.#unread(channel);
    const current = channel.id === (this.thread || this.channel);
    const item = h(
      "button.channel",
      { type: "button", "aria-current": current ? "page" : undefined, click: () => this.#open(channel.id), data: { key: channel.id } },
      h("span.sign", { "aria-hidden": "true" }, sign),
      h("span.name", {}, channel.name),
      mentions > 0 && h("span.count", { "aria-label": `${mentions} new for you` }, String(mentions)),
    );
    item.classList.toggle("unread", any && !current);
    item.classList.toggle("nested", channel.parent !== "");
    return item;
  }

  /** @param {Person} me @param {Person[]} people */
  #account(me, people) {
    const choose = h(
      "select",
      { "aria-label": "Who you are", change: (/** @type {Event} */ event) => this.#become(/** @type {HTMLSelectElement} */ (event.target).value), data: { key: "account" } },
      ...people.filter((each) => !each.bot).map((each) => h("option", { value: each.id, selected: each.id === me.id }, each.name)),
    );
    return h("footer.account", {}, avatar(me), h("span.who", {}, h("span.subtext", {}, "You are"), choose));
  }

  /** @param {string} person */
  #become(person) {
    this.read.clear();
    this.state.follow(person);
  }

  #people() {
    const view = this.state.view;
    if (!view) return;
    const group = (/** @type {string} */ name, /** @type {Person[]} */ people) => [
      h("h2", {}, `${name} — ${people.length}`),
      ...people.map((each) => h("p.person", {}, avatar(each), h("span.name", {}, each.name), each.bot && h("span.badge", {}, "APP"))),
    ];
    const bots = view.people.filter((each) => each.bot);
    replace(byId("people"), [
      ...group(view.online ? "App, online" : "App, offline", bots),
      ...group("Members", view.people.filter((each) => !each.bot)),
    ]);
    byId("people").classList.toggle("offline", !view.online);
  }

  #connection() {
    const words = !this.state.connected
      ? "The sandbox does not answer. Trying again…"
      : this.state.view && !this.state.view.online
        ? "The bot is not connected"
        : "";
    this.lasting = words;
    if (!this.said) this.#status(words);
  }

  /** Says something for some seconds. @param {string} words */
  #say(words) {
    if (!words) return;
    clearTimeout(this.said);
    this.#status(words);
    this.said = setTimeout(() => {
      this.said = undefined;
      this.#status(this.lasting);
    }, SAID_MS);
  }

  /** @param {string} words */
  #status(words) {
    const line = byId("status");
    line.textContent = words;
    line.hidden = !words;
  }

  /** @param {boolean} open */
  #drawer(open) {
    this.app.classList.toggle("with-channels", open);
  }
}

/**
 * Replaces children without losing the focus, and only if they look different.
 * @param {HTMLElement} parent @param {Node[]} children
 */
function replace(parent, children) {
  const fresh = h("div", {}, ...children);
  if (parent.innerHTML === fresh.innerHTML) return;
  const focused = document.activeElement;
  const key = focused instanceof HTMLElement && parent.contains(focused) ? focused.dataset.key : undefined;
  parent.replaceChildren(...children);
  if (key) /** @type {HTMLElement | null} */ (parent.querySelector(`[data-key="${CSS.escape(key)}"]`))?.focus();
}

new Page();
