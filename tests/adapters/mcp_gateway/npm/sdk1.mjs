// A client of the TypeScript SDK 1: protocol 2025-11-25, with tasks if the second argument says so.
// Given on the command line: how to call the tool, and the gateway's command.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { CallToolResultSchema } from "@modelcontextprotocol/sdk/types.js";

const [how, command, ...args] = process.argv.slice(2);
const transport = new StdioClientTransport({ command, args, env: process.env, stderr: "ignore" });
const client = new Client({ name: "sdk1", version: "1" }, { capabilities: {} });
await client.connect(transport);
const said = (what) => console.log(JSON.stringify(what));
said({ tools: (await client.listTools()).tools.map((tool) => tool.name) });
const call = { name: "up__send", arguments: { text: "hello" } };
if (how === "task") {
  const stream = client.experimental.tasks.callToolStream(call, CallToolResultSchema, {
    task: { ttl: 60_000 },
  });
  for await (const message of stream) {
    if (message.type === "taskCreated") said({ created: message.task.status });
    if (message.type === "result") said({ result: message.result });
    if (message.type === "error") said({ error: message.error.message });
  }
} else {
  const beats = [];
  const result = await client.callTool(call, CallToolResultSchema, {
    onprogress: (progress) => beats.push(progress.message),
  });
  said({ result, beats: beats.length });
}
await client.close();
