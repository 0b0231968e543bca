const AT_REST = ["idle", "interrupted"];

/**
 * What was said before, as `useChat({ id, messages, resume: true })` wants it on a reloaded page.
 *
 * Of a turn that goes on or waits only the question: resuming tells its answer from the start.
 */
export async function history(id, { base = "", headers = {} } = {}) {
  const answer = await fetch(`${base}/api/conversations/${encodeURIComponent(id)}`, { headers });
  // A new chat is not there yet; whatever else went wrong is no reason to show an empty one.
  if (answer.status === 404) return [];
  if (!answer.ok) throw new Error(`The conversation cannot be read: ${answer.status}`);
  const { messages, status } = await answer.json();
  const live = AT_REST.includes(status) ? null : messages.at(-1)?.turn_id;
  return messages
    .filter((each) => each.role === "user" || each.turn_id !== live)
    .map(({ id, role, text, files }) => ({
      id,
      role,
      parts: [...files.map(shown), ...(text ? [{ type: "text", text }] : [])],
    }));
}

/** A file of a message, under an address by which it can be sent again. */
function shown({ name, kind, sha256 }) {
  return { type: "file", mediaType: kind, filename: name, url: `sha256:${sha256}` };
}
