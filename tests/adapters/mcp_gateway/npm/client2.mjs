// A client of the TypeScript SDK 2: protocol 2026-07-28, which is shown the review page.
// Given on the command line: the gateway's command.
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

const [command, ...args] = process.argv.slice(2);
const transport = new StdioClientTransport({ command, args, env: process.env, stderr: "ignore" });
const client = new Client(
  { name: "client2", version: "1" },
  {
    capabilities: { elicitation: { url: {} } },
    versionNegotiation: { mode: { pin: "2026-07-28" } },
  },
);
const said = (what) => console.log(JSON.stringify(what));
client.setRequestHandler("elicitation/create", async (request) => {
  said({ shown: request.params });
  return { action: "accept" };
});
await client.connect(transport);
said({ tools: (await client.listTools()).tools.map((tool) => tool.name) });
const result = await client.callTool({ name: "up__send", arguments: { text: "hello" } });
said({ result });
await client.close();
