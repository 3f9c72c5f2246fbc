import assert from 'node:assert/strict';
import { it } from 'node:test';
import { terminalText } from '../../../../src/extension/testing/terminalText.ts';

it('ends lines as a terminal wants them', () => {
  assert.equal(terminalText('one\ntwo\r\nthree'), 'one\r\ntwo\r\nthree\r\n');
});

it('shows what a terminal would obey', () => {
  assert.equal(
    terminalText('\x1b[2J\u009b5m\rgone\u202e'),
    '[U+001B][2J[U+009B]5m\r\ngone[U+202E]\r\n',
  );
});
