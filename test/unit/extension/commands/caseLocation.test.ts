import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { caseOnLine } from '../../../../src/extension/commands/caseLocation.ts';
import { load } from '../../../support/evalFiles.ts';

const TEXT = `cases:
  - id: first
    turns:
      - user: Hi
        assert: [It greets.]
      - Where is my order?
  - id: second
    transcript:
      - user: Hi
      - assistant: Hello
    assert: [It is friendly.]
  - description: no id yet
`;

/** The location of the line that contains the text. */
async function at(text: string) {
  return caseOnLine(
    await load(TEXT),
    TEXT.split('\n').findIndex((line) => line.includes(text)),
  );
}

describe('the case at the cursor', () => {
  it('is the one on the line, even directly after another one', async () => {
    assert.deepEqual(await at('id: first'), { id: 'first' });
    assert.deepEqual(await at('id: second'), { id: 'second' });
  });

  it('has the reply to the scripted turn on the line, including its assertions', async () => {
    assert.deepEqual(await at('user: Hi'), { id: 'first', turn: 2 });
    assert.deepEqual(await at('It greets'), { id: 'first', turn: 2 });
    assert.deepEqual(await at('Where is my order'), { id: 'first', turn: 4 });
  });

  it('has the turn of a transcript itself', async () => {
    assert.deepEqual(await at('assistant: Hello'), { id: 'second', turn: 2 });
    assert.deepEqual(await at('It is friendly'), { id: 'second' });
  });

  it('is undefined outside of cases and in a case without an id', async () => {
    assert.equal(await at('cases:'), undefined);
    assert.equal(await at('no id yet'), undefined);
  });
});
