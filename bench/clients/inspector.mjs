// The Inspector's two commands: --cli, which makes one call a run, and mcpdo, which
// keeps a connection and lets elicitations be answered by further commands.
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { answers, attempt, failed, stdio, text, token, url } from './try.mjs';

const home = resolve('home'); // its own, so that no setting of this machine counts
mkdirSync(home);
const env = { ...process.env, HOME: home, MCP_INSPECTOR_SECRET_STORE: 'file' };
const config = join(home, 'mcp.json');
writeFileSync(config, JSON.stringify({
  mcpServers: {
    stdio: { ...stdio, ...answers.roots },
    HTTP: { type: 'streamable-http', url, headers: { Authorization: `Bearer ${token}` }, ...answers.roots },
  },
}));
const revisions = { legacy: '2025-11-25', modern: '2026-07-28' };

/** Runs a command of the Inspector's and gives the JSON that it prints. */
function run(command, args) {
  const file = join('node_modules', '.bin', command);
  return new Promise((done, reject) => {
    execFile(process.execPath, [file, ...args], { env, timeout: 60_000 }, (failure, out, err) => {
      try {
        return done(JSON.parse(out));
      } catch { /* it has printed something else */ }
      const said = /^\{"error":.*$/m.exec(err + out);
      reject(new Error(said ? JSON.parse(said[0]).error.message : `${failure ?? ''} ${err}${out}`));
    });
  });
}

for (const transport of ['stdio', 'HTTP']) {
  for (const [era, revision] of Object.entries(revisions)) {
    await attempt('Inspector --cli', transport, revision, async (tool, args) => {
      const { result } = await run('mcp-inspector', ['--cli', '--config', config, '--server', transport, '--protocol-era', era,
        '--format', 'json', '--method', 'tools/call', '--tool-name', tool, '--tool-args-json', JSON.stringify(args)]);
      return text(result);
    }, { elicitation: 'not declared', sampling: 'not declared', together: 'not declared' });
  }
}

// A daemon of its own, not the one that whoever runs this may have.
env.MCP_INSPECTOR_DAEMON_DIR = join(home, 'daemon');
env.MCP_INSPECTOR_DAEMON_TOKEN = randomBytes(32).toString('base64url');
const mcpdo = (...args) => run('mcpdo', ['--format', 'json', ...args]);
for (const transport of ['stdio', 'HTTP']) {
  for (const [era, revision] of Object.entries(revisions)) {
    try {
      const { protocolEra } = await mcpdo('--config', config, 'connect', '--era', era, transport);
      if (protocolEra !== era) throw new Error(`it speaks ${protocolEra}`);
      await attempt('Inspector mcpdo', transport, revision, async (tool, args) => {
        let result = await mcpdo(`@${transport}`, 'tools/call', tool, ...Object.entries(args).map(([k, v]) => `${k}:=${JSON.stringify(v)}`));
        while (result.elicitationPending) {
          const { elicitationId, message } = result.elicitationPending;
          const { action, content } = answers.elicit(message);
          result = await mcpdo('elicitation/respond', elicitationId,
            ...(action === 'decline' ? ['--decline'] : Object.entries(content).map(([k, v]) => `${k}:=${JSON.stringify(v)}`)));
        }
        return text(result);
      }, { sampling: 'not declared', together: 'not declared' });
    } catch (e) {
      failed('Inspector mcpdo', transport, revision, e);
    }
    await mcpdo('disconnect', transport).catch(() => {});
  }
}
await mcpdo('daemon', 'stop').catch(() => {});
