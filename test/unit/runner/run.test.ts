import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { combineRepetitions, passAtAll } from '../../../src/core/record/repetitions.ts';
import type { CaseLine } from '../../../src/core/record/runRecord.ts';
import { LatestRuns } from '../../../src/store/records/latest.ts';
import { readRecord } from '../../../src/store/records/runRecord.ts';
import { buildVerdict } from '../../support/build.ts';
import { buildCaseLine } from '../../support/buildRun.ts';
import { botSuite, ECHO, runFiles, workspaceWith } from '../../support/runs.ts';

const CHECK = 'assert: [{type: contains, value: x}]';

describe('a run', () => {
  it('writes a readable record that git ignores', async (t) => {
    const { record, workspace, lines } = await runFiles(t, {
      'bot.mjs': ECHO,
      'suite.eval.yaml': botSuite(`  - {id: a, turns: [x], ${CHECK}}\n`),
    });
    const read = await readRecord(record ?? '');
    assert.deepEqual(read.problems, []);
    assert.deepEqual(read.cases, lines);
    assert.equal(read.run?.files.length, 1);
    assert.equal(read.end?.cancelled, false);
    assert.equal(await readFile(join(workspace, '.turnlight/.gitignore'), 'utf8'), '*\n');
    const found = await new LatestRuns().find(join(workspace, 'suite.eval.yaml'), 'a');
    assert.equal(found[0]?.line.status, 'pass');
  });

  it('keeps finished cases of a torn record', async (t) => {
    const { record = '' } = await runFiles(t, {
      'bot.mjs': ECHO,
      'suite.eval.yaml': botSuite(`  - {id: a, turns: [x], ${CHECK}}\n`),
    });
    await writeFile(record, (await readFile(record, 'utf8')).slice(0, -20));
    const read = await readRecord(record);
    assert.equal(read.cases.length, 1);
    assert.equal(read.end, undefined);
    assert.equal(read.problems.length, 1);
  });

  it('reports a case with skip as skipped, with its reason', async (t) => {
    const { lines, end } = await runFiles(t, {
      'bot.mjs': ECHO,
      'suite.eval.yaml': botSuite(`  - {id: a, skip: later, turns: [x], ${CHECK}}\n`),
    });
    assert.equal(lines[0]?.status, 'skipped');
    assert.equal(lines[0]?.reason, 'later');
    assert.equal(end.counts.skipped, 1);
  });

  it('reports each turn as it happens, before the verdicts', async (t) => {
    const { events } = await runFiles(t, {
      'bot.mjs': ECHO,
      'suite.eval.yaml': botSuite(`  - {id: a, turns: [x, y], ${CHECK}}\n`),
    });
    assert.deepEqual(
      events.map(({ kind }) => kind),
      [
        'run-started',
        'case-started',
        'turn',
        'turn',
        'turn',
        'turn',
        'verdict',
        'case-finished',
        'run-finished',
      ],
    );
  });

  it('stops immediately when it is canceled, and keeps finished cases', async (t) => {
    const abort = new AbortController();
    const { end, lines } = await runFiles(
      t,
      {
        'bot.mjs':
          "export default async (m) => { if (m.at(-1).content === 'slow') await new Promise((done) => setTimeout(done, 60_000)); return 'x'; };\n",
        'suite.eval.yaml': botSuite(
          `  - {id: a, turns: [x], ${CHECK}}\n  - {id: b, turns: [slow], ${CHECK}}\n  - {id: c, turns: [x], ${CHECK}}\n`,
        ),
      },
      {
        concurrency: 1,
        signal: abort.signal,
        onEvent: (event) => {
          if (event.kind === 'turn' && event.ref.id === 'b') abort.abort();
        },
      },
    );
    assert.equal(end.cancelled, true);
    assert.deepEqual(
      lines.map(({ id }) => id),
      ['a'],
    );
  });

  it('replays its recording, including targets', async (t) => {
    const recording = join(await workspaceWith(t, {}), 'recording.jsonl');
    const suite = botSuite(`  - {id: a, turns: [x], ${CHECK}}\n`);
    await runFiles(t, { 'bot.mjs': ECHO, 'suite.eval.yaml': suite }, { record: recording });
    const broken = { 'bot.mjs': 'throw new Error("never loaded");\n', 'suite.eval.yaml': suite };
    const replayed = await runFiles(t, broken, { replay: recording });
    assert.equal(replayed.lines[0]?.status, 'pass');
  });

  it('never writes a key', async (t) => {
    const { record = '', events } = await runFiles(t, {
      'suite.eval.yaml':
        'judge: {provider: openai, model: m, base_url: "http://127.0.0.1:9/v1", timeout: 500}\ncases:\n  - {id: a, transcript: [{user: a}, {assistant: b}], assert: [c]}\n',
    });
    assert.ok(!(await readFile(record, 'utf8')).includes('test-key'));
    assert.ok(!JSON.stringify(events).includes('test-key'));
  });
});

