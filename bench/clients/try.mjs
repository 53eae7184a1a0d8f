// What each client has to do with server.star, and how it is written down: one line
// of JSON for each transport and revision, which table.mjs reads.

export const stdio = { command: process.env.MCPSTAR, args: ['serve', process.env.SCRIPT] };
export const url = process.env.URL;
export const token = process.env.TOKEN;

/** The answers that every client gives, if it can. */
export const answers = {
  elicit: (message) => message.startsWith('Go away')
    ? { action: 'decline' }
    : { action: 'accept', content: { name: 'Ann', loud: true } },
  sample: { role: 'assistant', content: { type: 'text', text: 'Tea.' }, model: 'm', stopReason: 'endTurn' },
  roots: { roots: [{ uri: 'file:///tmp/a', name: 'a' }] },
};

/** The calls, and the text that each must give. */
export const calls = {
  calling: [['add', { a: 2, b: 3 }, '5']],
  elicitation: [
    ['greet', { greeting: 'Hi' }, 'HI, ANN!'],
    ['greet', { greeting: 'Go away' }, 'Nobody wants to be greeted (decline).'],
  ],
  sampling: [['think', { topic: 'tea' }, 'About tea: Tea.']],
  roots: [['look', {}, 'file:///tmp/a']],
  together: [['everything', { greeting: 'Hi', topic: 'tea' }, 'Ann / Tea. / 1']],
};

/** What the server says to a client that does not declare what a call needs. */
export const undeclared = /Client did not declare the (form elicitation|sampling|roots) capability/;

/**
 * Tries all calls with one connection. call gives the text of a result. limits are
 * what the client itself says it can't do: there, the server must have refused to ask.
 */
export async function attempt(client, transport, revision, call, limits = {}) {
  const row = { client, transport, revision };
  for (const [column, list] of Object.entries(calls)) {
    row[column] = 'yes';
    for (const [tool, args, want] of list) {
      let got;
      try {
        got = await within(60_000, call(tool, args));
      } catch (e) {
        got = String(e?.message ?? e);
      }
      if (limits[column] && undeclared.test(got)) {
        row[column] = limits[column];
      } else if (got !== want) {
        row[column] = `RED: ${tool}: ${got}`;
      }
    }
  }
  console.log(JSON.stringify(row));
}

/** A row of a client that did not even connect. */
export function failed(client, transport, revision, e) {
  console.log(JSON.stringify({ client, transport, revision, calling: `RED: ${e?.message ?? e}` }));
}

/** The text of a result with one block. */
export function text(result) {
  if (result.content?.length !== 1 || result.content[0].type !== 'text') return JSON.stringify(result);
  return result.isError ? `error: ${result.content[0].text}` : result.content[0].text;
}

function within(ms, promise) {
  let timer;
  const late = new Promise((_, reject) => { timer = setTimeout(() => reject(new Error('no answer')), ms); });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}
