import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { turnsOf } from '../../../../src/core/conversation.ts';
import {
  headingOutput,
  turnOutput,
  verdictOutput,
} from '../../../../src/extension/testing/output.ts';
import { buildVerdict } from '../../../support/build.ts';
import { talk } from '../../../support/buildRun.ts';

describe('the output of a case', () => {
  it('stands under the name of the case, each status in a colour of its own', () => {
    assert.equal(headingOutput('one'), '\u001b[1mone\u001b[0m\r\n');
    const passed = verdictOutput(buildVerdict({ name: 'Tone', status: 'pass', score: 1 }));
    const failed = verdictOutput(buildVerdict({ name: 'Tone', status: 'fail', score: 0 }));
    assert.ok(passed.startsWith('\u001b[32m✓ Tone passed: '));
    assert.ok(failed.startsWith('\u001b[31m✗ Tone failed: '));
  });

  it('breaks long lines between words, never in them', () => {
    const text = `${'Is there anything else? '.repeat(8)}\n  ${'x'.repeat(200)} end`;
    const [turn] = turnsOf(talk(text));
    assert.ok(turn);
    const [, ...lines] = turnOutput(turn).split('\r\n');
    assert.equal(lines.join(' ').replaceAll(/\s+/g, ' ').trim(), text.replaceAll(/\s+/g, ' '));
    const words = new Set(text.split(/\s+/));
    for (const line of lines.map((one) => one.trim()).filter((one) => one !== '')) {
      assert.ok(line.length <= 64 || !line.includes(' '), line);
      assert.ok(
        line
          .trim()
          .split(/\s+/)
          .every((word) => words.has(word)),
        line,
      );
    }
  });

  it('takes no styles from names', () => {
    const said = headingOutput('\u001b[2Jone');
    assert.equal(said.split('\u001b').length, 3);
  });
});
