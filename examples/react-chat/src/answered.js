const isTool = (part) => part.type.startsWith("tool-") || part.type === "dynamic-tool";
const OUTPUTS = ["output-available", "output-error"];

/**
 * When to send by itself: something is answered, and no approval of yours is still asked.
 *
 * Not the SDK's `lastAssistantMessageIsComplete…`: it waits for every call of the message, also for
 * one that somebody else decides or that needs a form, and your answers would never be sent.
 */
export function isAnswered({ messages }) {
  const parts = messages.at(-1)?.role === "assistant" ? messages.at(-1).parts : [];
  const tools = parts.filter(isTool);
  if (tools.some((part) => part.state === "approval-requested")) return false;

  // A result is supplied if the call has one here that the server still asks for.
  const wanted = parts
    .filter((part) => part.type === "data-request" && part.data.status === "open")
    .filter((part) => part.data.kind === "result" && part.data.mine)
    .map((part) => part.data.toolCallId);
  return tools.some(
    (part) =>
      part.state === "approval-responded" ||
      (OUTPUTS.includes(part.state) && !part.preliminary && wanted.includes(part.toolCallId)),
  );
}
