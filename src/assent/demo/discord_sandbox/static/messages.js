// One message: who, when, text, embeds, components, and what became of a press.
import { colour, components } from "./components.js";
import { avatar, h } from "./dom.js";
import { markdown } from "./markdown.js";

/**
 * @typedef {import("./markdown.js").Names} Names
 * @typedef {{id: string, name: string, bot: boolean}} Person
 * @typedef {{
 *   id: string, channel: string, version: number, author: Person, at: string, edited: boolean,
 *   content: string, embeds: Record<string, any>[], components: Record<string, any>[],
 *   ephemeral: boolean, loading: boolean, mentioned: boolean, thread: string,
 *   reply: {author: Person, text: string} | null, command?: {user: string},
 * }} Message
 * @typedef {{
 *   names: Names,
 *   people: Person[],
 *   thread: (id: string) => {id: string, name: string, count: number} | undefined,
 *   pending: (message: string, customId: string) => boolean,
 *   failure: (message: string) => string,
 *   press: (message: Message, customId: string) => void,
 *   choose: (message: Message, customId: string, values: string[]) => void,
 *   dismiss: (message: Message) => void,
 *   open: (channel: string) => void,
 * }} Context
 */

const TOGETHER_MS = 7 * 60 * 1000;
const CLOCK = new Intl.DateTimeFormat(undefined, { timeStyle: "short" });
const DAY = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

/**
 * Tells whether a message continues the one above it, so that it needs no heading.
 * @param {Message | undefined} above @param {Message} message
 */
export function continues(above, message) {
  return (
    above !== undefined &&
    above.author.id === message.author.id &&
    above.ephemeral === message.ephemeral &&
    !message.reply &&
    !message.command &&
    Date.parse(message.at) - Date.parse(above.at) < TOGETHER_MS
  );
}

/**
 * Renders a message.
 * @param {Message} message @param {boolean} continued @param {Context} context
 */
export function messageElement(message, continued, context) {
  const element = h("article.message", {
    data: { id: message.id },
    "aria-label": `${message.author.name}, ${when(message.at)}`,
  });
  element.classList.toggle("continued", continued);
  element.classList.toggle("ephemeral", message.ephemeral);
  element.classList.toggle("mentioned", message.mentioned && !message.author.bot);
  if (message.reply) element.append(answered(message.reply));
  if (message.command) element.append(h("p.reply", {}, `${message.command.user} used a command`));
  if (!continued) element.append(avatar(message.author), heading(message));
  element.append(h("div.body", {}, ...body(message, context)));
  return element;
}

/** @param {Message} message */
function heading(message) {
  return h(
    "header",
    {},
    h("span.author", {}, message.author.name),
    message.author.bot && h("span.badge", {}, "APP"),
    h("time", { datetime: message.at, title: DAY.format(new Date(message.at)) }, when(message.at)),
  );
}

/** @param {{author: Person, text: string}} reply */
function answered(reply) {
  return h("p.reply", {}, h("strong", {}, `@${reply.author.name}`), ` ${reply.text}`);
}

/** @param {Message} message @param {Context} context */
function* body(message, context) {
  if (message.loading) yield h("p.thinking", {}, h("span.dots", {}, "•••"), ` ${message.author.name} is thinking…`);
  if (message.content) {
    const text = h("div.text", {}, markdown(message.content, context.names));
    if (message.edited) text.append(h("span.edited", {}, "(edited)"));
    yield text;
  }
  for (const each of message.embeds) yield embed(each, context.names);
  yield* components(message.components, {
    names: context.names,
    people: context.people,
    isPending: (customId) => context.pending(message.id, customId),
    press: (customId) => context.press(message, customId),
    choose: (customId, values) => context.choose(message, customId, values),
  });
  const failure = context.failure(message.id);
  if (failure) yield h("p.failure", { role: "alert" }, failure);
  if (message.ephemeral) yield onlyYou(message, context);
  const thread = message.thread ? context.thread(message.thread) : undefined;
  if (thread) yield threadCard(thread, context);
}

/** @param {Message} message @param {Context} context */
function onlyYou(message, context) {
  const dismiss = h("button.plain", { type: "button", click: () => context.dismiss(message) }, "Dismiss message");
  return h("p.only-you", {}, "Only you can see this • ", dismiss);
}

/** @param {{id: string, name: string, count: number}} thread @param {Context} context */
function threadCard(thread, context) {
  const count = `${thread.count} message${thread.count === 1 ? "" : "s"} ›`;
  return h(
    "button.thread-card",
    { type: "button", click: () => context.open(thread.id) },
    h("strong", {}, thread.name),
    h("span", {}, count),
  );
}

/** @param {Record<string, any>} one @param {Names} names */
function embed(one, names) {
  const made = h(
    "div.embed",
    {},
    one.author?.name && h("p.embed-author", {}, one.author.name),
    one.title && h("p.embed-title", {}, markdown(one.title, names)),
    one.description && h("div.text", {}, markdown(one.description, names)),
    one.fields?.length && h("div.fields", {}, ...one.fields.map((/** @type {any} */ each) => field(each, names))),
    // Pictures are named and not loaded: nothing here reaches out to other machines.
    (one.image || one.thumbnail) && h("p.subtext", {}, "(picture)"),
    one.footer?.text && h("p.embed-footer", {}, one.footer.text),
  );
  if (typeof one.color === "number") made.style.setProperty("--accent", colour(one.color));
  return made;
}

/** @param {{name: string, value: string, inline?: boolean}} one @param {Names} names */
function field(one, names) {
  return h(
    one.inline ? "div.field.inline" : "div.field",
    {},
    h("p.field-name", {}, markdown(one.name, names)),
    h("div.text", {}, markdown(one.value, names)),
  );
}

/** @param {string} at */
function when(at) {
  const date = new Date(at);
  const today = new Date().toDateString() === date.toDateString();
  return today ? CLOCK.format(date) : DAY.format(date);
}
