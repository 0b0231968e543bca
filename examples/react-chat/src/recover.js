/** A refusal is a JSON problem: its detail says what happened and what to do. */
export function problem(error) {
  try {
    return JSON.parse(error.message);
  } catch {
    return { detail: error.message };
  }
}

/** Whether a message was refused because calls still wait for a decision (409). */
export const isPending = (error) => problem(error).code === "pending_calls";

/** Whether an approval was refused because its value has to be typed as well (422). */
export const wantsTyping = (error) => problem(error).code === "confirmation_required";

/** Sends the refused answers again; `typed` is what a person wrote to confirm this one. */
export function confirm(chat, id, typed) {
  chat.clearError();
  chat.setMessages(changed(id, (part) => ({ ...part, approval: { ...part.approval, typed } })));
  return chat.sendMessage();
}

/** Takes the refused approval back, so that it is asked again. */
export function askAgain(chat, id) {
  chat.clearError();
  chat.setMessages(
    changed(id, (part) => ({
      ...part,
      state: "approval-requested",
      approval: { id, descriptor: part.approval.descriptor },
    })),
  );
}

const changed = (id, change) => (messages) =>
  messages.map((message) => ({
    ...message,
    parts: message.parts.map((part) => (part.approval?.id === id ? change(part) : part)),
  }));

/** Takes the refused message back, so that what waits can be decided; answers its text. */
export function takeBack(chat) {
  const refused = chat.messages.at(-1);
  chat.setMessages(chat.messages.slice(0, -1));
  chat.clearError();
  return refused.parts.map((part) => part.text ?? "").join("");
}

/** Sends the refused message after all; what waits is cancelled. */
export function insist(chat) {
  const text = takeBack(chat);
  return chat.sendMessage({ text }, { body: { onPending: "supersede" } });
}
