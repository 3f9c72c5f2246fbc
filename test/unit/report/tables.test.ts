import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { layOutTable, plainTable } from '../../../src/report/tables.ts';

describe('a table in the terminal', () => {
  it('aligns texts to the left and numbers to the right', () => {
    assert.equal(
      layOutTable(
        ['Case', 'n'],
        [
          ['one', '1'],
          ['three', '10'],
        ],
        true,
        [1],
      ).text(),
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
    assert.equal(plainTable(['Case', 'Score'], [['one', '1']]), 'Case  Score\none   1');
  });

  it('measures wide characters and colors correctly', () => {
    const green = '\u001b[32m✓\u001b[39m';
    const [, , , first, second] = layOutTable(
      ['a', 'b'],
      [
        ['好', 'x'],
        [green, 'x'],
      ],
      true,
    )
      .text()
      .split('\n');
    assert.equal(first, '│ 好 │ x │');
    assert.equal(second, `│ ${green}  │ x │`);
  });
});
