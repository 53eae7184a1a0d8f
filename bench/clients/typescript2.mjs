// The TypeScript SDK, version 2.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { answers, attempt, failed, stdio, text, token, url } from './try.mjs';

const name = 'TypeScript SDK v2';
for (const [transport, open] of [
  ['stdio', () => new StdioClientTransport(stdio)],
  ['HTTP', () => new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { Authorization: `Bearer ${token}` } } })],
]) {
  for (const [revision, mode] of [['2025-11-25', 'legacy'], ['2026-07-28', { pin: '2026-07-28' }]]) {
    const client = new Client({ name: 'typescript2', version: '1' }, {
      capabilities: { elicitation: { form: {} }, sampling: {}, roots: {} },
      versionNegotiation: { mode },
    });
    client.setRequestHandler('elicitation/create', (r) => answers.elicit(r.params.message));
    client.setRequestHandler('sampling/createMessage', () => answers.sample);
    client.setRequestHandler('roots/list', () => answers.roots);
    try {
      await client.connect(open());
      if (client.getNegotiatedProtocolVersion() !== revision) throw new Error(`it speaks ${client.getNegotiatedProtocolVersion()}`);
      await client.listTools(); // so that results are checked against their schemas
      await attempt(name, transport, revision, async (tool, args) => text(await client.callTool({ name: tool, arguments: args })));
    } catch (e) {
      failed(name, transport, revision, e);
    }
    await client.close();
  }
}
