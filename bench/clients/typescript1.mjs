// The TypeScript SDK, version 1.
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import {
  CreateMessageRequestSchema, ElicitRequestSchema, LATEST_PROTOCOL_VERSION, ListRootsRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { answers, attempt, failed, stdio, text, token, url } from './try.mjs';

const name = 'TypeScript SDK v1';
for (const [transport, open] of [
  ['stdio', () => new StdioClientTransport(stdio)],
  ['HTTP', () => new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { Authorization: `Bearer ${token}` } } })],
]) {
  const client = new Client({ name: 'typescript1', version: '1' }, { capabilities: { elicitation: { form: {} }, sampling: {}, roots: {} } });
  client.setRequestHandler(ElicitRequestSchema, (r) => answers.elicit(r.params.message));
  client.setRequestHandler(CreateMessageRequestSchema, () => answers.sample);
  client.setRequestHandler(ListRootsRequestSchema, () => answers.roots);
  try {
    await client.connect(open());
    await client.listTools(); // so that results are checked against their schemas
    await attempt(name, transport, LATEST_PROTOCOL_VERSION, async (tool, args) => text(await client.callTool({ name: tool, arguments: args })));
  } catch (e) {
    failed(name, transport, LATEST_PROTOCOL_VERSION, e);
  }
  await client.close();
}
