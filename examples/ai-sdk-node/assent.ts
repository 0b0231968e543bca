// Tools of the AI SDK that ask an Assent server before they run: one file, no dependencies.
//
//   const gate = new Gate({ url, key, agent: "shop", chat: chatId, asSchema });
//   await generateText({ model, messages, tools: gate.tools(tools), toolApproval: gate.approval });

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

/** What may be said of a tool: its risk, who approves it, a form for people, … */
export type Metadata = { [name: string]: Json };

export type Claim = {
  call_id: string;
  fence: number;
  token: string;
  arguments: { [name: string]: any };
  lease_seconds: number;
};

export type Call = {
  id: string;
  tool: string;
  status: string;
  review_url: string | null;
  output: any;
  note: string | null;
  claim: Claim | null;
};

/** A call waits for people; generate again when `responses` says that they have decided. */
export class CallWaits extends Error {
  constructor(readonly call: Call) {
    super(`${call.tool} is ${call.status}: people decide it at ${call.review_url ?? "Assent"}`);
  }
}

/** Whether the request counted is not known. */
class Unreachable extends Error {}

type ToolLike = { description?: unknown; inputSchema?: unknown; execute?: unknown };
type Definition = Metadata & { name: string };
type Options = {
  url: string;
  /** The API key of the person for whom the agent acts. */
  key: string;
  agent: string;
  /** Your own id of this chat; with a call's id it finds the same call again, in any process. */
  chat: string;
  /** `asSchema` of the AI SDK, so that people edit by the tool's own schema. */
  asSchema?: (schema: any) => { jsonSchema: unknown };
  /** Metadata by the name of a tool; undeclared, it is of moderate risk and asks. */
  metadata?: { [tool: string]: Metadata };
};

const ENDED = ["succeeded", "failed", "denied", "rejected", "expired", "cancelled", "superseded"];
const TRIES = 3;

export class Gate {
  readonly #options: Options;
  readonly #definitions: { [tool: string]: Definition } = Object.create(null);

  constructor(options: Options) {
    this.#options = options;
  }

  /** Wraps tools so that each call runs once, under a claim, with what people approved. */
  tools<TOOLS extends { [name: string]: ToolLike }>(tools: TOOLS): TOOLS {
    const wrapped = Object.entries(tools).map(([name, tool]) => [name, this.#wrapped(name, tool)]);
    return Object.fromEntries(wrapped);
  }

  #wrapped(name: string, tool: ToolLike): ToolLike {
    const { asSchema, metadata = {} } = this.#options;
    const schema = tool.inputSchema && asSchema?.(tool.inputSchema).jsonSchema;
    this.#definitions[name] = {
      description: typeof tool.description === "string" ? tool.description : "",
      parameters: (schema as Json) ?? { type: "object" },
      source: "ai-sdk",
      ...metadata[name],
      name,
    };
    const body = tool.execute as ((input: any, options: any) => any) | undefined;
    if (!body) throw new Error(`${name} has no execute: only what runs here can be guarded`);
    const execute = (input: any, options: { toolCallId: string }) =>
      this.#run(name, input, options.toolCallId, (given) => body(given, options));
    return { ...tool, execute };
  }

