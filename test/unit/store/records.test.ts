import assert from 'node:assert/strict';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import type { CaseLine } from '../../../src/core/record/runRecord.ts';
import { Scrubber } from '../../../src/core/scrubber.ts';
import type { Suite } from '../../../src/core/suite.ts';
import { snapshotOf } from '../../../src/extension/viewer/snapshot.ts';
import { inlayHints } from '../../../src/language/features/inlayHints.ts';
import { hover } from '../../../src/language/hover/hover.ts';
import { recordsIn } from '../../../src/store/records/files.ts';
import { LatestRuns } from '../../../src/store/records/latest.ts';
import { readRecord } from '../../../src/store/records/runRecord.ts';
import { createRecord } from '../../../src/store/records/write.ts';
import { buildVerdict } from '../../support/build.ts';
import { buildCaseLine, talk } from '../../support/buildRun.ts';
import { documentOf } from '../../support/language/evalDocument.ts';
import { botSuite, ECHO, runFiles, suiteIn, workspaceWith } from '../../support/runs.ts';

const CHECK = 'assert: [{type: contains, value: x}]';
const V1 = resolve(import.meta.dirname, '../../fixtures/v1');

/** Writes a record with the given text to a folder. */
async function withRecord(folder: string, name: string, text: string) {
  await mkdir(recordsIn(folder), { recursive: true });
  const path = join(recordsIn(folder), `${name}.jsonl`);
  await writeFile(path, text);
  return path;
}

function caseIn(suite: string, id = 'a') {
  return JSON.stringify(buildCaseLine({ id, status: 'pass', suite }));
}

describe('the newest record', () => {
  /** The newest of the runs that started at the given times, in this order. */
  async function newest(t: TestContext, ...times: readonly string[]) {
    const folder = await workspaceWith(t, {});
    const written: string[] = [];
    for (const [index, started] of times.entries()) {
      const record = await createRecord(folder, `r${index}`, started, new Scrubber());
      const suite = 'suite.eval.yaml';
      await record.append(buildCaseLine({ id: 'a', status: 'pass', suite, finished: started }));
      await record.close();
      written.push(record.path);
    }
    const [found] = await new LatestRuns().find(join(folder, 'suite.eval.yaml'), 'a');
    return written.indexOf(found?.record ?? '');
  }

  it('is the one that started last, even if the clock was set back', async (t) => {
    const [morning, noon, later] = [
      '2026-01-01T08:00:00.000Z',
      '2026-01-01T12:00:00.000Z',
      '2031-01-01T00:00:00.000Z',
    ];
    assert.equal(await newest(t, morning, noon), 1);
    assert.equal(await newest(t, noon, morning), 1);
    assert.equal(await newest(t, later, noon, morning), 2);
    assert.equal(await newest(t, noon, noon, noon), 2);
  });

  it('is never one with a forged name', async (t) => {
    const folder = await workspaceWith(t, {});
    const suite = join(folder, 'suite.eval.yaml');
    for (const name of [
      'zzz',
      '9999-12-31T23-59-59-999Z-x',
      '2070-01-01T00-00-00-000Z-x',
      '+999999-x',
    ]) {
      await withRecord(folder, name, caseIn(suite));
    }
    const started = new Date().toISOString();
    const record = await createRecord(folder, 'r', started, new Scrubber());
    await record.append(buildCaseLine({ id: 'a', status: 'pass', suite: 'suite.eval.yaml' }));
    await record.close();
    const [found] = await new LatestRuns().find(suite, 'a');
    assert.equal(found?.record, record.path);
  });

  it('contains each concurrently appended line completely', async (t) => {
    const folder = await workspaceWith(t, {});
    const record = await createRecord(folder, 'r', new Date().toISOString(), new Scrubber());
    const ids = Array.from({ length: 20 }, (_, index) => `case-${index}`);
    await Promise.all(ids.map((id) => record.append(buildCaseLine({ id, status: 'pass' }))));
    const written = (await readFile(record.path, 'utf8')).trimEnd().split('\n');
    assert.deepEqual(
      written.map((line) => JSON.parse(line).id),
      ids,
    );
    await record.close();
  });

  it('is in the nearest .turnlight, whatever the clock', async (t) => {
    const folder = await workspaceWith(t, {});
    const suite = join(folder, 'evals/suite.eval.yaml');
    await withRecord(folder, '2031-01-01', caseIn('evals/suite.eval.yaml'));
    const nearer = await withRecord(join(folder, 'evals'), '2026-01-01', caseIn('suite.eval.yaml'));
    const [found] = await new LatestRuns().find(suite, 'a');
    assert.equal(found?.record, nearer);
  });
});

