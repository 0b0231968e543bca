import { getToolName } from "ai";
import { useState } from "react";
import { isBusy } from "./busy.js";

const STATES = {
  "input-streaming": "is being written",
  "input-available": "waits",
  "approval-requested": "asks for your approval",
  "approval-responded": "is on its way",
  "output-available": "ran",
  "output-error": "did not work",
  "output-denied": "was rejected",
};

/** A tool call: what it is called with, exactly; and, while it waits for it, your decision. */
export function Approval({ part, chat, isLast }) {
  const wasAsked = part.state === "approval-requested";
  const asks = wasAsked && isLast;
  const descriptor = part.approval?.descriptor;
  return (
    <section className={asks ? "asks" : "call"}>
      <h2>
        <code>{getToolName(part)}</code>{" "}
        {wasAsked && !asks ? "was not decided" : (STATES[part.state] ?? part.state)}
        {asks && descriptor && <strong> {descriptor.risk}</strong>}
      </h2>
      <pre>{JSON.stringify(part.input, null, 2)}</pre>
      {asks && <Decision approval={part.approval} chat={chat} />}
      {part.state === "output-available" && <pre>{shown(part.output)}</pre>}
      {part.state === "output-error" && <p>{part.errorText}</p>}
    </section>
  );
}

function Decision({ approval, chat }) {
  const { id, descriptor } = approval;
  const [reason, setReason] = useState("");
  const [isAsked, setAsked] = useState(false);
  const decide = (approved) => chat.addToolApprovalResponse({ id, approved, reason });
  // What takes more than a click is asked once more; the server cannot see whether it was.
  const approve = () => (descriptor?.confirmation === "click" ? decide(true) : setAsked(true));
  return (
    <p>
      <input
        aria-label="Why not?"
        placeholder="Why not? (the agent is told)"
        value={reason}
        onChange={(event) => setReason(event.target.value)}
      />
      <button type="button" disabled={isBusy(chat)} onClick={() => decide(false)}>
        Reject
      </button>
      {isAsked ? (
        <button type="button" disabled={isBusy(chat)} onClick={() => decide(true)}>
          Yes, run it: {descriptor?.risk}
        </button>
      ) : (
        <button type="button" className="approve" disabled={isBusy(chat)} onClick={approve}>
          Approve
        </button>
      )}
    </p>
  );
}

function shown(output) {
  return typeof output === "string" ? output : JSON.stringify(output, null, 2);
}
