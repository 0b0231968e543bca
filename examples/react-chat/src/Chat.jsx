import { useChat } from "@ai-sdk/react";
import { DefaultChatTransport, isToolUIPart } from "ai";
import { useState } from "react";
import { isAnswered } from "./answered.js";
import { Approval } from "./Approval.jsx";
import { isBusy } from "./busy.js";
import { Question } from "./Question.jsx";
import { insist, isPending, problem, takeBack, wantsTyping } from "./recover.js";
import { Typing } from "./Typing.jsx";

const transport = new DefaultChatTransport({ api: "/api/chat" });

/** A chat with the server's agent; whatever it asks is decided right here. */
export function Chat() {
  const chat = useChat({
    transport,
    // Once every approval of yours is answered, the answers are sent by themselves.
    sendAutomaticallyWhen: isAnswered,
  });
  return (
    <main>
      <h1>A chat that asks first</h1>
      <ol aria-live="polite">
        {chat.messages.map((message) => (
          <li key={message.id} className={message.role}>
            {message.parts.map((part, index) => (
              <Part
                key={index}
                part={part}
                chat={chat}
                // The client answers its last message only; in older ones nothing waits any more.
                isLast={message === chat.messages.at(-1)}
              />
            ))}
          </li>
        ))}
      </ol>
      {chat.error && <Refusal chat={chat} />}
      <Say chat={chat} />
    </main>
  );
}

function Part({ part, chat, isLast }) {
  if (part.type === "text") return <p>{part.text}</p>;
  if (part.type === "data-request") return isLast && <Question asked={part.data} chat={chat} />;
  if (isToolUIPart(part)) return <Approval part={part} chat={chat} isLast={isLast} />;
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

function Refusal({ chat }) {
  if (wantsTyping(chat.error)) return <Typing chat={chat} />;
  return (
    <div role="alert">
      <p>{problem(chat.error).detail}</p>
      {isPending(chat.error) && (
        <p>
          <button type="button" onClick={() => takeBack(chat)}>
            Decide first
          </button>
          <button type="button" onClick={() => insist(chat)}>
            Cancel them and send
          </button>
        </p>
      )}
    </div>
  );
}
