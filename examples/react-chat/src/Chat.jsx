import { useChat } from "@ai-sdk/react";
import {
  DefaultChatTransport,
  isToolUIPart,
  lastAssistantMessageIsCompleteWithApprovalResponses,
} from "ai";
import { useState } from "react";
import { Approval } from "./Approval.jsx";
import { isBusy } from "./busy.js";
import { Question } from "./Question.jsx";

const transport = new DefaultChatTransport({ api: "/api/chat" });

/** A chat with the server's agent; whatever it asks is decided right here. */
export function Chat() {
  const chat = useChat({
    transport,
    // Once every approval of a message is answered, the answers are sent by themselves.
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
  });
  return (
    <main>
      <h1>A chat that asks first</h1>
      <ol aria-live="polite">
        {chat.messages.map((message) => (
          <li key={message.id} className={message.role}>
            {message.parts.map((part, index) => (
              <Part key={index} part={part} chat={chat} />
            ))}
          </li>
        ))}
      </ol>
      {chat.error && <p role="alert">{problem(chat.error)}</p>}
      <Say chat={chat} />
    </main>
  );
}

function Part({ part, chat }) {
  if (part.type === "text") return <p>{part.text}</p>;
  if (part.type === "data-request") return <Question asked={part.data} chat={chat} />;
  if (isToolUIPart(part)) return <Approval part={part} chat={chat} />;
  return null;
}

function Say({ chat }) {
  const [text, setText] = useState("");
  const busy = isBusy(chat);

  function send(event) {
    event.preventDefault();
    if (!text.trim()) return;
    chat.sendMessage({ text });
    setText("");
  }

  return (
    <form onSubmit={send}>
      <input
        aria-label="Message"
        placeholder="Perform a dangerous operation on test.txt"
        value={text}
        onChange={(event) => setText(event.target.value)}
      />
      {busy ? (
        <button type="button" onClick={() => chat.stop()}>
          Stop reading
        </button>
      ) : (
        <button>Send</button>
      )}
    </form>
  );
}

/** A refusal is a JSON problem whose detail says what happened and what to do. */
function problem(error) {
  try {
    return JSON.parse(error.message).detail;
  } catch {
    return error.message;
  }
}
