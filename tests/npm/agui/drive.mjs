// Drives the real `@ag-ui/client`, unmodified: one JSON command per line in, one JSON answer out.
//
//   node drive.mjs <package> <url> <key> <threadId>
import { createInterface } from "node:readline";

const [name, url, key, threadId] = process.argv.slice(2);
const { HttpAgent, buildResumeArray } = await import(name);
// The client logs what it throws; standard output is for answers only.
console.error = console.warn = () => {};

const headers = { Authorization: `Bearer ${key}` };
let agent = new HttpAgent({ url, headers, threadId });
let lastResume = null;

/** Runs once and tells what the client made of it. */
async function run(parameters, { abortOn } = {}) {
  const types = [];
  const custom = [];
  let error = null;
  const subscriber = {
    onEvent({ event }) {
      types.push(event.type);
      if (event.type === "CUSTOM") custom.push(event);
      if (event.type === abortOn) agent.abortRun();
    },
    onRunErrorEvent({ event }) {
      error = { code: event.code, message: event.message };
    },
  };
  try {
    await agent.runAgent(parameters, subscriber);
  } catch (thrown) {
    error ??= { code: "thrown", message: String(thrown.message ?? thrown) };
  }
  return { types, custom, error, messages: agent.messages, interrupts: agent.pendingInterrupts };
}

const commands = {
  /** Says something; with `abortOn`, goes away at the first event of that type. */
  say({ id, text, abortOn }) {
    agent.addMessage({ id, role: "user", content: text });
    return run({}, { abortOn });
  },
  run: () => run({}),
  /** Answers by interrupt id, as the client's own helper puts it together. */
  resume({ answers }) {
    lastResume = buildResumeArray(agent.pendingInterrupts, answers);
    return run({ resume: lastResume });
  },
  /** Sends the last answers once more, as a client whose first try got lost would. */
  replay: () => run({ resume: lastResume }),
  /** Forges the arguments of a call in the history that the next run posts. */
  tamper({ toolCallId, forged }) {
    for (const message of agent.messages) {
      for (const call of message.toolCalls ?? []) {
        if (call.id === toolCallId) call.function.arguments = forged;
      }
    }
    return {};
  },
  /** A new page: the same thread and messages, nothing else kept. */
  reload({ messages }) {
    agent = new HttpAgent({ url, headers, threadId, initialMessages: messages });
    return {};
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const { op, ...rest } = JSON.parse(line);
  process.stdout.write(`${JSON.stringify(await commands[op](rest))}\n`);
}