describe('the plan of a run', () => {
  const MANY = Array.from(
    { length: 201 },
    (_, index) => `  - {id: c${index}, repeat: 1000, turns: [x], ${CHECK}}\n`,
  ).join('');

  it('is limited by `only`, unless that is forbidden', async (t) => {
    const files = {
      'bot.mjs': ECHO,
      'suite.eval.yaml': botSuite(
        `  - {id: a, turns: [x], ${CHECK}}\n  - {id: b, only: true, turns: [x], ${CHECK}}\n`,
      ),
    };
    const { lines } = await runFiles(t, files);
    assert.deepEqual(
      lines.map(({ id }) => id),
      ['b'],
    );
    await assert.rejects(runFiles(t, files, { forbidOnly: true }), {
      reason: 'only-forbidden',
    });
  });

  it('is refused if it has too many repetitions, before they are created', async (t) => {
    const files = { 'bot.mjs': ECHO, 'suite.eval.yaml': botSuite(MANY) };
    await assert.rejects(runFiles(t, files), { reason: 'too-many', message: /201,000 cases/ });
  });

  it('contains every repetition', async (t) => {
    const { events } = await runFiles(t, {
      'bot.mjs': ECHO,
      'suite.eval.yaml': botSuite(`  - {id: a, repeat: 3, turns: [x], ${CHECK}}\n`),
    });
    const [started] = events;
    assert.deepEqual(
      started?.kind === 'run-started' && started.cases.map(({ repetition }) => repetition),
      [1, 2, 3],
    );
  });
});

describe('the repetitions of a case', () => {
  const passed = buildCaseLine({ id: 'a', status: 'pass', score: 1 });
  const failed = buildCaseLine({ id: 'a', status: 'fail', score: 0.25 });
  const error = buildCaseLine({ id: 'a', status: 'error' });
  const gated = buildCaseLine({
    id: 'a',
    status: 'fail',
    score: 0.9,
    verdicts: [buildVerdict({ status: 'fail', score: 0, required: true })],
  });

  it('pass if enough of them do', () => {
    assert.equal(combineRepetitions([passed, passed], 1).status, 'pass');
    assert.equal(combineRepetitions([passed, failed], 1).status, 'fail');
    assert.equal(combineRepetitions([passed, failed], 0.5).status, 'pass');
  });

  it('show how likely k runs of a case all pass', () => {
    const times = (count: number, line: CaseLine) => Array.from({ length: count }, () => line);
    // C(c, k) ÷ C(n, k) by hand: 3 of 4 is 0.75, 3/6, 1/4, 0; 4 of 4 is 1.
    const cases = [[...times(3, passed), failed], times(4, passed), [passed]];
    assert.deepEqual(passAtAll(cases), [0.875, 0.75, 0.625, 0.5]);
    assert.deepEqual(passAtAll([[passed, passed, error], times(3, failed)]), [0.5, 0.5]);
    assert.deepEqual(passAtAll([[passed]]), []);
  });

  it('have a pass rate and spread', () => {
    const { passRate, spread, score } = combineRepetitions([passed, failed], 1);
    assert.deepEqual([passRate, spread, score], [0.5, 0.75, 0.625]);
  });

  it('cannot outvote a required failure or an error', () => {
    assert.equal(combineRepetitions([passed, passed, gated], 0.1).status, 'fail');
    assert.equal(combineRepetitions([passed, passed, error], 0.1).status, 'error');
  });

  it('have no score if one errored', () => {
    assert.equal(combineRepetitions([passed, error], 0.1).score, null);
    assert.equal(combineRepetitions([{ ...passed, status: 'error' }], 1).score, null);
  });

  it('have no result if none was decided', () => {
    const skipped = buildCaseLine({ id: 'a', status: 'skipped' });
    assert.deepEqual(combineRepetitions([skipped], 1), {
      status: 'skipped',
      passRate: null,
      spread: null,
      score: null,
    });
  });
});

const files = {
  'bot.mjs': ECHO,
  'suite.eval.yaml': botSuite(
    ['a', 'b', 'c']
      .map((id) => `  - {id: ${id}, turns: [Hi], assert: [{type: contains, value: Hi}]}\n`)
      .join(''),
  ),
};

describe('cases that run elsewhere', () => {
  it('are reported and recorded when they return', async (t) => {
    const here = await runFiles(t, files);
    const [line] = here.lines as [CaseLine];
    const ran = await runFiles(t, files, {
      elsewhere: {
        concurrency: 4,
        stopped: false,
        run: async ({ ref }) => ({ ...line, ...ref, status: 'fail', score: 0 }),
      },
    });
    assert.deepEqual(
      ran.lines.map(({ id, status }) => [id, status]),
      ['a', 'b', 'c'].map((id) => [id, 'fail']),
    );
    assert.equal(ran.end.counts.fail, 3);
    assert.equal((await readRecord(ran.record ?? '')).cases.length, 3);
  });

  it("aren't started after their cost has reached the limit", async (t) => {
    const here = await runFiles(t, files);
    const [line] = here.lines as [CaseLine];
    let stopped = false;
    const ran = await runFiles(t, files, {
      elsewhere: {
        concurrency: 1,
        get stopped() {
          return stopped;
        },
        run: async ({ ref }) => {
          stopped = true;
          return { ...line, ...ref };
        },
      },
    });
    assert.equal(ran.lines.length, 1);
    assert.equal(ran.end.stopped, 'max-cost');
  });
});
