import assert from 'node:assert/strict';
import { it } from 'node:test';
import { terminalText } from '../../../../src/extension/testing/terminalText.ts';

it('ends lines as a terminal wants them', () => {
  assert.equal(terminalText('one\ntwo\r\nthree'), 'one\r\ntwo\r\nthree\r\n');
});

it('shows what a terminal would obey', () => {
  assert.equal(terminalText('\x1b[2J\u009b5m\rgone\u202e'), '\\x1b[2J\\x9b5m\\x0dgone\\u202e\r\n');
});