describe('the last runs of many cases', () => {
  const SUITE = 'suite.eval.yaml';

  /** A folder with the given records, each as a list of lines. The last one is the newest. */
  async function recordsOf(t: TestContext, ...records: readonly (readonly CaseLine[])[]) {
    const folder = await workspaceWith(t, {});
    for (const [index, lines] of records.entries()) {
      const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
      await withRecord(folder, `2026-01-0${index + 1}`, text);
    }
    return join(folder, SUITE);
  }

  const ran = (id: string, more: Partial<CaseLine> = {}) =>
    buildCaseLine({ suite: SUITE, ...more, status: more.status ?? 'pass', id });

  const twice = (id: string, repetition: number) => ran(id, { repetition, repetitions: 2 });

  async function eachOf(suite: string, ...cases: readonly { id: string; variant?: string }[]) {
    const found: string[][] = [];
    for await (const lines of new LatestRuns().each(suite, cases)) {
      found.push(
        lines.map(({ id, variant = '', repetition, status }) =>
          [id, variant, repetition, status].join(' '),
        ),
      );
    }
    return found;
  }

  it('are in the order of the cases, each from the newest record with it', async (t) => {
    const suite = await recordsOf(
      t,
      [ran('a', { status: 'fail' }), ran('b', { status: 'fail' }), ran('c')],
      [ran('b'), ran('stranger')],
    );
    const found = await eachOf(suite, { id: 'c' }, { id: 'b' }, { id: 'never' }, { id: 'a' });
    assert.deepEqual(found, [['c  1 pass'], ['b  1 pass'], ['a  1 fail']]);
  });

  it('contain all repetitions of the newest run', async (t) => {
    const suite = await recordsOf(
      t,
      [twice('a', 1), twice('a', 2)],
      [twice('a', 1), twice('a', 2)],
    );
    assert.deepEqual(await eachOf(suite, { id: 'a' }), [['a  1 pass', 'a  2 pass']]);
  });

  it('distinguish variants of a case', async (t) => {
    const suite = await recordsOf(
      t,
      [ran('a', { variant: 'x', status: 'fail' }), ran('a', { variant: 'y', status: 'fail' })],
      [ran('a', { variant: 'y' })],
    );
    const found = await eachOf(suite, { id: 'a', variant: 'x' }, { id: 'a', variant: 'y' });
    assert.deepEqual(found, [['a x 1 fail'], ['a y 1 pass']]);
  });
});

