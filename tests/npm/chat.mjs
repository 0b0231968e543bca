// AI SDK 5, 6 and 7: the package's own chat and transport, without a page around them.
import { createInterface } from "node:readline";
import { filled } from "./steps.mjs";

const [major, scenario, base, key] = process.argv.slice(2);
const ai = await import(`ai${major}`);
// What the example and the guide ship.
const { isAnswered } = await import(`${process.env.REACT_CHAT}/answered.js`);
const { history } = await import(`${process.env.REACT_CHAT}/history.js`);

/** The state that a framework would hold; nothing of the client is replaced. */
class PlainState {
  status = "ready";
  error = undefined;
  constructor(messages) {
    this.messages = messages;
  }
  pushMessage = (message) => (this.messages = [...this.messages, message]);
  popMessage = () => (this.messages = this.messages.slice(0, -1));
  replaceMessage = (index, message) => {
    this.messages = this.messages.map((each, i) => (i === index ? this.snapshot(message) : each));
  };
  snapshot = (value) => structuredClone(value);
}

class PlainChat extends ai.AbstractChat {
  constructor({ messages = [], ...init }) {
    super({ ...init, state: new PlainState(messages) });
  }
}

/** Every request that the client made: its method, body and the answer's status. */
const requests = [];

async function watched(url, init = {}) {
  const answer = await fetch(url, init);
  requests.push({ method: init.method ?? "GET", body: init.body, status: answer.status });
  if (requests.length > 20) throw new Error("the client does not stop sending");
  return answer;
}

const headers = { Authorization: `Bearer ${key}` };
const errors = [];
const data = [];
const head = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
const bytes = Uint8Array.from([...head, ...Array(256).keys()]);
const PICTURE = `data:image/png;base64,${Buffer.from(bytes).toString("base64")}`;

function open(more = {}) {
  return new PlainChat({
    id: "chat-1",
    transport: new ai.DefaultChatTransport({ api: `${base}/api/chat`, headers, fetch: watched }),
    sendAutomaticallyWhen:
      major === "5" ? ai.lastAssistantMessageIsCompleteWithToolCalls : isAnswered,
    onError: (error) => errors.push(error.message),
    onData: (part) => data.push(part),
    ...more,
  });
}

/** Until a condition holds: the client sends by itself, in the background. */
async function until(holds, what) {
  for (let i = 0; i < 1000; i++) {
    if (holds()) return;
    await new Promise((done) => setTimeout(done, 10));
  }
  throw new Error(`never happened: ${what}`);
}

const parts = (chat) => chat.messages.flatMap((message) => message.parts);
const tools = (chat) => parts(chat).filter((part) => part.type.startsWith("tool-"));
const asked = (chat) => tools(chat).filter((part) => part.state === "approval-requested");
const waits = ["approval-requested", "approval-responded", "input-available", "input-streaming"];
const settled = (chat) => tools(chat).every((part) => !waits.includes(part.state));
const quiet = (chat) => chat.status === "ready" || chat.status === "error";

async function respond(chat, ...answers) {
  const questions = asked(chat);
  for (const [i, answer] of answers.entries()) {
    await chat.addToolApprovalResponse({ id: questions[i].approval.id, ...answer });
  }
}

async function finish(chat) {
  await until(() => settled(chat) && quiet(chat), "every call settled");
}

