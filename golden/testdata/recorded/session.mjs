// A client session for recorded.txtar, with the TypeScript SDK:
//
//   npm install @modelcontextprotocol/sdk
//   node session.mjs mcpstar record -o recorded.txtar -- mcpstar serve shop.star
//
// It lists the tools, orders what is there and what is not, accepts once and
// declines once, watches a progress, and calls a tool that does not exist.

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import {
  CreateMessageRequestSchema,
  ElicitRequestSchema,
  ListRootsRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";

const [command, ...args] = process.argv.slice(2);
const client = new Client(
  { name: "typescript-session", version: "1.0.0" },
  { capabilities: { elicitation: { form: {} }, sampling: {}, roots: {} } },
);

const answers = [{ action: "accept", content: { confirm: true } }, { action: "decline" }];
client.setRequestHandler(ElicitRequestSchema, async () => answers.shift());
client.setRequestHandler(ListRootsRequestSchema, async () => ({ roots: [{ uri: "file:///home/ann/shop" }] }));
client.setRequestHandler(CreateMessageRequestSchema, async () => ({
  role: "assistant",
  model: "a-model",
  content: { type: "text", text: "Solaris" },
}));

await client.connect(new StdioClientTransport({ command, args, stderr: "inherit" }));
await client.listTools();
await client.callTool({ name: "order_book", arguments: { title: "Dune" } });
await client.callTool({ name: "order_book", arguments: { title: "Neuromancer" } });
await client.callTool({ name: "order_book", arguments: { title: "Neuromancer" } });
await client.callTool({ name: "take_stock", arguments: {} }, undefined, { onprogress: () => {} });
await client.callTool({ name: "suggest", arguments: {} });
await client.callTool({ name: "order_bok", arguments: {} });
await client.ping();
await client.close();