describe('a record', () => {
  it('contains no path of the machine, and / in every path', async (t) => {
    const folder = await workspaceWith(t, {});
    await mkdir(join(folder, '.git'));
    await mkdir(join(folder, 'evals/deep'), { recursive: true });
    const workspace = join(folder, 'evals/deep');
    const { record = '' } = await runFiles(
      t,
      {
        'bot.mjs': ECHO,
        'suite.eval.yaml': botSuite(
          `  - {id: a, turns: [x], assert: [{type: all-of, assert: [{type: contains, value: x}]}]}\n`,
        ),
      },
      { workspace },
    );
    assert.equal(dirname(record), recordsIn(folder));
    const text = await readFile(record, 'utf8');
    assert.ok(!text.includes(folder), text);
    const [run, line] = text.split('\n').map((one) => JSON.parse(one || '{}'));
    assert.equal(run.version, 2);
    assert.deepEqual(run.files[0].path, 'evals/deep/suite.eval.yaml');
    assert.equal(line.suite, 'evals/deep/suite.eval.yaml');
    const [found] = await new LatestRuns().find(join(workspace, 'suite.eval.yaml'), 'a');
    assert.equal(found?.line.source.path, join(workspace, 'suite.eval.yaml'));
    assert.equal(found?.line.verdicts[0]?.nested?.[0]?.assertion.path, found?.line.source.path);
  });

  it('names the assertion and question of each verdict', async (t) => {
    const asked = async (assertions: string) => {
      const { lines } = await runFiles(t, {
        'bot.mjs': ECHO,
        'suite.eval.yaml': botSuite(`  - {id: a, turns: [x], assert: [${assertions}]}\n`),
      });
      const [group] = lines[0]?.verdicts ?? [];
      return [group, ...(group?.nested ?? [])].map((verdict) => ({
        key: verdict?.assertion.key,
        question: verdict?.question_hash ?? '',
      }));
    };
    const [group, inner] = await asked('{type: all-of, assert: [{type: contains, value: x}]}');
    assert.deepEqual([group?.key, inner?.key], ['all-of', 'all-of/contains']);
    assert.match(`${group?.question} ${inner?.question}`, /^[0-9a-f]{64} [0-9a-f]{64}$/);
    const named = '{type: all-of, name: G, assert: [{type: contains, value: x, threshold: 0.5}]}';
    const [renamed, same] = await asked(named);
    assert.deepEqual([renamed?.key, same?.key], ['G', 'G/contains']);
    assert.deepEqual([renamed?.question, same?.question], [group?.question, inner?.question]);
    const other = await asked('{type: all-of, assert: [{type: contains, value: y}]}');
    assert.notEqual(other[1]?.question, inner?.question);
  });

  it('loses only a torn last line, wherever it is torn', async (t) => {
    const { record = '' } = await runFiles(t, {
      'bot.mjs': ECHO,
      'suite.eval.yaml': botSuite(
        `  - {id: a, turns: [x], ${CHECK}}\n  - {id: b, turns: [é], ${CHECK}}\n`,
      ),
    });
    const bytes = await readFile(record);
    const ends = [...bytes.entries()].flatMap(([index, byte]) => (byte === 10 ? [index] : []));
    const [last = 0, end = 0] = ends.slice(-2);
    for (let length = last + 2; length < end; length += 1) {
      await writeFile(record, bytes.subarray(0, length));
      const { run, cases, problems } = await readRecord(record);
      assert.deepEqual([run?.version, cases.length, problems.length], [2, 2, 1]);
    }
  });

  it('of a newer version is read without unknown keys', async (t) => {
    const folder = await workspaceWith(t, {});
    const line = buildCaseLine({
      id: 'a',
      status: 'pass',
      suite: 'suite.eval.yaml',
      conversation: talk('Hi', 'Hello'),
      verdicts: [buildVerdict({ status: 'pass', score: 1 })],
    });
    const newer = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(newer);
      if (typeof value !== 'object' || value === null) return value;
      // Details can be any JSON.
      const entries = Object.entries(value).map(([key, one]) => [
        key,
        key === 'details' ? one : newer(one),
      ]);
      return { ...Object.fromEntries(entries), later: 1 };
    };
    const run = {
      kind: 'run',
      version: 7,
      id: 'r',
      started: '',
      files: [],
      options: {},
      judges: [],
    };
    const lines = [newer({ ...run, files: [{ path: 'suite.eval.yaml', hash: '' }] }), newer(line)];
    const path = await withRecord(folder, '1', lines.map((one) => JSON.stringify(one)).join('\n'));
    const { problems, cases } = await readRecord(path);
    assert.deepEqual(problems, []);
    assert.ok(!JSON.stringify(cases).includes('later'));
    assert.equal(cases[0]?.verdicts[0]?.status, 'pass');
    await writeFile(path, `${JSON.stringify(run)}\n{"kind": "case", "id": 5}\n`);
    assert.match((await readRecord(path)).problems.join(), /line 2: .*newer/);
  });

  it('is found above the current folder of records, where older versions stored it', async (t) => {
    const folder = await workspaceWith(t, {});
    await mkdir(join(folder, 'evals/.turnlight'), { recursive: true });
    const suite = join(folder, 'evals/suite.eval.yaml');
    await withRecord(folder, '2026-01-01', caseIn(suite));
    const runs = new LatestRuns();
    assert.equal((await runs.find(suite, 'a')).length, 1);
    const newer = await withRecord(join(folder, 'evals'), '2026-01-02', caseIn('suite.eval.yaml'));
    assert.equal((await runs.find(suite, 'a'))[0]?.record, newer);
  });

  it('is found through a link to the folder of the eval file, under the names of the link', async (t) => {
    const files = {
      'bot.mjs': ECHO,
      'suite.eval.yaml': botSuite(`  - {id: a, turns: [x], ${CHECK}}\n`),
    };
    const { workspace } = await runFiles(t, files);
    const link = join(await workspaceWith(t, {}), 'link');
    await symlink(workspace, link);
    const linked = await runFiles(t, files, { workspace: link });
    const runs = new LatestRuns();
    for (const folder of [workspace, link]) {
      const suite = join(folder, 'suite.eval.yaml');
      const [found] = await runs.find(suite, 'a');
      assert.equal(found?.record, linked.record);
      assert.deepEqual([found?.line.suite, found?.line.source.path], [suite, suite]);
    }
  });

  it("is stored at each root of a run's files", async (t) => {
    const files = {
      'bot.mjs': ECHO,
      'suite.eval.yaml': botSuite(`  - {id: a, turns: [x], ${CHECK}}\n`),
    };
    const suites: Suite[] = [];
    for (let count = 0; count < 2; count += 1) {
      const repository = await workspaceWith(t, { ...files, '.git/HEAD': '' });
      suites.push(await suiteIn(repository));
    }
    const { records, end, events } = await runFiles(t, files, { suites });
    assert.deepEqual(end.counts, { pass: 2, fail: 0, error: 0, skipped: 0 });
    assert.equal(records.length, 2);
    const ids = new Set<string | undefined>();
    for (const { path } of suites) {
      const [found] = await new LatestRuns().find(path, 'a');
      assert.equal(dirname(found?.record ?? ''), recordsIn(dirname(path)));
      const { run, end: ended, cases } = await readRecord(found?.record ?? '');
      assert.deepEqual([run?.files.length, cases.length, ended?.counts.pass], [1, 1, 1]);
      ids.add(run?.id);
    }
    assert.equal(ids.size, 1);
    const [started] = events;
    assert.equal(started?.kind === 'run-started' && started.run.files.length, 2);
  });
});

