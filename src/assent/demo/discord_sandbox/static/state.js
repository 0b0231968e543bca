// What one person sees: a stream of changes from the sandbox, and what they do there.

/**
 * @typedef {import("./messages.js").Message} Message
 * @typedef {import("./messages.js").Person} Person
 * @typedef {{id: string, type: string, name: string, topic: string, parent: string,
 *   archived: boolean, locked: boolean, count: number, typing: string[]}} Channel
 * @typedef {{version: number, first: boolean, guild: string, me: Person, bot: string,
 *   people: Person[], channels: Channel[], messages: Message[],
 *   removed: {channel: string, message: string}[], modal: Record<string, any> | null,
 *   pending: {message: string, custom_id: string}[], online: boolean, suggestions: string[],
 *   failures: {message: string, text: string}[], commands: Record<string, any>[]}} View
 */

export class State {
  /** @param {(changed: Set<string>) => void} changed called with the channels that changed */
  constructor(changed) {
    this.changed = changed;
    /** @type {View | null} */
    this.view = null;
    /** @type {Map<string, Map<string, Message>>} */
    this.messages = new Map();
    this.connected = false;
    /** @type {EventSource | null} */
    this.source = null;
  }

  /** Follows what a person sees. @param {string} person */
  follow(person) {
    this.source?.close();
    this.source = new EventSource(`/sandbox/stream?as=${encodeURIComponent(person)}`);
    this.source.onmessage = (event) => this.#take(JSON.parse(event.data));
    this.source.onerror = () => {
      this.connected = false;
      this.changed(new Set());
    };
  }

  /** @param {string} channel @returns {Message[]} oldest first */
  of(channel) {
    return [...(this.messages.get(channel)?.values() ?? [])].sort((a, b) => (older(a.id, b.id) ? -1 : 1));
  }

  /** @param {string} id */
  channel(id) {
    return this.view?.channels.find((each) => each.id === id);
  }

  /** Does something as the person. Resolves to a problem in words, or to nothing. */
  /** @param {string} action @param {Record<string, unknown>} body @returns {Promise<string>} */
  async act(action, body) {
    const text = JSON.stringify({ as: this.view?.me.id, ...body });
    const headers = { "Content-Type": "application/json" };
    try {
      const response = await fetch(`/sandbox/${action}`, { method: "POST", headers, body: text });
      if (response.ok) return "";
      return response.status === 409 ? (await response.json()).problem : "The sandbox did not take this";
    } catch {
      return "The sandbox does not answer";
    }
  }

  /** @param {View} view */
  #take(view) {
    /** @type {Set<string>} */
    const touched = new Set(view.messages.map((each) => each.channel));
    if (view.first) this.messages.clear();
    const before = new Map((this.view?.pending ?? []).map((each) => [each.message, true]));
    this.view = view;
    this.connected = true;
    for (const message of view.messages) {
      const known = this.messages.get(message.channel) ?? new Map();
      this.messages.set(message.channel, known.set(message.id, message));
    }
    for (const gone of view.removed) {
      touched.add(gone.channel);
      if (gone.message) this.messages.get(gone.channel)?.delete(gone.message);
      else this.messages.delete(gone.channel);
    }
    for (const each of view.pending) before.set(each.message, true);
    for (const each of view.failures) before.set(each.message, true);
    for (const [channel, known] of this.messages) {
      if ([...before.keys()].some((id) => known.has(id))) touched.add(channel);
    }
    this.changed(touched);
  }
}

/** Compares ids, which are too large for numbers. @param {string} one @param {string} two */
export function older(one, two) {
  return one.length === two.length ? one < two : one.length < two.length;
}
