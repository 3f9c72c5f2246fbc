import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { start, turnlight } from '../../test/support/commandLine.ts';
import { mark } from '../../test/support/leftovers.ts';
import { workspaceWith } from '../../test/support/runs.ts';
import { STUBBORN } from '../../test/support/stubborn.ts';
import type { Attack, Scene } from './attack.ts';

const KILLS = 50;
const SIDE_BY_SIDE = 4;

/** Maximum delay between the run's first output and the kill, in milliseconds. */
const LONGEST = 1_000;

/** Keys of the cases, in rotation. Only one target is stubborn, since two would write the same file. */
const SAYS = [
  'target: slow, turns: [Hi]',
  'transcript: [{user: Hi}, {assistant: x}]',
  'target: slow, turns: [Hi]',
  'transcript: [{user: Hi}, {assistant: x}]',
  'target: quick, turns: [Hi]',
  'transcript: [{user: Hi}, {assistant: x}]',
  'target: stubborn, turns: [Hi]',
];

const FILES = {
  'quick.mjs': 'export default () => "x";\n',
  'slow.mjs':
    'export default async () => { await new Promise((done) => setTimeout(done, 200)); return "x"; };\n',
  'stubborn.mjs': `${STUBBORN}export default () => "x";\n`,
  'a.eval.yaml': `targets:
  quick: {type: module, path: ./quick.mjs}
  slow: {type: module, path: ./slow.mjs}
  stubborn: {type: module, path: ./stubborn.mjs}
cases:
${Array.from({ length: 13 }, (_, index) => {
  const says = SAYS[index % SAYS.length];
  return `  - {id: case-${index}, ${says}, assert: [{type: contains, value: x}]}\n`;
}).join('')}`,
};

/**
 * Kills runs with SIGKILL. Every case that was shown must be in the record, no process may keep running, and a resumed
 * run must leave the same record as one that was never killed.
 */
export const kills: Attack = {
  name: 'kills',
  tries: KILLS,
  async run(found, scene) {
    const undisturbed = await workspaceWith(scene, FILES);
    await turnlight(undisturbed, ['run', '--concurrency', '30']);
    const [whole = ''] = await records(undisturbed);
    const moments = Array.from({ length: KILLS }, () => scene.random(LONGEST));
    const work = async () => {
      for (let moment = moments.pop(); moment !== undefined; moment = moments.pop()) {
        for (const wrong of await killedAfter(moment, scene, comparable(whole))) {
          found(`killed after ${moment} ms: ${wrong}`);
        }
      }
    };
    await Promise.all(Array.from({ length: SIDE_BY_SIDE }, work));
  },
};

async function killedAfter(moment: number, scene: Scene, whole: string): Promise<string[]> {
  const folder = await workspaceWith(scene, FILES);
  const { env, left } = mark();
  const run = start(folder, ['run', '--concurrency', '3'], env);
  await Promise.race([run.shows('case-'), run.ended]);
  await setTimeout(moment);
  run.send('SIGKILL');
  const { out } = await run.ended;
  const shown = [...out.matchAll(/^✓ (case-\d+) {2}/gm)].map(([, id]) => id);
  const kept = (await records(folder)).flatMap(finishedIn);
  const lost = shown.filter((id) => id !== undefined && !kept.includes(id));
  const running = await left();
  const { code } = await turnlight(folder, ['run', '--resume', '--concurrency', '30'], env);
  const [resumed = '', ...others] = await records(folder);
  return [
    ...(lost.length > 0 ? [`${lost.join(', ')} shown and lost`] : []),
    ...(running > 0 ? [`${running} processes left`] : []),
    ...(code !== 0 ? [`resumed with exit code ${code}: ${reasonsIn(resumed)}`] : []),
    ...(others.length > 0 ? ['the resumed run has a second record'] : []),
    ...(comparable(resumed) !== whole ? ['the resumed record differs'] : []),
  ];
}

/** Contents of all records in a folder. */
async function records(folder: string): Promise<string[]> {
  const runs = join(folder, '.turnlight/runs');
  const names = await readdir(runs).catch(() => []);
  const paths = names.filter((name) => name.endsWith('.jsonl')).map((name) => join(runs, name));
  return Promise.all(paths.map((path) => readFile(path, 'utf8')));
}

/** Ids of the cases in a record, whose last line may be incomplete. */
function finishedIn(record: string): string[] {
  const lines = record.split('\n').slice(0, -1);
  return lines.map((line) => String(JSON.parse(line).id));
}

/** Why cases in a record errored. */
function reasonsIn(record: string): string {
  return [...record.matchAll(/"reason":"[^"]*"/g)].join(', ');
}

/** A record's lines, sorted, without ids, times, usage, and options. */
function comparable(record: string): string {
  const lines = record.split('\n').slice(0, -1);
  const plain = lines.map((line) =>
    JSON.stringify(JSON.parse(line), (key, value) => (VARYING.has(key) ? null : value)),
  );
  return plain
    .sort()
    .join('\n')
    .replaceAll(/"id":"[0-9a-f]{8}"|"resumed":null,/g, '');
}

const VARYING = new Set([
  'started',
  'resumed',
  'conversation_id',
  'startup',
  'finished',
  'duration',
  'latency',
  'usage',
  'options',
]);