describe('a record of version 1', () => {
  /** A folder with a suite and a record that version wrote. */
  async function opened(t: TestContext) {
    const folder = await workspaceWith(t, {});
    const text = await readFile(join(V1, 'suite.yaml'), 'utf8');
    const record = await readFile(join(V1, 'record.jsonl'), 'utf8');
    const path = await withRecord(folder, '2026', record.replaceAll('/workspace', folder));
    const suite = join(folder, 'support.eval.yaml');
    const runs = new LatestRuns();
    const linesOf = async (id: string) => (await runs.find(suite, id)).map(({ line }) => line);
    const document = await documentOf(text, { 'agent.mjs': '' });
    const lastRuns = (_suite: string, id: string) => linesOf(id);
    return { path, suite, text, linesOf, document, lastRuns };
  }

  it('is read completely', async (t) => {
    const { path, suite } = await opened(t);
    const { run, cases, end, problems } = await readRecord(path);
    assert.deepEqual(problems, []);
    assert.deepEqual([run?.version, run?.files[0]?.path, cases.length], [1, suite, 3]);
    assert.equal(end?.counts.fail, 2);
  });

  it('appears in hovers on a case, a turn, an assertion, and a nested one', async (t) => {
    const { text, document, lastRuns } = await opened(t);
    const lines = text.split('\n');
    const shownAt = async (piece: string) => {
      const line = lines.findIndex((one) => one.includes(piece));
      const position = { line, character: (lines[line] ?? '').indexOf(piece) + 1 };
      const found = await hover(document, position, { lastRuns });
      return JSON.stringify(found?.contents).replace(/&#(\d+);/g, (_entity, code: string) =>
        String.fromCharCode(Number(code)),
      );
    };
    assert.match(await shownAt('incomplete'), /Last run.*fail/);
    assert.match(await shownAt("What's the return window"), /Turn 6: fail/);
    assert.match(await shownAt('conversation-completeness'), /Completeness.*no/);
    assert.match(await shownAt('value: shipping'), /does not hold/);
    assert.match(await shownAt("value: '10'"), /Repetition 2.*contains\*\* — pass/);
    assert.match(await shownAt('value: from'), /contains\*\* — pass/);
    assert.match(await shownAt('value: noon'), /contains\*\* — fail/);
    assert.doesNotMatch(await shownAt('value: noon'), /has changed/);
  });

  it('appears before the turns and in the conversation view', async (t) => {
    const { document, suite, linesOf, lastRuns } = await opened(t);
    const all = { start: { line: 0, character: 0 }, end: { line: 99, character: 0 } };
    const settings = { turnNumbers: false, scores: true };
    const hints = await inlayHints(document, all, { lastRuns }, settings);
    assert.ok(hints.some(({ label }) => String(label).includes('✗ 0.00')));
    assert.ok(hints.every(({ label }) => !String(label).includes('stale')));
    const state = { file: suite, id: 'incomplete', repetition: 1 };
    const [line] = await linesOf('incomplete');
    const shown = snapshotOf(state, {
      suite: document.suite,
      assertions: [],
      live: undefined,
      finished: line,
    });
    assert.deepEqual([shown.phase, shown.status], ['finished', 'fail']);
    assert.equal(shown.conversation.entries.length, 6);
  });
});
