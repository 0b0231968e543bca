// An agent with one tool, for the test of this example and as a pattern for your own.
import { appendFileSync } from "node:fs";
import { asSchema, generateText, tool, type LanguageModel, type ModelMessage } from "ai";
import { z } from "zod";
import { Gate } from "./assent.js";

export function agent(model: LanguageModel, chat: string) {
  const gate = new Gate({
    url: process.env.ASSENT_URL!,
    key: process.env.ASSENT_API_KEY!,
    agent: "shop",
    chat,
    asSchema,
    metadata: {
      look: { risk: "safe", requires_approval: false },
      pay: { user_input: { reason: "To book it", fields: [{ name: "note" }] } },
    },
  });
  const effect = (line: string) => appendFileSync(process.env.EFFECTS!, `${line}\n`);
  const tools = gate.tools({
    look: tool({
      description: "Look something up",
      inputSchema: z.object({ item: z.string() }),
      execute: async ({ item }) => (process.env.BIG ? 10n ** 20n : `one ${item}`),
    }),
    order: tool({
      description: "Order something",
      inputSchema: z.object({ item: z.string(), count: z.number().int() }),
      execute: async ({ item, count }) => {
        effect(`order ${count} ${item}`);
        if (process.env.DEADLY) process.kill(process.pid, "SIGKILL");
        return `ordered ${count} ${item}`;
      },
    }),
    pay: tool({
      description: "Pay somebody",
      inputSchema: z.object({ amount: z.number(), note: z.string().optional() }),
      execute: async ({ amount, note }) => {
        effect(`pay ${amount} ${note}`);
        return `paid ${amount}`;
      },
    }),
  });
  const answer = (messages: ModelMessage[]) =>
    generateText({ model, messages, tools, toolApproval: gate.approval });
  return { gate, answer };
}
