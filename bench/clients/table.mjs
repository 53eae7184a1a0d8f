// Reads the rows that the clients have printed, and compares the table they make with
// the one in docs/clients.md. With --write it puts it there.
//
//     node table.mjs docs/clients.md [--write] < rows
import { readFileSync, writeFileSync } from 'node:fs';

const [page, write] = process.argv.slice(2);
const columns = ['client', 'transport', 'revision', 'calling', 'elicitation', 'sampling', 'roots', 'together'];
const rows = readFileSync(0, 'utf8').split('\n').filter(Boolean).map((line) => JSON.parse(line));
const cell = (value) => String(value ?? 'RED: not tried').replaceAll('|', '\\|').replaceAll('\n', ' ');
const table = [
  '| client | transport | revision | calling | elicitation | sampling | roots | all three at once |',
  '|---|---|---|---|---|---|---|---|',
  ...rows.map((row) => `| ${columns.map((c) => cell(row[c])).join(' | ')} |`),
].join('\n');
console.log(table);

if (rows.some((row) => columns.some((c) => cell(row[c]).startsWith('RED')))) {
  console.log('\na client fails');
  process.exit(1);
}
const text = readFileSync(page, 'utf8');
const start = text.indexOf('| client |');
const old = start < 0 ? '' : text.slice(start).split('\n\n')[0].trimEnd();
if (write === '--write' && start >= 0) {
  writeFileSync(page, text.slice(0, start) + table + text.slice(start + old.length));
} else if (old !== table) {
  console.log(`\n${page} has another table; .ci/clients --write puts this one there`);
  process.exit(1);
}
