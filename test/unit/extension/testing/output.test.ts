import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { turnsOf } from '../../../../src/core/conversation.ts';
import {
  caseOutput,
  LiveOutput,
  recordedOutput,
  terminalText,
  turnOutput,
  verdictOutput,
} from '../../../../src/extension/testing/output.ts';
import { buildVerdict } from '../../../support/build.ts';
import { buildCaseLine, talk } from '../../../support/buildRun.ts';

describe('the output of a case', () => {
  it('follows a heading with status and name, and ends with an empty line', () => {
    const said = ['first\r\n', 'last\r\n'];
    assert.equal(
      caseOutput('one', said, 'fail'),
      '\u001b[1;31m✗ one\u001b[0m\r\nfirst\r\nlast\r\n\r\n',
    );
    assert.equal(caseOutput('one', [], 'pass'), '\u001b[1;32m✓ one\u001b[0m\r\n\r\n');
  });

  it('of a canceled case has no status', () => {
    assert.equal(caseOutput('one', []), '\u001b[1mone\u001b[0m\r\n\r\n');
  });

  it('of a recorded run contains turns and verdicts, like that of a run in this window', () => {
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

  it('says why a simulated conversation ended', () => {
    const line = buildCaseLine({
      id: 'one',
      status: 'pass',
      origin: 'simulate',
      stop_reason: 'goal-reached',
      stop_rationale: 'The return is booked.',
    });
    const plain = stripVTControlCharacters(recordedOutput('one', line));
    assert.match(plain, /^Ended: goal reached: The return is booked\.\r$/m);
  });

  it('shows each status in its own color', () => {
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

  it('ignores escape sequences in names', () => {
    const said = caseOutput('\u001b[2Jone', []);
    assert.equal(said.split('\u001b').length, 3);
  });
});

const [asked, whole] = turnsOf(talk('Hi', `${'Word by word it is said. '.repeat(12)}\n\nEnd.`));
const text = whole?.items[0]?.kind === 'text' ? whole.items[0].text : '';

function speakingUpTo(length: number) {
  if (!whole) assert.fail();
  return { ...whole, items: [{ kind: 'text' as const, text: text.slice(0, length) }] };
}

describe('the output of the only case that runs', () => {
  it('is shown line by line as a reply arrives, and is the same in the end', () => {
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
    live.append('checked\r\n');
    live.end('pass');
    assert.equal(
      stripVTControlCharacters(output),
      stripVTControlCharacters(
        `one\r\n${turnOutput(asked)}${turnOutput(whole)}checked\r\n✓ one\r\n\r\n`,
      ),
    );
  });

  it('repeats a reply if its final text differs', () => {
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

it('ends lines with CRLF for the terminal', () => {
  assert.equal(terminalText('one\ntwo\r\nthree'), 'one\r\ntwo\r\nthree\r\n');
});

it('shows escape sequences instead of executing them', () => {
  assert.equal(
    terminalText('\x1b[2J\u009b5m\rgone\u202e'),
    '[U+001B][2J[U+009B]5m\r\ngone[U+202E]\r\n',
  );
});
