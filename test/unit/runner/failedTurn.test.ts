import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { turnsOf } from '../../../src/core/conversation.ts';
import { failuresOf } from '../../../src/core/presentation/failureText.ts';
import { describeFailure } from '../../../src/report/failures.ts';
import { finishedSnapshot } from '../../../src/report/finishedSnapshot.ts';
import { createPaint } from '../../../src/report/style.ts';
import { botSuite, runFiles } from '../../support/runs.ts';

/** Answers once, then fails. */
const BOT = `export default (messages) => {
  if (messages.length > 1) throw new Error('out of luck');
  return 'Hello';
};
`;

const CASE = `  - id: a
    turns:
      - Hi
      - How are you?
      - Bye
    assert: [{type: contains, value: Hello}]
`;

describe('a turn that does not come', () => {
  it('is recorded with its number, its side, and the line that it answers', async (t) => {
    const { lines } = await runFiles(t, { 'bot.mjs': BOT, 'suite.eval.yaml': botSuite(CASE) });
    const [line = assert.fail()] = lines;
    assert.equal(line.status, 'error');
    const { number, side, source } = line.failed_turn ?? assert.fail();
    const [user] = turnsOf(line.conversation).slice(-1);
    assert.deepEqual([number, side, source], [4, 'assistant', user?.source]);
    assert.equal(turnsOf(line.conversation).length, 3);
  });

  it('is where its error is shown: in test messages, in text, and in the view', async (t) => {
    const { lines } = await runFiles(t, { 'bot.mjs': BOT, 'suite.eval.yaml': botSuite(CASE) });
    const [line = assert.fail()] = lines;
    const at = line.failed_turn?.source?.range.start.line ?? assert.fail();
    const [failure] = failuresOf(line);
    assert.equal(failure?.source.range.start.line, at);
    assert.match(failure?.text ?? '', /^Turn 4: The target failed: .*out of luck/);
    assert.deepEqual(failure?.links[0]?.turn, 4);
    const style = {
      paint: createPaint(false),
      shownPath: (path: string) => path.split('/').at(-1) ?? '',
    };
    const text = describeFailure(line, [], style).join('\n');
    assert.match(
      text,
      new RegExp(`\n  Turn 4, assistant  suite.eval.yaml:${at + 1}\n    The target`),
    );
    const shown = turnsOf(finishedSnapshot(line).conversation).at(-1);
    assert.equal(shown?.number, 4);
    assert.match(shown?.error ?? '', /out of luck/);
  });
});
