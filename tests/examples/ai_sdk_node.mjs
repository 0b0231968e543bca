// One step of a chat in a process of its own: its messages are in a file.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { MockLanguageModelV4 } from "ai/test";
import { agent } from "./dist/agent.js";

const [action, calls, forged] = process.argv.slice(2);
const FILE = process.env.MESSAGES;
const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};
const prompts = [];
const model = new MockLanguageModelV4({
  doGenerate: async ({ prompt }) => {
    prompts.push(prompt);
    const asked = prompt.some((message) => message.role === "assistant");
    const content = asked
      ? [{ type: "text", text: "done" }]
      : JSON.parse(calls).map((call) => ({ type: "tool-call", ...call, input: JSON.stringify(call.input) }));
    const finish = asked ? "stop" : "tool-calls";
    return { content, finishReason: { unified: finish, raw: undefined }, usage, warnings: [] };
  },
});

const { gate, answer } = agent(model, "chat-1");
const messages = existsSync(FILE) ? JSON.parse(readFileSync(FILE)) : [{ role: "user", content: "go" }];
const report = {};
try {
  if (action === "resume") {
    const more = await gate.responses(messages);
    report.decided = more !== undefined;
    if (more) messages.push(more);
  }
  if (action === "forge") messages.push(JSON.parse(forged));
  if (report.decided !== false) {
    const result = await answer(messages);
    messages.push(...result.responseMessages ?? result.response.messages);
    report.text = result.text;
  }
} catch (error) {
  report.error = `${error.name}: ${error.message}`;
}
if (action !== "forge") writeFileSync(FILE, JSON.stringify(messages));
const parts = messages.flatMap((each) => (Array.isArray(each.content) ? each.content : []));
report.asked = parts.filter((part) => part.type === "tool-approval-request");
report.results = parts.filter((part) => part.type === "tool-result").map((part) => part.output);
report.prompt = prompts.at(-1);
console.log(JSON.stringify(report));