  /** For `toolApproval`: asks Assent, never the messages. A tool that is not wrapped is denied. */
  approval = async ({ toolCall }: { toolCall: { toolName: string; toolCallId: string; input: any } }) => {
    if (!Object.hasOwn(this.#definitions, toolCall.toolName)) {
      return { type: "denied" as const, reason: `${toolCall.toolName} is not guarded` };
    }
    const call = await this.#propose(toolCall.toolName, toolCall.input, toolCall.toolCallId);
    if (call.status === "cleared" || call.status === "succeeded") return undefined;
    if (ENDED.includes(call.status)) return { type: "denied" as const, reason: reasonOf(call) };
    return { type: "user-approval" as const, reason: new CallWaits(call).message };
  };

  /**
   * The message that continues a chat whose calls people have decided; undefined while one waits.
   *
   * It is made of the record alone; an answer that a client sends along decides nothing.
   */
  async responses(messages: readonly any[]) {
    const parts = messages.flatMap((each) => (Array.isArray(each.content) ? each.content : []));
    const inputs = new Map(parts.filter((p) => p.type === "tool-call").map((p) => [p.toolCallId, p]));
    const done = new Set(parts.filter((p) => p.type === "tool-result").map((p) => p.toolCallId));
    const asked = parts.filter((p) => p.type === "tool-approval-request" && !done.has(p.toolCallId));
    const content = [];
    for (const { approvalId, toolCallId } of asked) {
      const ruling = await this.approval({ toolCall: inputs.get(toolCallId) });
      if (ruling?.type === "user-approval") return undefined;
      const reason = ruling === undefined ? {} : { reason: ruling.reason };
      content.push({
        type: "tool-approval-response" as const,
        approvalId: approvalId as string,
        approved: ruling === undefined,
        ...reason,
      });
    }
    return content.length ? { role: "tool" as const, content } : undefined;
  }

  async #run(name: string, input: any, id: string, body: (given: any) => any): Promise<any> {
    const token = crypto.randomUUID();
    const call = await this.#propose(name, input, id, token);
    if (call.status === "succeeded") return told(call);
    if (ENDED.includes(call.status)) throw new Error(reasonOf(call));
    if (!call.claim && call.status !== "cleared") throw new CallWaits(call);
    const claim = call.claim ?? (await this.#claim(name, call, token));
    const settled = await this.#settled(claim, body);
    if (settled.status === "succeeded") return told(settled);
    throw new Error(reasonOf(settled));
  }

  async #settled(claim: Claim, body: (given: any) => any): Promise<Call> {
    const held = { token: claim.token, fence: claim.fence };
    const path = `/api/calls/${claim.call_id}`;
    const renew = () => this.#post(`${path}/renew`, held).catch(() => undefined);
    const beat = setInterval(renew, (claim.lease_seconds * 1000) / 3);
    try {
      const output = await last(body(claim.arguments)).then(
        (output) => ({ output: output ?? null }),
        (error) =>
          error?.name === "AbortError"
            ? { unknown: "it was aborted while it ran" }
            : { error: String(error) },
      );
      const report = (said: object) => this.#post(`${path}/outcome`, { ...held, ...said });
      return await report(output).catch((error) => {
        // Too large, or no JSON: it ran all the same, and unsaid it would be in doubt.
        if ("output" in output && !(error instanceof Unreachable)) return report({ error: unkept(error) });
        throw error;
      }).catch((error) => {
        const never = "Do not call it again because of this";
        throw new Error(`The tool ran, but that is not on record: ${error.message}. ${never}.`);
      });
    } finally {
      clearInterval(beat);
    }
  }

  #propose(name: string, input: any, id: string, token?: string): Promise<Call> {
    const { agent, chat } = this.#options;
    const definition = this.#definitions[name];
    const key = JSON.stringify([chat, id]);
    const said = { agent, definition, arguments: input, key, conversation_id: chat };
    return this.#post("/api/calls", token ? { ...said, token } : said);
  }

  #claim(name: string, call: Call, token: string): Promise<Claim> {
    return this.#post(`/api/calls/${call.id}/claim`, { token, definition: this.#definitions[name] });
  }

  /** Every request may be sent again: a key or a token makes it count once. */
  async #post(path: string, body: unknown): Promise<any> {
    const { url, key } = this.#options;
    const text = JSON.stringify(body);
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    for (let tried = 1; ; tried++) {
      let answer: Response;
      try {
        answer = await fetch(new URL(path, url), { method: "POST", headers, body: text });
      } catch (error) {
        if (tried < TRIES) continue;
        throw new Unreachable(`Assent cannot be reached (${error})`);
      }
      if (answer.ok) return answer.status === 204 ? undefined : answer.json();
      if (answer.status < 500) throw new Error(`Assent refused it: ${answer.status} ${await answer.text()}`);
      if (tried === TRIES) throw new Unreachable(`Assent answers ${answer.status} ${await answer.text()}`);
    }
  }
}

/** What a tool returns in the end; of one that streams, the last part. */
async function last(made: any): Promise<any> {
  if (typeof made?.[Symbol.asyncIterator] !== "function") return made;
  let newest: any;
  for await (const part of made) newest = part;
  return newest;
}

const unkept = (error: Error) =>
  `It ran, but its output could not be kept: ${error.message}. Do not run it again because of this.`;
const told = (call: Call) => (call.note ? { note: call.note, output: call.output } : call.output);
const reasonOf = (call: Call) => call.output?.error ?? `The call was ${call.status}.`;
