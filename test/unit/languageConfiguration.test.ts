import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';

interface EnterRule {
  readonly beforeText: string;
  readonly afterText?: string;
  readonly action: { readonly indent: 'none' | 'indent'; readonly appendText?: string };
}

const configuration: {
  readonly wordPattern: { readonly pattern: string; readonly flags: string };
  readonly indentationRules: { readonly increaseIndentPattern: string };
  readonly onEnterRules: readonly EnterRule[];
} = JSON.parse(readFileSync('syntaxes/language-configuration.json', 'utf8'));

/** The start of the new line after pressing Enter at the end of a line, as the editor computes it. */
function below(line: string): string {
  const indent = /^ */.exec(line)?.[0] ?? '';
  const rule = configuration.onEnterRules.find(({ beforeText }) =>
    new RegExp(beforeText).test(line),
  );
  if (rule) {
    const { action } = rule;
    return indent + (action.indent === 'indent' ? '  ' : '') + (action.appendText ?? '');
  }
  const increases = new RegExp(configuration.indentationRules.increaseIndentPattern).test(line);
  return indent + (increases ? '  ' : '');
}

describe('the language configuration', () => {
  it('takes names with dashes, dots and letters of any script for one word', () => {
    const { pattern, flags } = configuration.wordPattern;
    const words = (text: string) => text.match(new RegExp(pattern, `g${flags}`));
    assert.deepEqual(words('- type: tool-not-called'), ['type', 'tool-not-called']);
    assert.deepEqual(words('{{context.user_name}}.'), ['context.user_name']);
    assert.deepEqual(words('Grüße, мир. tool-'), ['Grüße', 'мир', 'tool-']);
  });

  for (const [line, wanted] of [
    ['cases:', '  '],
    ['    assert: # what', '      '],
    ['  instructions: |', '    '],
    ['tools: [', '  '],
    ['  - id: one', '    '],
    ['  - user: "Hi: you"', '    '],
    ['  - assert:', '      '],
    ['  - instructions: >-', '      '],
    ['  - |', '    '],
    ['  -', '    '],
    ['    - Hi there', '    - '],
    ['    - "Hi: there" # x', '    - '],
    ['    - {user: Hi}', '    - '],
    // An open quote continues on the next line.
    ['    - "Hi', '    '],
    ['    threshold: 0.5', '    '],
    ['# note:', ''],
  ] as const) {
    it(`begins the line below \`${line}\` with ${JSON.stringify(wanted)}`, () => {
      assert.equal(below(line), wanted);
    });
  }
});
