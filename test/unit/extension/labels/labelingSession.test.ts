import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { describe, it, type TestContext } from 'node:test';
import { hasCaseOf } from '../../../../src/core/record/label.ts';
import { LabelingSession } from '../../../../src/extension/labels/labelingSession.ts';
import { readLabels } from '../../../../src/store/labels.ts';
import { renameCase } from '../../../../src/store/records/renameCase.ts';
import { buildVerdict, judgedLine } from '../../../support/comparing.ts';
import { labeledFolder } from '../../../support/labeling.ts';

const lines = [
  judgedLine('sure', [buildVerdict(1), buildVerdict(1, { key: 'Brief' })], { said: 'One' }),
  judgedLine('near', [buildVerdict(0.55, { turns: [[2, 1]] })], { said: 'Two' }),
];

async function roundIn(t: TestContext, judged = lines) {
  const { folder, suite: file } = await labeledFolder(judged);
  t.after(() => rm(folder, { recursive: true, force: true }));
  const begin = async (
    asked?: ReadonlyMap<string, ReadonlySet<string>>,
    inFile?: readonly string[],
  ) => {
    const round = new LabelingSession({
      file,
      person: 'ann',
      currentKeys: async () => asked,
      readCases: async () => inFile && hasCaseOf(inFile.map((id) => ({ id }))),
      statedAssertions: async () => [],
    });
    await round.start();
    return round;
  };
  const said = async () =>
    (await readLabels(file)).labels.map(
      ({ case: id, assertion, turn, status }) => `${id} ${assertion} ${turn ?? 'all'} ${status}`,
    );
  return { begin, said, file };
}

async function told(round: LabelingSession): Promise<string> {
  const shown = await round.snapshot();
  if (shown.phase !== 'asking') return shown.phase;
  const { title, at, total, question } = shown;
  return `${at} of ${total}: ${title}, ${question.name} ${question.at} of ${question.count}`;
}

describe('a labeling session', () => {
  it('asks about one conversation at a time, most informative first, without showing verdicts', async (t) => {
    const { begin, said } = await roundIn(t);
    const round = await begin();
    const shown = await round.snapshot();
    assert.equal(await told(round), '1 of 2: near, Kind 1 of 1');
    assert.doesNotMatch(JSON.stringify(shown), /rationale|0\.55|It is/);
    await round.answer({ kind: 'answer', choice: 1, turn: 2, comment: 'Rude' });
    await round.answer({ kind: 'answer', choice: 1, turn: 3 });
    assert.equal(await told(round), '1 of 2: near, Kind 1 of 1');
    await round.answer({ kind: 'answer', choice: 1 });
    assert.equal(await told(round), '2 of 2: sure, Kind 1 of 2');
    round.skip();
    await round.answer({ kind: 'answer', choice: 0 });
    assert.deepEqual(await said(), [
      'near Kind 2 fail',
      'near Kind all fail',
      'sure Brief all pass',
    ]);
    const end = await round.snapshot();
    assert.ok(end.phase === 'done');
    assert.equal(end.labeled, 1);
    assert.deepEqual(
      end.agreement.map((one) => /right in .*?(?=,|$)/.exec(one)?.[0]),
      ['right in 0 of 1 cases', 'right in 1 of 1 cases', 'right in 0 of 1 turns'],
    );
    // Skipped verdicts come up again next time; labeled ones don't.
    assert.equal(await told(await begin()), '2 of 2: sure, Kind 1 of 2');
  });

  it('asks about the assertions of a group, which no model judged as a whole', async (t) => {
    const tone = buildVerdict(1, { key: 'Refund/Tone' });
    const group = { ...buildVerdict(1, { key: 'Refund', judge: null }), nested: [tone] };
    const { begin, said } = await roundIn(t, [judgedLine('refund', [group], { said: 'Hi' })]);
    const round = await begin();
    assert.equal(await told(round), '1 of 1: refund, Refund/Tone 1 of 1');
    await round.answer({ kind: 'answer', choice: 1 });
    assert.deepEqual(await said(), ['refund Refund/Tone all fail']);
  });

  it('leaves out assertions that the file no longer has', async (t) => {
    const { begin } = await roundIn(t);
    const round = await begin(new Map([['sure', new Set(['Brief'])]]));
    assert.equal(await told(round), '1 of 1: sure, Brief 1 of 1');
    const end = await (await begin(new Map())).snapshot();
    assert.ok(end.phase === 'done');
    assert.deepEqual([end.total, end.gone], [0, true]);
  });

  it('asks about each of two cases with the same conversation', async (t) => {
    const twins = ['one', 'two'].map((id) => judgedLine(id, [buildVerdict(1)]));
    const { begin, said } = await roundIn(t, twins);
    const round = await begin(undefined, ['one', 'two']);
    await round.answer({ kind: 'answer', choice: 0 });
    assert.equal(await told(round), '2 of 2: two, Kind 1 of 1');
    assert.equal(await told(await begin(undefined, ['one', 'two'])), '2 of 2: two, Kind 1 of 1');
    await round.answer({ kind: 'answer', choice: 1 });
    assert.deepEqual(await said(), ['one Kind all pass', 'two Kind all fail']);
  });

  it("doesn't ask again after a labeled case is renamed", async (t) => {
    const { begin, file } = await roundIn(t);
    const round = await begin();
    await round.answer({ kind: 'answer', choice: 1 });
    await renameCase({ suite: file, from: 'near', to: 'nearest' });
    const keys = new Map(['nearest', 'sure'].map((id) => [id, new Set(['Kind', 'Brief'])]));
    const again = await begin(keys, ['nearest', 'sure']);
    assert.equal(await told(again), '2 of 2: sure, Kind 1 of 2');
  });

  it('goes back if a label is undone', async (t) => {
    const { begin, said } = await roundIn(t);
    const round = await begin();
    await round.answer({ kind: 'answer', choice: 2 });
    round.skip();
    await round.undo();
    assert.equal(await told(round), '2 of 2: sure, Kind 1 of 2');
    assert.deepEqual(await said(), ['near Kind all skipped']);
    await round.undo();
    await round.undo();
    assert.equal(await told(round), '1 of 2: near, Kind 1 of 1');
    assert.deepEqual(await said(), []);
  });
});
