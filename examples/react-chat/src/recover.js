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
