import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Scrubber } from '../../../src/core/scrubber.ts';
import { readJob, readLine, readManifest, readWorkerStatus } from '../../../src/queue/messages.ts';
import { RemoteResults } from '../../../src/queue/queuedRun.ts';
import { localPath } from '../../../src/queue/sharedFiles.ts';
import type { RunEvent } from '../../../src/runner/events.ts';
import { planRun } from '../../../src/runner/plan.ts';
import { botSuite, ECHO, runFiles, suiteIn } from '../../support/runs.ts';

const JOB = { suite: 'evals/a.eval.yaml', id: 'a', repetition: 1 };

const LEADING_OUT = [
  '../a.eval.yaml',
  'evals/../../a.eval.yaml',
  '/etc/a.eval.yaml',
  'C:/a.eval.yaml',
  '..\\a.eval.yaml',
  'evals//a.eval.yaml',
  './a.eval.yaml',
  'a\0.eval.yaml',
];

describe('a message from a queue', () => {
  it('names only eval files inside the folder', () => {
    const manifest = (...paths: readonly string[]) =>
      JSON.stringify({
        version: '1',
        timeout: 1,
        cache: true,
        suites: paths.map((path) => ({ path, files: [], models: [] })),
      });
    assert.ok(readJob(JOB));
    assert.ok(readManifest(manifest(JOB.suite)));
    assert.equal(readManifest(manifest(JOB.suite, JOB.suite)), undefined);
    for (const suite of [...LEADING_OUT, 'secrets.txt', 'a.eval.yaml/']) {
      assert.equal(readJob({ ...JOB, suite }), undefined, suite);
      assert.equal(readManifest(manifest(suite)), undefined, suite);
    }
  });

  it('contains no unknown keys, and is limited in size', () => {
    const nested = `${'['.repeat(10_000)}${']'.repeat(10_000)}`;
    for (const job of [{ ...JOB, key: 'sk-1' }, { ...JOB, id: 'x'.repeat(20_000) }, null, 'a']) {
      assert.equal(readJob(job), undefined);
    }
    for (const text of ['', nested, '{"version": "1"}', 'null']) {
      assert.equal(readManifest(text), undefined);
      assert.equal(readLine(text), undefined);
      assert.equal(readWorkerStatus(text), undefined);
    }
    assert.equal(readLine({ kind: 'case' }), undefined);
  });
});

describe('a result from a queue', () => {
  it('is accepted only for the requested case, from its folder, and without secrets', async (t) => {
    const files = {
      'bot.mjs': ECHO,
      'suite.eval.yaml': botSuite(
        '  - {id: a, turns: [Hi], assert: [{type: contains, value: Hi}]}\n',
      ),
    };
    const { lines, workspace: root } = await runFiles(t, files);
    const [planned] = planRun({ suites: [await suiteIn(root)], forbidOnly: false });
    const [made] = lines;
    assert.ok(planned && made);
    const line = JSON.parse(JSON.stringify(made).replaceAll(`${root}/`, ''));
    const scrubber = new Scrubber({ OUR_KEY: 'planted-0123456789' });
    const events: RunEvent[] = [];
    const results = new RemoteResults({ root, scrubber, onEvent: (event) => events.push(event) });
    const finish = (change: object) =>
      results.finished(planned, JSON.stringify({ ...line, ...change }));

    assert.deepEqual(await finish({}), made);
    assert.equal(
      (await finish({ reason: 'It is planted-0123456789.' })).reason,
      'It is [hidden: OUR_KEY].',
    );
    assert.equal((await finish({})).source.path, localPath('suite.eval.yaml', root));
    const { source } = line;
    const wrong = [
      { id: 'b' },
      { repetition: 2 },
      { suite: '../suite.eval.yaml' },
      { score: 7 },
      { status: 'won' },
      { source: { ...source, hash: 'other' } },
      { source: { ...source, path: '../../etc/passwd' } },
      { verdicts: [] },
      { repetitions: 2 },
      { verdicts: line.verdicts.map((one: object) => ({ ...one, status: 'fail', score: 0 })) },
    ];
    for (const change of wrong) {
      const { status, reason } = await finish(change);
      assert.deepEqual(
        [status, reason],
        ['error', 'worker-lost: The worker returned an invalid result for this case.'],
        JSON.stringify(change),
      );
    }
  });
});
