import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LIMITS } from '../../src/core/limits.ts';
import { nodeFiles } from '../../src/evalfile/nodeFiles.ts';
import { serviceOver } from '../../test/support/language/languageService.ts';
import { botSuite, ECHO, runFiles } from '../../test/support/runs.ts';
import { type Attack, oneOf, type Random } from './attack.ts';

const RECORDS = 100;

/** Bytes of the largest record. Most are far smaller. */
const FULL = 16_000_000;

function filled(piece: string, size: number): string {
  return piece.repeat(Math.ceil(size / piece.length));
}

const EVERY_BYTE = Uint8Array.from({ length: 256 }, (_, at) => (at * 31) % 256);

/** Bytes of empty mappings that stay just below the maximum number of values per line. */
function nearly(size: number): number {
  return Math.min(size, 3 * (LIMITS.values - 1_000));
}

/** Ways to corrupt a record, given a valid one and a size in bytes. */
const SPOILT: readonly ((good: string, size: number) => string | Uint8Array)[] = [
  (_good, size) => filled('{"kind":"case"\n', size),
  (_good, size) => filled('[', size),
  (_good, size) => filled('\n', size),
  (_good, size) => filled('x', size),
  (_good, size) => new Uint8Array(size),
  (_good, size) => Buffer.alloc(size, EVERY_BYTE),
  (good) => good.slice(0, -20),
  (good) => good.replace('"version":2', '"version":999'),
  (good) => good.replaceAll('"score":1', '"score":1e999'),
  (good) => good.replaceAll('"status":"pass"', '"status":"perhaps"'),
  (good) => good.replaceAll('"repetition":1', '"repetition":-1'),
  (good, size) => good.replaceAll('"rationale":"', `"rationale":"${filled('z', size)}`),
  (good, size) => good.replace('"verdicts":[', `"verdicts":[${filled('{},', nearly(size))}`),
  (good, size) => good.replaceAll('"id":', `"other":[${filled('{},', nearly(size))}{}],"id":`),
  (good, size) => good.replaceAll('"id":', `"other":{${filled('"a":1,', size)}"b":1},"id":`),
  (good, size) => filled(good, Math.min(size, 2_000_000)),
  (good) => good.replace('"id":', '"__proto__":{"x":1},"id":'),
];

/** Adds corrupt records next to a valid one, whose verdict must still be found. */
export const records: Attack = {
  name: 'records',
  tries: RECORDS,
  async run(found, scene) {
    const suite = botSuite('  - {id: a, turns: [x], assert: [{type: contains, value: x}]}\n');
    const { workspace } = await runFiles(scene, { 'bot.mjs': ECHO, 'suite.eval.yaml': suite });
    const runs = join(workspace, '.turnlight/runs');
    const [name = ''] = await readdir(runs);
    const good = await readFile(join(runs, name), 'utf8');
    const { workspace: served } = serviceOver(nodeFiles(), workspace);
    for (let index = 0; index < RECORDS; index += 1) {
      // Its name makes it older, so its contents come after the valid record's.
      const record = join(runs, `2000-01-01T00-00-00-000Z-${index}.jsonl`);
      await put(record, good, index, scene.random);
      const lines = await served.lastRuns(join(workspace, 'suite.eval.yaml'), 'a').catch(String);
      const verdict = typeof lines === 'string' ? lines : lines.map(({ status }) => status).join();
      if (verdict !== 'pass') found(`record ${index}: ${verdict}`);
      const other = await served.lastRuns(join(workspace, 'suite.eval.yaml'), 'none').catch(String);
      if (other.length > 0) found(`record ${index}, a case that never ran: ${other}`);
      await rm(record, { recursive: true });
    }
  },
};

async function put(path: string, good: string, index: number, random: Random): Promise<void> {
  if (index === 0) return void (await mkdir(path));
  if (index === 1) return symlink('/dev/zero', path);
  if (index === 2) return symlink(path, path);
  // The largest record of each kind comes first.
  const spoil = SPOILT[index - 3] ?? oneOf(SPOILT, random);
  const size = index - 3 < SPOILT.length ? FULL : 1 + random(100_000);
  await writeFile(path, spoil(good, size));
}
