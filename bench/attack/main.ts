import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { SERVER_FLAGS } from '../../src/protocol/names.ts';
import { type Aim, print, say, table, today } from '../print.ts';
import type { Result } from './attack.ts';
import { attacks } from './attacks.ts';

const ATTACKER = fileURLToPath(new URL('attacker.ts', import.meta.url));

/** Number of concurrent attacks. Some of them start their own processes. */
const SIDE_BY_SIDE = 2;

/** Milliseconds after which an attack counts as hanging, however busy the machine is. */
const PATIENCE = 1_800_000;

const LONGEST_BLOCK = 500;
const MOST_MEMORY = 1e9;

/** Maximum number of successful attempts to list per attack. There can be thousands of one kind. */
const TOLD = 10;

/** Attacks whose own process represents the language server or the extension host. */
const IN_PROCESS = ['faults', 'answers', 'documents', 'records', 'paths', 'traces'];

/** Attacks on what the language server reads. They run with its flags. */
const SERVES = ['documents', 'records'];

interface Ended {
  readonly name: string;
  readonly result?: Result;
  readonly faults: readonly string[];
}

const args = process.argv.slice(2);
const wanted = args.filter((one) => !one.startsWith('--'));
/** A different seed produces different attempts. */
const seeds = args.filter((one) => one.startsWith('--seed='));
const waiting = wanted.length > 0 ? wanted : Object.keys(attacks);
const ended: Ended[] = [];

async function work(): Promise<void> {
  for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
    ended.push(await attack(name));
  }
}

await Promise.all(Array.from({ length: SIDE_BY_SIDE }, work));
const rows = ended.map(({ name, result, faults }) => [
  name,
  String(result?.tried ?? '–'),
  result ? String(result.tried - result.fell.length) : '–',
  result && IN_PROCESS.includes(name) ? `${result.longestBlock.toFixed(0)} ms` : '–',
  result && IN_PROCESS.includes(name) ? `${(result.memory / 1e6).toFixed(0)} MB` : '–',
  result ? `${result.seconds.toFixed(0)} s` : '–',
  faults.length === 0 ? 'held' : 'DID NOT HOLD',
]);
const head = ['attack', 'tried', 'held', 'longest block', 'memory', 'took', ''];
const result = { date: today(), faults: ended.flatMap(({ faults }) => faults) };
print('Attacks', result, [table(head, rows, ['attack', ''])], aims());

/** Runs an attack in its own process, which may crash or hang. */
async function attack(name: string): Promise<Ended> {
  say(`${name} …`);
  const flags = SERVES.includes(name) ? SERVER_FLAGS : [];
  const child = spawn(process.execPath, [...flags, ATTACKER, name, ...seeds], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const timer = setTimeout(() => child.kill('SIGKILL'), PATIENCE);
  const [out, last] = await Promise.all([allOf(child.stdout), lastOf(child.stderr)]);
  const code = await new Promise<number | null>((done) => {
    if (child.exitCode !== null || child.signalCode !== null) done(child.exitCode);
    else child.on('exit', done);
  });
  clearTimeout(timer);
  if (code !== 0) {
    const how = code === null ? 'crashed or hung' : `ended with code ${code}`;
    return { name, faults: [`${name}: ${how}. Last words: ${last}`] };
  }
  const result: Result = JSON.parse(out);
  const told = result.fell.slice(0, TOLD).map((what) => `${name}: ${what}`);
  const more = result.fell.length - told.length;
  return { name, result, faults: more > 0 ? [...told, `${name}: and ${more} more`] : told };
}

async function allOf(stream: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

async function lastOf(stream: AsyncIterable<Buffer>): Promise<string> {
  let last = '';
  for await (const chunk of stream) last = (last + chunk.toString()).slice(-600);
  return last.trim();
}

function aims(): Aim[] {
  const measured = ended.flatMap(({ name, result }) =>
    result && IN_PROCESS.includes(name) ? [{ name, ...result }] : [],
  );
  return measured.flatMap(({ name, longestBlock, memory }) => [
    {
      aim: `${name}: longest block of the event loop under ${LONGEST_BLOCK} ms`,
      measured: `${longestBlock.toFixed(0)} ms`,
      met: longestBlock < LONGEST_BLOCK,
    },
    {
      aim: `${name}: memory under 1 GB`,
      measured: `${(memory / 1e6).toFixed(0)} MB`,
      met: memory < MOST_MEMORY,
    },
  ]);
}
