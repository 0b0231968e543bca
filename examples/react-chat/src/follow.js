/** After a decision at our own endpoint: read what the agent makes of it. */
export async function follow(chat, turnId, { base = "", headers = {} } = {}) {
  const turn = await (await fetch(`${base}/api/turns/${turnId}`, { headers })).json();
  // Sent without a new message, it goes on where the last message ends.
  if (turn.pending.length === 0) return chat.sendMessage();

  // Something still waits, or waits anew. A resumed stream tells the turn from its start, so what
  // is shown of it makes way first; if there is nothing to resume any more, it comes back.
  const before = chat.messages;
  chat.setMessages(before.slice(0, -1));
  await chat.resumeStream();
  chat.setMessages((now) => (now.at(-1)?.role === "assistant" ? now : before));
}
