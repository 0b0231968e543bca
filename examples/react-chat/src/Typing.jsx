import { useState } from "react";
import { askAgain, confirm, problem } from "./recover.js";

/** What has to be typed before the server takes an approval; it says what. */
export function Typing({ chat }) {
  const { detail, request_id: id, to_type: wanted } = problem(chat.error);
  const [typed, setTyped] = useState("");

  function send(event) {
    event.preventDefault();
    confirm(chat, id, typed);
  }

  return (
    <form role="alert" onSubmit={send}>
      <p>{detail}</p>
      <input
        aria-label="Type it"
        placeholder={wanted}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
      <button type="button" onClick={() => askAgain(chat, id)}>
        Go back
      </button>
      <button className="approve">Confirm</button>
    </form>
  );
}