async function post(path, body) {
  const answer = await fetch(`${base}${path}`, {
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return answer;
}

const scenarios = {
  async say(chat) {
    await chat.sendMessage({ text: "go" });
  },

  async approve(chat) {
    await chat.sendMessage({ text: "go" });
    await respond(chat, { approved: true });
    await finish(chat);
  },

  async deny(chat) {
    await chat.sendMessage({ text: "go" });
    await respond(chat, { approved: false, reason: "not that one" });
    await finish(chat);
  },

  async both(chat) {
    await chat.sendMessage({ text: "go" });
    await respond(chat, { approved: true }, { approved: false });
    await finish(chat);
  },

  async tamper(chat) {
    await chat.sendMessage({ text: "go" });
    chat.messages = chat.messages.map((message) => ({
      ...message,
      parts: message.parts.map((part) => (part.input ? { ...part, input: { target: "/" } } : part)),
    }));
    await respond(chat, { approved: true });
    await finish(chat);
  },

  /** Two tabs with the same question; and the very bytes of the first answer once more. */
  async replay(chat) {
    await chat.sendMessage({ text: "go" });
    const other = open({ messages: structuredClone(chat.messages) });
    await respond(chat, { approved: true });
    await finish(chat);
    await respond(other, { approved: true });
    await finish(other);
    const { body } = requests.filter((each) => each.body).at(1);
    const again = await post("/api/chat", body);
    return { other: other.messages, bytes: await again.text() };
  },

  /** An answer that somebody else gave in the meantime; the test gives it on our sign. */
  async late(chat) {
    await chat.sendMessage({ text: "go" });
    console.log(JSON.stringify({ waiting: asked(chat).map((part) => part.approval.id) }));
    for await (const _ of createInterface({ input: process.stdin })) break;
    await respond(chat, { approved: true });
    await finish(chat);
  },

  async disconnect(chat) {
    const sending = chat.sendMessage({ text: "go" });
    await until(() => parts(chat).some((part) => part.text?.includes(" ")), "a few words");
    await chat.stop();
    await sending;
    const seen = parts(chat).map((part) => part.text ?? "").join("");
    await chat.resumeStream();
    return { seen };
  },

  /** A page that was reloaded: all it has is the user's message. */
  async reload(chat) {
    await chat.sendMessage({ text: "go" });
    const fresh = open({ messages: [chat.messages[0]] });
    await fresh.resumeStream();
    await respond(fresh, { approved: true });
    await finish(fresh);
    await fresh.resumeStream();
    return { messages: fresh.messages };
  },

  /** A picture inside the message, and a file that was uploaded before it. */
  async files(chat) {
    const body = "notes of a meeting\n";
    const answer = await fetch(`${base}/api/files?name=notes.txt`, { method: "PUT", headers, body });
    const { name, kind, sha256 } = await answer.json();
    const files = [
      { type: "file", mediaType: "image/png", filename: "cat.png", url: PICTURE },
      { type: "file", mediaType: kind, filename: name, url: `sha256:${sha256}` },
    ];
    await chat.sendMessage({ text: "go", files });
    return { settled: await history("chat-1", { base, headers }) };
  },

  async client_tool(chat) {
    await chat.sendMessage({ text: "go" });
    const [part] = tools(chat);
    await chat.addToolOutput({ tool: "pick", toolCallId: part.toolCallId, output: { file: "a" } });
    await finish(chat);
  },

  /** The protocol has no edits: they go to our own endpoint, then the client goes on as ever. */
  async edit(chat) {
    await chat.sendMessage({ text: "go" });
    const [part] = asked(chat);
    const { decideAt, digest } = part.approval.descriptor;
    await post(decideAt, { verdict: "edit", digest, arguments: { target: "b" } });
    await respond(chat, { approved: true });
    await finish(chat);
  },

  /** A form is a data part, filled in at our own endpoint. */
  async form(chat) {
    await chat.sendMessage({ text: "go" });
    const part = parts(chat).find((each) => each.type === "data-request");
    const values = Object.fromEntries(part.data.fields.map((field) => [field.name, "ACME"]));
    await post(part.data.decideAt, { verdict: "answer", values });
    await chat.sendMessage();
    await finish(chat);
  },

  /** The same in steps, with a condition across them and a file: the record has the steps. */
  async steps(chat) {
    await chat.sendMessage({ text: "go" });
    const part = parts(chat).find((each) => each.type === "data-request");
    const entered = JSON.parse(process.argv[6]);
    const { fields, steps } = part.data;
    const walked = await filled({ base, headers, id: part.id, steps, fields, entered });
    await chat.sendMessage();
    await finish(chat);
    return walked;
  },

  async interrupt(chat) {
    await chat.sendMessage({ text: "go" });
    await chat.sendMessage({ text: "something else" });
  },

  /** A message that was refused because a call waits is taken back; then the call is decided. */
  async recover(chat) {
    await chat.sendMessage({ text: "go" });
    await chat.sendMessage({ text: "something else" });
    const refused = chat.status;
    chat.messages = chat.messages.slice(0, -1);
    chat.clearError();
    await respond(chat, { approved: true });
    await finish(chat);
    return { refused };
  },

  /** Or it is sent after all, and what waits is cancelled. */
  async insist(chat) {
    await chat.sendMessage({ text: "go" });
    await chat.sendMessage({ text: "something else" });
    chat.messages = chat.messages.slice(0, -1);
    chat.clearError();
    await chat.sendMessage({ text: "something else" }, { body: { onPending: "supersede" } });
  },

  /** What is somebody else's, or needs a form, is not waited for: the rest is sent. */
  async mixed(chat) {
    await chat.sendMessage({ text: "go" });
    const open = parts(chat).filter((part) => part.type === "data-request");
    await respond(chat, { approved: true });
    await until(() => tools(chat).some((part) => part.state === "output-available"), "it ran");
    await until(() => quiet(chat), "the end of the stream");
    return { open: open.map((part) => part.data) };
  },

  /** One of several approvals that a call needs: recorded, and not sent again without end. */
  async vote(chat) {
    await chat.sendMessage({ text: "go" });
    await respond(chat, { approved: true });
    await until(() => requests.length > 1 && quiet(chat), "the vote");
    await new Promise((done) => setTimeout(done, 500));
  },

  /** What has to be typed goes along with the answer; a wrong value is refused, then corrected. */
  async typed(chat) {
    await chat.sendMessage({ text: "go" });
    const { descriptor } = asked(chat)[0].approval;
    await respond(chat, { approved: true });
    await until(() => chat.status === "error", "a refusal");
    const refusal = JSON.parse(errors.at(-1));
    chat.clearError();
    chat.messages = chat.messages.map((message) => ({
      ...message,
      parts: message.parts.map((part) =>
        part.approval ? { ...part, approval: { ...part.approval, typed: refusal.to_type } } : part,
      ),
    }));
    await chat.sendMessage();
    await finish(chat);
    return { descriptor, refusal };
  },

  /** A reloaded page that knows its id and nothing else; what was said before comes back. */
  async comeback(chat) {
    await chat.sendMessage({ text: "hello" });
    await chat.sendMessage({ text: "go" });
    const fresh = open({ messages: await history("chat-1", { base, headers }) });
    await fresh.resumeStream();
    await respond(fresh, { approved: true });
    await finish(fresh);
    return { messages: fresh.messages, settled: await history("chat-1", { base, headers }) };
  },

  /** A first visit with `resume: true`, before anything was said. */
  async fresh(chat) {
    await chat.resumeStream();
    await chat.sendMessage({ text: "go" });
  },

  /** The server, not only the reading of it. */
  async stop(chat) {
    const sending = chat.sendMessage({ text: "go" });
    await until(() => parts(chat).some((part) => part.text?.includes(" ")), "a few words");
    await post("/api/conversations/chat-1/stop", {});
    await sending;
  },

  async regenerate(chat) {
    await chat.sendMessage({ text: "go" });
    const failed = chat.status;
    chat.clearError();
    await chat.regenerate();
    return { failed };
  },

  /** AI SDK 5 has no approvals: a data part, and our own endpoint. */
  async data_parts(chat) {
    await chat.sendMessage({ text: "go" });
    const part = parts(chat).find((each) => each.type === "data-approval");
    const { decideAt, digest } = part.data;
    await post(decideAt, { verdict: "approve", digest });
    await chat.sendMessage();
    await finish(chat);
    return { asked: part.data };
  },
};

const chat = open();
const more = await scenarios[scenario](chat);
const seen = {
  messages: chat.messages,
  status: chat.status,
  statuses: requests.map((each) => each.status),
  errors,
  data,
};
console.log(JSON.stringify({ ...seen, ...more }));
