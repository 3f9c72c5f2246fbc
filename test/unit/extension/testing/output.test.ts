import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { turnsOf } from '../../../../src/core/conversation.ts';
import {
  caseOutput,
  recordedOutput,
  turnOutput,
  verdictOutput,
} from '../../../../src/extension/testing/output.ts';
import { buildVerdict } from '../../../support/build.ts';
import { buildCaseLine, talk } from '../../../support/buildRun.ts';

describe('the output of a case', () => {
  it('stands under how the case ended and its name, with a blank line before the next', () => {
    const said = ['first\r\n', 'last\r\n'];
    assert.equal(
      caseOutput('one', said, 'fail'),
      '\u001b[1;31m✗ one\u001b[0m\r\nfirst\r\nlast\r\n\r\n',
    );
    assert.equal(caseOutput('one', [], 'pass'), '\u001b[1;32m✓ one\u001b[0m\r\n\r\n');
  });

  it('of a case that was cancelled claims no outcome', () => {
    assert.equal(caseOutput('one', []), '\u001b[1mone\u001b[0m\r\n\r\n');
  });

  it('of a recorded run holds turns and verdicts, as that of a run of this window', () => {
    const line = buildCaseLine({
      id: 'one',
      status: 'fail',
      conversation: talk('When?', 'By Friday.'),
      verdicts: [
        buildVerdict({ name: 'Tone', status: 'fail', score: 0, rationale: 'Too curt.' }),
        buildVerdict({ name: 'Length', status: 'skipped', score: null }),
      ],
      reason: 'The target failed.',
    });
    const plain = stripVTControlCharacters(recordedOutput('one', line));
    assert.equal(
      plain,
      [
        '✗ one',
        'Turn 1, user',
        'When?',
        'Turn 2, assistant',
        'By Friday.',
        '✗ Tone failed: 0.00',
        'Too curt.',
        '○ Length skipped',
        'The target failed.',
        '',
        '',
      ].join('\r\n'),
    );
  });

  it('shows each status in a colour of its own', () => {
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
    const said = caseOutput('\u001b[2Jone', []);
    assert.equal(said.split('\u001b').length, 3);
  });
});
