import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { turnsOf } from '../../../../src/core/conversation.ts';
import { LiveOutput, turnOutput } from '../../../../src/extension/testing/output.ts';
import { talk } from '../../../support/buildRun.ts';

const [asked, whole] = turnsOf(talk('Hi', `${'Word by word it is said. '.repeat(12)}\n\nEnd.`));
const text = whole?.items[0]?.kind === 'text' ? whole.items[0].text : '';

function speakingUpTo(length: number) {
  if (!whole) assert.fail();
  return { ...whole, items: [{ kind: 'text' as const, text: text.slice(0, length) }] };
}

describe('the output of the only case that runs', () => {
  it('is shown line by line as a reply arrives, and comes out as it would all at once', () => {
    if (!asked || !whole) assert.fail();
    let output = '';
    const live = new LiveOutput('one', [turnOutput(asked)], (added) => {
      output += added;
    });
    let shown = 0;
    const lengths = new Set<number>();
    for (let length = 1; length <= text.length; length += 1) {
      live.speaking(speakingUpTo(length));
      assert.ok(output.length >= shown);
      shown = output.length;
      lengths.add(shown);
    }
    assert.ok(lengths.size > 4, `${lengths.size} steps`);
    live.turn(whole);
    live.say('checked\r\n');
    live.end('pass');
    assert.equal(
      stripVTControlCharacters(output),
      stripVTControlCharacters(
        `one\r\n${turnOutput(asked)}${turnOutput(whole)}checked\r\n✓ one\r\n\r\n`,
      ),
    );
  });

  it('holds a reply that came out another way once more', () => {
    if (!whole) assert.fail();
    let output = '';
    const live = new LiveOutput('one', [], (added) => {
      output += added;
    });
    live.speaking({ ...whole, items: [{ kind: 'text', text: 'First this.\nThen that.\nEnd.' }] });
    live.turn({ ...whole, items: [{ kind: 'text', text: 'Something else.' }] });
    assert.match(
      stripVTControlCharacters(output),
      /First this\.\r\nThen that\.\r\n.*Something else\.\r\n$/s,
    );
  });
});
