import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { hasCaseOf } from '../../../../src/core/record/label.ts';
import { markLabels } from '../../../../src/extension/results/markLabels.ts';
import { RunResults } from '../../../../src/extension/results/runResults.ts';
import { conversationHash } from '../../../../src/node/hashes.ts';
import { appendLabels, removeLabels } from '../../../../src/store/labels.ts';
import { recordsAt } from '../../../../src/store/records/files.ts';
import { renameCase } from '../../../../src/store/records/renameCase.ts';
import { buildVerdict, judgedLine } from '../../../support/comparing.ts';
import { labeledFolder } from '../../../support/labeling.ts';

const lines = ['a', 'b', 'c'].map((id) =>
  judgedLine(id, [buildVerdict(1, { turns: [[2, 1]] }), buildVerdict(0, { key: 'Brief' })], {
    said: id,
  }),
);

const unread = async () => undefined;

describe('marks of labels in results', () => {
  it('appear at labeled verdicts, and disappear with the labels', async (t) => {
    const { folder, suite } = await labeledFolder(lines);
    t.after(() => rm(folder, { recursive: true, force: true }));
    const results = new RunResults(
      new Map((await recordsAt(folder)).map((path) => [path, folder])),
      (path) => path,
    );
    await results.readNew();
    assert.equal(await markLabels(results, unread), false);
    const label = (at: number, assertion: string, status: 'pass' | 'fail', turn?: number) => ({
      case: lines[at]?.id ?? '',
      assertion,
      status,
      ...(turn !== undefined && { turn }),
      conversation_hash: conversationHash(lines[at]?.conversation ?? { entries: [], notes: [] }),
      at: '2026-01-01T00:00:00.000Z',
    });
    await appendLabels(suite, 'ann', [
      label(0, 'Kind', 'pass'),
      label(0, 'Kind', 'fail', 2),
      label(1, 'Brief', 'fail'),
      { ...label(2, 'Kind', 'fail'), conversation_hash: 'f'.repeat(64) },
    ]);
    assert.equal(await markLabels(results, unread), true);
    const marks = () => results.table.cases.map(({ people }) => people);
    assert.deepEqual(marks(), [[0, 1], [1, 0], undefined]);
    assert.equal(await markLabels(results, unread), false);
    await removeLabels(suite, 'ann', () => true);
    assert.equal(await markLabels(results, unread), true);
    assert.deepEqual(marks(), [undefined, undefined, undefined]);
  });

  it('appear only at the labeled case if another has the same conversation, even if one is renamed', async (t) => {
    const twins = ['greets', 'ends'].map((id) =>
      judgedLine(id, [buildVerdict(id === 'greets' ? 1 : 0, { question: id })]),
    );
    const { folder, suite } = await labeledFolder(twins);
    t.after(() => rm(folder, { recursive: true, force: true }));
    const label = {
      case: 'greets',
      assertion: 'Kind',
      question_hash: 'greets',
      status: 'fail' as const,
      conversation_hash: conversationHash(twins[0]?.conversation ?? { entries: [], notes: [] }),
      at: '2026-01-01T00:00:00.000Z',
    };
    await appendLabels(suite, 'ann', [label]);
    for (const name of ['greets', 'welcomes']) {
      if (name !== 'greets') await renameCase({ suite, from: 'greets', to: name });
      const results = new RunResults(
        new Map((await recordsAt(folder)).map((path) => [path, folder])),
        (path) => path,
      );
      await results.readNew();
      assert.equal(
        await markLabels(results, async () => hasCaseOf([{ id: name }, { id: 'ends' }])),
        true,
      );
      assert.deepEqual(
        results.table.cases.map(({ people }) => people),
        [[0, 1], undefined],
      );
    }
  });

  it('appear at a group if its assertions are labeled', async (t) => {
    const tone = buildVerdict(0, { key: 'Refund/Tone' });
    const group = { ...buildVerdict(0, { key: 'Refund', judge: null }), nested: [tone] };
    const line = judgedLine('a', [group]);
    const { folder, suite } = await labeledFolder([line]);
    t.after(() => rm(folder, { recursive: true, force: true }));
    const label = {
      case: 'a',
      assertion: 'Refund/Tone',
      status: 'pass' as const,
      conversation_hash: conversationHash(line.conversation),
      at: '2026-01-01T00:00:00.000Z',
    };
    await appendLabels(suite, 'ann', [label]);
    const results = new RunResults(
      new Map((await recordsAt(folder)).map((path) => [path, folder])),
      (path) => path,
    );
    await results.readNew();
    assert.equal(await markLabels(results, unread), true);
    assert.deepEqual(results.table.cases[0]?.people, [0, 1]);
  });

  it('appear at the row of a repeated case, as wrong if any repetition is', async (t) => {
    const repeated = [1, 2].map((repetition) =>
      judgedLine('a', [buildVerdict(1)], {
        said: `Reply ${repetition}`,
        repetition,
        repetitions: 2,
      }),
    );
    const { folder, suite } = await labeledFolder(repeated);
    t.after(() => rm(folder, { recursive: true, force: true }));
    const label = (at: number, status: 'pass' | 'fail') => ({
      ...{ case: 'a', assertion: 'Kind', status, at: '2026-01-01T00:00:00.000Z' },
      conversation_hash: conversationHash(repeated[at]?.conversation ?? { entries: [], notes: [] }),
    });
    const results = new RunResults(
      new Map((await recordsAt(folder)).map((path) => [path, folder])),
      (path) => path,
    );
    await results.readNew();
    await appendLabels(suite, 'ann', [label(1, 'pass')]);
    assert.equal(await markLabels(results, unread), true);
    assert.deepEqual(results.table.cases[0]?.people, [0, 0]);
    await appendLabels(suite, 'ann', [label(0, 'fail')]);
    assert.equal(await markLabels(results, unread), true);
    assert.deepEqual(results.table.cases[0]?.people, [0, 1]);
  });
});
