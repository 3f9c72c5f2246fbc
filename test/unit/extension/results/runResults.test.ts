import assert from 'node:assert/strict';
import { appendFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { RunResults, rootFor } from '../../../../src/extension/results/runResults.ts';
import { searchRecords } from '../../../../src/store/records/search.ts';
import { buildVerdict } from '../../../support/build.ts';
import { buildCaseLine, talk } from '../../../support/buildRun.ts';
import { recordText, writeRecord } from '../../../support/records.ts';
import { workspaceWith } from '../../../support/runs.ts';

const one = (id: string, said = 'Hello') =>
  buildCaseLine({ id, status: 'pass', score: 1, conversation: talk('Hi', said) });

async function resultsOf(t: TestContext, ...ids: readonly string[]) {
  const root = await workspaceWith(t, {});
  const record = await writeRecord(root, { id: 'aaaa', cases: ids.map((id) => one(id)) });
  const results = new RunResults(new Map([[record, root]]), (path) => path);
  await results.readNew();
  return { root, record, results };
}

const titles = ({ table }: RunResults) => table.cases.map(({ title }) => title);

describe('the results of a run', () => {
  it('grow with the record', async (t) => {
    const { root, record, results } = await resultsOf(t, 'a');
    await appendFile(
      record,
      recordText({ id: 'x', cases: [one('b')], end: {} }).replace(/^.*\n/, ''),
    );
    await results.readNew();
    assert.deepEqual(titles(results), ['a', 'b']);
    assert.equal(results.ends.length, 1);
    assert.equal(results.generation, 0);
    assert.equal(results.places[1]?.suite, join(root, 'suite.eval.yaml'));
  });

  it('are in file order, regardless of which case finished first', async (t) => {
    const root = await workspaceWith(t, {});
    const at = (line: number, id: string, variant?: string, path = 'suite.eval.yaml') => {
      const range = { start: { line, character: 0 }, end: { line, character: 1 } };
      return { ...one(id), variant, source: { path, range, hash: '0'.repeat(64) } };
    };
    const cases = [
      at(9, 'last', 'line-10'),
      at(1, 'included', undefined, 'z.yaml'),
      at(9, 'last', 'line-9'),
      at(1, 'first'),
    ];
    const record = await writeRecord(root, { id: 'aaaa', cases });
    const results = new RunResults(new Map([[record, root]]), (path) => path);
    await results.readNew();
    const read = results.order.map((row) => titles(results)[row]);
    assert.deepEqual(read, ['first', 'last/line-9', 'last/line-10', 'included']);
  });

  it('compare the variants of a target, with the times of their replies', async (t) => {
    const root = await workspaceWith(t, {});
    const varied = (id: number, name: string, latency: number) => {
      const line = one(`case-${id}`);
      const entries = line.conversation.entries.map((entry) => ({ ...entry, latency }));
      return {
        ...line,
        ...(name === 'plain' && { status: 'fail' as const, score: 0 }),
        conversation: { ...line.conversation, entries },
        variant: name,
        target_variant: { name, of: ['plain', 'warm'] },
      };
    };
    const cases = Array.from({ length: 8 }, (_, id) => [
      varied(id, 'warm', 300),
      varied(id, 'plain', 200),
    ]).flat();
    const record = await writeRecord(root, { id: 'aaaa', cases });
    const results = new RunResults(new Map([[record, root]]), (path) => path);
    await results.readNew();
    const [compared] = await results.variants();
    assert.deepEqual(
      compared?.rows.map((row) => [row[0], row[2], row.at(-1)]),
      [
        ['plain', '0.00', '200 ms'],
        ['warm', '1.00', '300 ms'],
      ],
    );
    assert.match(compared?.sentences.join() ?? '', /^"warm" passes 8 more of 8 cases/);
  });

  it('show no score for an errored case', async (t) => {
    const root = await workspaceWith(t, {});
    const cases = [{ ...one('a'), status: 'error' as const }, one('b')];
    const record = await writeRecord(root, { id: 'aaaa', cases });
    const results = new RunResults(new Map([[record, root]]), (path) => path);
    await results.readNew();
    assert.deepEqual(
      results.table.cases.map(({ scored }) => scored),
      [undefined, '1.00'],
    );
  });

  it('open two assertions with the same name at their own turns', async (t) => {
    const root = await workspaceWith(t, {});
    const turns = (turn: number) => [{ turn, status: 'fail' as const, score: 0, rationale: '' }];
    const tone = (turn: number) =>
      buildVerdict({ name: 'Tone', status: 'fail', score: 0, turns: turns(turn) });
    const cases = [{ ...one('a'), verdicts: [tone(2), tone(4)] }];
    const record = await writeRecord(root, { id: 'aaaa', cases });
    const results = new RunResults(new Map([[record, root]]), (path) => path);
    await results.readNew();
    const [place = assert.fail()] = results.places;
    assert.equal(await results.failingTurn(place, 0), 2);
    assert.equal(await results.failingTurn(place, 1), 4);
    assert.equal(await results.failingTurn(place, undefined), undefined);
  });

  it('start over if the record is rewritten, and follow the run to another record', async (t) => {
    const { root, record, results } = await resultsOf(t, 'a', 'b');
    const started = '2026-02-01T00:00:00.000Z';
    await writeRecord(root, { id: 'aaaa', started, cases: [one('b'), one('c'), one('d')] });
    await rm(record);
    await results.readNew();
    assert.deepEqual(titles(results), ['b', 'c', 'd']);
    assert.equal(results.generation, 1);
    assert.match(results.paths[0] ?? '', /2026-02-01/);
  });

  it('fill the row of a repeated case, which opens at the failure', async (t) => {
    const tone = (score: number) =>
      buildVerdict({ name: 'Tone', status: score < 0.5 ? 'fail' : 'pass', score });
    const brief = (score: number) => ({
      ...tone(score),
      assertion: { ...tone(1).assertion, name: 'Brief' },
    });
    const repetition = (at: number, verdicts: ReturnType<typeof tone>[]) => ({
      ...one('a', `Said ${at}`),
      ...{ repetition: at, repetitions: 3, verdicts },
      ...(verdicts.some(({ status }) => status === 'fail') && {
        status: 'fail' as const,
        score: 0.5,
      }),
    });
    const root = await workspaceWith(t, {});
    const first = repetition(1, [tone(1), brief(1)]);
    const record = await writeRecord(root, { id: 'aaaa', cases: [first, one('b')] });
    const results = new RunResults(new Map([[record, root]]), (path) => path);
    await results.readNew();
    assert.deepEqual(titles(results), ['a', 'b']);
    assert.equal(results.caseToOpen(0, undefined)?.repetition, 1);
    const rest = [repetition(2, [tone(1), brief(0)]), repetition(3, [tone(0), brief(1)])];
    await appendFile(record, recordText({ id: 'x', cases: rest }).replace(/^.*\n/, ''));
    await results.readNew();
    assert.deepEqual(titles(results), ['a', 'b']);
    assert.equal(results.places.length, 4);
    assert.deepEqual(results.table.cases[0]?.repeated?.finished, 3);
    assert.equal(results.caseToOpen(0, undefined)?.repetition, 2);
    assert.equal(results.caseToOpen(0, 0)?.repetition, 3, 'Tone');
    assert.equal(results.caseToOpen(0, 1)?.repetition, 2, 'Brief');
    assert.equal(results.caseToOpen(1, undefined)?.id, 'b');
  });

  it("say what couldn't be read", async (t) => {
    const { record, results } = await resultsOf(t, 'a');
    await appendFile(record, 'no JSON\n{"kind":"case","id":7}\n');
    await results.readNew();
    assert.deepEqual(results.problems, ["2 of the run's lines couldn't be read."]);
    const folder = await workspaceWith(t, { 'chat.jsonl': '{"role":"user"}\n' });
    const other = new RunResults(new Map([[join(folder, 'chat.jsonl'), folder]]), (path) => path);
    await other.readNew();
    assert.match(other.problems[0] ?? '', /is not a run record/);
  });

  it('resolve the paths of a CI record relative to the eval file', async (t) => {
    const workspace = await workspaceWith(t, { 'suite.eval.yaml': 'cases: []\n' });
    const downloads = await workspaceWith(t, {});
    const record = join(downloads, 'ci.jsonl');
    await writeFile(record, recordText({ id: 'aaaa', cases: [one('a')], end: {} }));
    assert.equal(await rootFor(record, ['/nowhere', workspace]), workspace);
    assert.equal(await rootFor(record, ['/nowhere']), downloads);
    const home = await writeRecord(downloads, { id: 'bbbb', cases: [] });
    assert.equal(await rootFor(home, [workspace]), downloads);
  });
});

describe('the search in a run', () => {
  async function found(results: RunResults, text: string, from = 0) {
    const signal = new AbortController().signal;
    const all: number[] = [];
    let last = 0;
    for await (const { cases, looked } of searchRecords(results.places, text, from, signal)) {
      all.push(...cases);
      last = looked;
    }
    assert.equal(last, results.places.length);
    return all.map((index) => titles(results)[index]);
  }

  it('finds messages and rationales, ignoring case', async (t) => {
    const root = await workspaceWith(t, {});
    const turns = [{ turn: 2, status: 'fail' as const, score: 0, rationale: 'Forgot the ORDER.' }];
    const verdicts = [buildVerdict({ name: 'Remembers', status: 'fail', score: 0, turns })];
    const record = await writeRecord(root, {
      id: 'aaaa',
      cases: [
        one('said', 'It “shipped”\nyesterday.'),
        { ...one('judged'), verdicts },
        { ...one('tagged'), tags: ['Returns'] },
      ],
    });
    const results = new RunResults(new Map([[record, root]]), (path) => path);
    await results.readNew();
    assert.deepEqual(await found(results, '“SHIPPED”'), ['said']);
    assert.deepEqual(await found(results, 'the order'), ['judged']);
    assert.deepEqual(await found(results, 'remembers'), ['judged']);
    assert.deepEqual(await found(results, 'returns'), ['tagged']);
    assert.deepEqual(await found(results, 'hello', 1), ['judged', 'tagged']);
    assert.deepEqual(await found(results, '0000'), [], 'digests are not searched');
  });

  it("skips lines that aren't cases, and stops if the record is gone", async (t) => {
    const { root, record, results } = await resultsOf(t, 'a');
    await appendFile(
      record,
      `no JSON\n\n${JSON.stringify({ ...one('b'), suite: 'suite.eval.yaml' })}\n`,
    );
    await results.readNew();
    assert.deepEqual(await found(results, 'hello'), ['a', 'b']);
    await rename(record, join(root, 'elsewhere'));
    assert.deepEqual(await found(results, 'hello'), []);
  });

  it('reports progress, and stops when aborted', async (t) => {
    const ids = Array.from({ length: 600 }, (_, at) => `c${at}`);
    const { results } = await resultsOf(t, ...ids);
    const controller = new AbortController();
    const looked: number[] = [];
    for await (const step of searchRecords(results.places, 'hello', 0, controller.signal)) {
      looked.push(step.looked);
      if (looked.length === 2) controller.abort();
    }
    assert.deepEqual(looked, [250, 500]);
  });
});
