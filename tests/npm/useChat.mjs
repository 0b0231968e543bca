// AI SDK 4: its real React hook, rendered without a page.
import React from "react";
import { act, create } from "react-test-renderer";
import { useChat } from "ai4-react";
import { filled } from "./steps.mjs";

const [scenario, base, key] = process.argv.slice(2);
globalThis.IS_REACT_ACT_ENVIRONMENT = true;
const headers = { Authorization: `Bearer ${key}` };
const api = `${base}/api/qa/chat_streamed`;
const requests = [];
const errors = [];
let chat;

async function watched(url, init = {}) {
  const answer = await fetch(url, init);
  requests.push({ method: init.method ?? "GET", url: String(url), status: answer.status });
  if (requests.length > 20) throw new Error("the client does not stop sending");
  return answer;
}

function Page() {
  chat = useChat({
    id: "thread-1",
    api,
    headers,
    fetch: watched,
    maxSteps: 5,
    onError: (error) => errors.push(error.message),
  });
  return null;
}

async function until(holds, what) {
  for (let i = 0; i < 1000; i++) {
    if (holds()) return;
    await act(() => new Promise((done) => setTimeout(done, 10)));
  }
  const state = { status: chat.status, errors, requests, messages: chat.messages };
  throw new Error(`never happened: ${what}; ${JSON.stringify(state).slice(0, 1000)}`);
}

const last = () => chat.messages.at(-1);
const quiet = () => chat.status === "ready" || chat.status === "error";
const invocations = () => last()?.toolInvocations ?? [];

/** The calls that an AI SDK 4 frontend shows: those whose newest annotation is pending. */
function pending() {
  const newest = new Map();
  for (const each of last()?.annotations ?? []) newest.set(each.toolCallId, each.validated);
  return invocations().filter(
    (call) => call.state === "call" && newest.get(call.toolCallId) === "pending",
  );
}

async function say(text) {
  await act(() => chat.append({ role: "user", content: text }));
  await until(quiet, "an answer");
}

async function decide(call, isValidated, validatedInputs = call.args) {
  const answer = await fetch(`${base}/api/qa/validate_tool`, {
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify({ toolCallId: call.toolCallId, validatedInputs, isValidated }),
  });
  const { result } = await answer.json();
  await act(async () => chat.addToolResult({ toolCallId: call.toolCallId, result }));
  return result;
}

const scenarios = {
  async approve() {
    await say("go");
    const posts = requests.length;
    const shown = pending();
    const results = [await decide(shown[0], true)];
    await until(() => quiet() && requests.length > posts, "the continuation");
    return { posts, shown, results };
  },

  async both() {
    await say("go");
    const shown = pending();
    const results = [await decide(shown[0], true), await decide(shown[1], false)];
    await until(() => quiet() && requests.length > 1, "the continuation");
    return { shown, results };
  },

  async edit() {
    await say("go");
    const shown = pending();
    const results = [await decide(shown[0], true, { target: "b" })];
    await until(() => quiet() && requests.length > 1, "the continuation");
    return { shown, results };
  },

  async files() {
    const bytes = Uint8Array.from([0x89, 80, 78, 71, 13, 10, 26, 10, ...Array(256).keys()]);
    const url = `data:image/png;base64,${Buffer.from(bytes).toString("base64")}`;
    const experimental_attachments = [{ name: "cat.png", contentType: "image/png", url }];
    await act(() => chat.append({ role: "user", content: "go" }, { experimental_attachments }));
    await until(quiet, "an answer");
  },

  /** A form in steps is in the annotation; once it is sent, the call is said to be answered. */
  async steps() {
    await say("go");
    const [{ requestId: id, user_input_request: form }] = last().annotations;
    const { steps, required_fields: fields } = form;
    const entered = JSON.parse(process.argv[5]);
    const walked = await filled({ base, headers, id, steps, fields, entered });
    const [{ toolCallId }] = invocations();
    await act(async () => chat.addToolResult({ toolCallId, result: "answered" }));
    await until(() => quiet() && requests.length > 1, "the continuation");
    return walked;
  },

  async disconnect() {
    let sending;
    await act(async () => {
      sending = chat.append({ role: "user", content: "go" });
    });
    await until(() => last()?.role === "assistant" && last().content.includes(" "), "some words");
    await act(async () => chat.stop());
    await sending;
    const seen = last().content;
    await act(async () => chat.setMessages([chat.messages[0]]));
    await act(async () => chat.experimental_resume());
    await until(() => quiet() && last()?.role === "assistant", "the rest");
    return { seen };
  },
};

await act(async () => create(React.createElement(Page)));
const more = await scenarios[scenario]();
const { messages, status } = chat;
const statuses = requests.map((each) => each.status);
console.log(JSON.stringify({ messages, status, statuses, errors, ...more }));
process.exit(0);
