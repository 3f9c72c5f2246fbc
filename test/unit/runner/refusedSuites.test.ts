import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { SILENT } from '../../../src/core/logger.ts';
import { Scrubber } from '../../../src/core/scrubber.ts';
import type { Suite } from '../../../src/core/suite.ts';
import { refusedSuites } from '../../../src/runner/refusedSuites.ts';
import { runSuites } from '../../../src/runner/run.ts';
import { suiteIn } from '../../support/runs.ts';

const CASE =
  '{id: one, transcript: [{user: Hi}, {assistant: Hello}], assert: [{type: contains, value: Hello}]}';
const ASKS = `judge: openai:unheard-of\n${`cases: [${CASE}]`.replace('contains, value: Hello', 'criterion, criterion: Polite?')}`;

/** Suites in folders that keep their own records. */
async function suites(t: TestContext, texts: Readonly<Record<string, string>>) {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'turnlight-refused-')));
  t.after(() => rm(root, { recursive: true, force: true }));
  const made: Suite[] = [];
  for (const [name, text] of Object.entries(texts)) {
    await mkdir(join(root, name, '.turnlight'), { recursive: true });
    await writeFile(join(root, name, 'suite.eval.yaml'), `${text}\n`);
    made.push(await suiteIn(join(root, name)));
  }
  return { root, made };
}

/** The names of the folders whose suites are to blame. */
async function refused(made: readonly Suite[], maxCost?: number): Promise<string[]> {
  const chosen = made.map((suite) => ({ suite, cases: suite.cases }));
  const error = await runSuites({
    suites: made,
    concurrency: 1,
    timeout: 1_000,
    forbidOnly: false,
    keepRecord: true,
    described: {},
    ...(maxCost !== undefined && { maxCost }),
    secret: async () => undefined,
    env: () => undefined,
    scrubber: new Scrubber({}),
    log: SILENT,
    signal: new AbortController().signal,
    onEvent: () => {},
  }).then(
    () => assert.fail('It was not refused.'),
    (reason: unknown) => reason,
  );
  return refusedSuites(error, chosen).map(({ suite }) => suite.path.split(/[\\/]/).at(-2) ?? '');
}

describe('what is to blame where a run is refused', () => {
  it('are the suites whose record cannot be written, and no record of the others is left behind', async (t) => {
    const { root, made } = await suites(t, { free: `cases: [${CASE}]`, full: `cases: [${CASE}]` });
    await writeFile(join(root, 'full/.turnlight/runs'), '');
    assert.deepEqual(await refused(made), ['full']);
    assert.deepEqual(await readdir(join(root, 'free/.turnlight/runs')), []);
  });

  it('are the suites whose models have no price where the cost is limited', async (t) => {
    const { made } = await suites(t, { free: `cases: [${CASE}]`, dear: ASKS });
    assert.deepEqual(await refused(made, 1), ['dear']);
  });
});
