import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { hasCaseOf } from '../../../../src/core/record/label.ts';
import { LabelEditor } from '../../../../src/extension/labels/labelEditor.ts';
import { opinionsOn } from '../../../../src/extension/labels/opinionsOn.ts';
import { conversationHash } from '../../../../src/node/hashes.ts';
import { appendLabels, readLabeledConversation, readLabels } from '../../../../src/store/labels.ts';
import { buildVerdict, judgedLine } from '../../../support/comparing.ts';
import { workspaceWith } from '../../../support/runs.ts';

const line = judgedLine('refund', [buildVerdict(1, { turns: [[2, 1]] })]);

async function bookIn(t: TestContext) {
  const file = join(await workspaceWith(t, {}), 'shop.eval.yaml');
  const book = new LabelEditor();
  const said = async () =>
    opinionsOn(line, (await readLabels(file)).labels).map(
      ({ person, turn, status, comment }) =>
        `${person} ${turn ?? 'all'} ${status}${comment === undefined ? '' : ` ${comment}`}`,
    );
  return { file, book, said, labeled: { file, person: 'ann', line } };
}

describe("a person's labels", () => {
  it('are saved with conversation and question, changed, removed, and undone', async (t) => {
    const { file, book, said, labeled } = await bookIn(t);
    assert.equal(book.canUndo, false);
    await book.add(labeled, { assertion: 'Kind', status: 'pass' });
    await book.add(labeled, { assertion: 'Kind', turn: 2, status: 'fail', comment: 'Rude' });
    const [first] = (await readLabels(file)).labels;
    assert.equal(first?.question_hash, 'q1');
    assert.equal(first?.case, 'refund');
    assert.ok(await readLabeledConversation(file, conversationHash(line.conversation)));
    await book.add(labeled, { assertion: 'Kind', turn: 2, status: 'skipped' });
    assert.deepEqual(await said(), ['ann all pass', 'ann 2 skipped']);
    await book.remove(labeled, { assertion: 'Kind', turn: 2 });
    assert.deepEqual(await said(), ['ann all pass']);
    await book.undo();
    assert.deepEqual(await said(), ['ann all pass', 'ann 2 skipped']);
    await book.undo();
    assert.deepEqual(await said(), ['ann all pass', 'ann 2 fail Rude']);
    await book.undo();
    await book.undo();
    assert.deepEqual(await said(), []);
    assert.equal(book.canUndo, false);
    await book.undo();
  });

  it('count in the order in which they were added, even if the clock was set back', async (t) => {
    const soon = new Date(Date.now() + 3_600_000).toISOString();
    for (const at of [soon, '9999-12-31T23:59:59.999Z', 'garbage']) {
      const { file, book, said, labeled } = await bookIn(t);
      const later = { at, conversation_hash: conversationHash(line.conversation) };
      await appendLabels(file, 'ann', [
        { case: 'refund', assertion: 'Kind', status: 'pass', ...later },
      ]);
      const statuses = ['fail', 'pass', 'skipped', 'fail'] as const;
      await Promise.all(statuses.map((status) => book.add(labeled, { assertion: 'Kind', status })));
      assert.deepEqual(await said(), ['ann all fail'], at);
    }
  });

  it('are those of one case, even if another has the same conversation', async (t) => {
    const { file, book, said, labeled } = await bookIn(t);
    const other = { ...labeled, line: { ...line, id: 'return' } };
    await book.add(labeled, { assertion: 'Kind', status: 'pass' });
    await book.add(other, { assertion: 'Kind', status: 'fail' });
    assert.equal((await readLabels(file)).labels.length, 2);
    const inFile = { hasCase: hasCaseOf([line, other.line]) };
    const { labels } = await readLabels(file);
    const statuses = opinionsOn(line, labels, inFile).map(({ status }) => status);
    assert.deepEqual(statuses, ['pass']);
    await book.remove({ ...other, others: inFile }, { assertion: 'Kind' });
    assert.deepEqual(await said(), ['ann all pass']);
    await book.undo();
    await book.undo();
    assert.equal((await readLabels(file)).labels.length, 1);
    assert.deepEqual(await said(), ['ann all pass']);
  });

  it('are replaced, removed, and restored if the case was renamed', async (t) => {
    const { file, book, labeled } = await bookIn(t);
    await book.add(labeled, { assertion: 'Kind', status: 'pass' });
    const others = { hasCase: hasCaseOf([{ id: 'money-back' }]) };
    const renamed = { ...labeled, line: { ...line, id: 'money-back' }, others };
    const statuses = async () =>
      opinionsOn(renamed.line, (await readLabels(file)).labels, others).map((one) => one.status);
    assert.deepEqual(await statuses(), ['pass']);
    await book.add(renamed, { assertion: 'Kind', status: 'fail' });
    assert.deepEqual(await statuses(), ['fail']);
    await book.undo();
    assert.deepEqual(await statuses(), ['pass']);
    await book.remove(renamed, { assertion: 'Kind' });
    assert.deepEqual(await readLabels(file), { labels: [], problems: [] });
    await book.undo();
    assert.deepEqual(await statuses(), ['pass']);
  });

  it('are ignored if there is no such verdict', async (t) => {
    const { file, book, labeled } = await bookIn(t);
    await book.add(labeled, { assertion: 'Other', status: 'pass' });
    assert.deepEqual(await readLabels(file), { labels: [], problems: [] });
  });
});
