import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { plainTable } from '../../../src/report/tables.ts';

describe('a table in the terminal', () => {
  it('aligns texts to the left and numbers to the right', () => {
    assert.equal(
      plainTable(
        ['Case', 'n'],
        [
          ['one', '1'],
          ['three', '10'],
        ],
        true,
        [1],
      ),
      [
        '┌───────┬────┐',
        '│ Case  │  n │',
        '├───────┼────┤',
        '│ one   │  1 │',
        '│ three │ 10 │',
        '└───────┴────┘',
      ].join('\n'),
    );
  });

  it('has no lines and no trailing spaces outside of a terminal', () => {
    assert.equal(plainTable(['Case', 'Score'], [['one', '1']], false), 'Case  Score\none   1');
  });

  it('measures wide characters and colors correctly', () => {
    const green = '\u001b[32m✓\u001b[39m';
    const [, , , first, second] = plainTable(
      ['a', 'b'],
      [
        ['好', 'x'],
        [green, 'x'],
      ],
      true,
    ).split('\n');
    assert.equal(first, '│ 好 │ x │');
    assert.equal(second, `│ ${green}  │ x │`);
  });
});
