import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { start, workspaceWith } from '../../test/support/commandLine.ts';
import { mark } from '../../test/support/leftovers.ts';
import { STUBBORN } from '../../test/support/stubborn.ts';
import type { Attack, Scene } from './attack.ts';

const KILLS = 50;
const SIDE_BY_SIDE = 4;

/** Milliseconds after the run's first word within which it is killed. */
const LONGEST = 1_000;

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
${Array.from({ length: 30 }, (_, index) => {
  const target = index % 6 === 2 ? 'stubborn' : ['quick', 'slow'][index % 2];
  return `  - {id: case-${index}, target: ${target}, turns: [Hi], assert: [{type: contains, value: x}]}\n`;
}).join('')}`,
};

/** Kills runs as nothing can catch it: what was shown stands in the record, and nothing goes on. */
export const kills: Attack = {
  name: 'kills',
  tries: KILLS,
  async run(found, scene) {
    const moments = Array.from({ length: KILLS }, () => scene.random(LONGEST));
    const work = async () => {
      for (let moment = moments.pop(); moment !== undefined; moment = moments.pop()) {
        for (const wrong of await killedAfter(moment, scene)) {
          found(`killed after ${moment} ms: ${wrong}`);
        }
      }
    };
    await Promise.all(Array.from({ length: SIDE_BY_SIDE }, work));
  },
};

async function killedAfter(moment: number, scene: Scene): Promise<string[]> {
  const folder = await workspaceWith(scene, FILES);
  const { env, left } = mark();
  const run = start(folder, ['run', '--concurrency', '3'], env);
  await Promise.race([run.shows('case-'), run.ended]);
  await setTimeout(moment);
  run.send('SIGKILL');
  const { out } = await run.ended;
  const shown = [...out.matchAll(/^✓ (case-\d+) {2}/gm)].map(([, id]) => id);
  const kept = await recorded(folder);
  const lost = shown.filter((id) => id !== undefined && !kept.includes(id));
  const running = await left();
  return [
    ...(lost.length > 0 ? [`${lost.join(', ')} shown and lost`] : []),
    ...(running > 0 ? [`${running} processes left`] : []),
  ];
}

/** The cases in the records of a folder; the last line may be torn. */
async function recorded(folder: string): Promise<string[]> {
  const runs = join(folder, '.turnlight/runs');
  const names = await readdir(runs).catch(() => []);
  const texts = await Promise.all(names.map((name) => readFile(join(runs, name), 'utf8')));
  return texts.flatMap((text) =>
    text
      .split('\n')
      .slice(0, -1)
      .map((line) => String(JSON.parse(line).id)),
  );
}
