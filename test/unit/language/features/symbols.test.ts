import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { DocumentSymbol } from 'vscode-languageserver-types';
import { documentSymbols, workspaceSymbols } from '../../../../src/language/features/symbols.ts';
import { load, SUITE, suiteWith, TRANSCRIPT, WORKSPACE } from '../../../support/evalFiles.ts';
import { documentOf, HARD_TEXTS } from '../../../support/language/evalDocument.ts';
import { textIn } from '../../../support/ranges.ts';

/** One line per symbol, indented, with its detail. */
function drawn(symbols: readonly DocumentSymbol[], indent = ''): string[] {
  return symbols.flatMap(({ name, detail, children = [] }) => [
    `${indent}${name}${detail === undefined ? '' : ` [${detail}]`}`,
    ...drawn(children, `${indent}  `),
  ]);
}

const outline = async (text: string) => drawn(documentSymbols(await documentOf(text)));

describe('documentSymbols', () => {
  it('shows models, targets, defaults, and cases in the order of the file', async () => {
    const text = `targets:
  bot: {type: module, path: a}
cases:
  - id: one
    description: The first.
    transcript:
      - user: |
          Hi
          there
      - assistant: Hello
    assert:
      - It greets.
      - {type: contains, value: x, name: Says x}
  - id: two
    turns:
      - Hi
      - user: Bye
        assert: [It says farewell.]
defaults:
  assert:
    - type: safety
    - It is brief.
models:
  big: openai:gpt
  small: openai:mini
`;
    assert.deepEqual(await outline(text), [
      'targets',
      '  bot',
      'one [The first.]',
      '  Hi there [user, turn 1]',
      '  Hello [assistant, turn 2]',
      '  It greets. [assertion]',
      '  Says x [assertion]',
      'two',
      '  Hi [user, turn 1 and 2]',
      '  Bye [user, turn 3 and 4]',
      '    It says farewell. [assertion]',
      'defaults',
      '  safety',
      '  It is brief.',
      'models',
      '  big',
      '  small',
    ]);
  });

  it('shows assertions before the turns if the file does', async () => {
    const text = 'cases:\n  - id: a\n    assert: [{type: safety}]\n    turns: [Hi]\n';
    assert.deepEqual(await outline(text), [
      'a',
      '  safety [assertion]',
      '  Hi [user, turn 1 and 2]',
    ]);
  });

  it('gives unnamed symbols a placeholder', async () => {
    const text = 'cases:\n  - id:\n    turns: ["", {user: }]\n    assert: [{}, " "]\n';
    assert.deepEqual(await outline(text), [
      '(no id)',
      '  (user) [user, turn 1 and 2]',
      '  (user) [user, turn 3 and 4]',
      '  assertion [assertion]',
      '  (no type) [assertion]',
    ]);
  });

  it('cuts long names', async () => {
    const [name] = await outline(`cases:\n  - id: ${'a'.repeat(100)}\n`);
    assert.equal(name?.length, 60);
  });

  for (const text of HARD_TEXTS) {
    it(`returns no range outside of ${JSON.stringify(text)}`, async () => {
      const check = (symbols: readonly DocumentSymbol[]) => {
        for (const { name, range, selectionRange, children = [] } of symbols) {
          assert.ok(name.trim().length > 0);
          assert.ok(textIn(text, range).includes(textIn(text, selectionRange)));
          check(children);
        }
      };
      check(documentSymbols(await documentOf(text)));
    });
  }
});

const uriOf = (path: string) => `file://${path}`;

const cases = (...lines: string[]) =>
  `name: Shop\ncases:\n${lines.map((line) => `  - ${line}\n`).join('')}`;

async function found(query: string, text: string): Promise<string[]> {
  return (await workspaceSymbols(query, [await load(text)], uriOf)).map(({ name }) => name);
}

describe('workspaceSymbols', () => {
  const text = cases(
    '{id: late-refund}',
    '{id: order}',
    '{id: refund}',
    '{id: three, description: Ends in a refund.}',
    '{description: No id yet}',
  );

  it('finds cases by id, best matches first, then by description', async () => {
    assert.deepEqual(await found('refund', text), ['refund', 'late-refund', 'three']);
  });

  it('finds letters with others between them, ignoring case', async () => {
    assert.deepEqual(await found('RfNd', text), ['late-refund', 'refund', 'three']);
    assert.deepEqual(await found('late ref', text), ['late-refund']);
  });

  it('finds every case if the query is empty, even one without an id', async () => {
    assert.deepEqual(await found('', text), [
      'late-refund',
      'order',
      'refund',
      'three',
      'No id yet',
    ]);
  });

  it('returns the location of a case, once for a case of an included file', async () => {
    const files = { 'more.yaml': 'cases:\n  - {id: more, skip: true}\n' };
    const including = suiteWith(TRANSCRIPT, 'name: Shop\ninclude: [more.yaml]\n');
    const suites = [await load(including, files), await load(including, files)];
    assert.deepEqual(
      (await workspaceSymbols('', suites, uriOf)).map(({ name, location }) => [name, location.uri]),
      [
        ['one', uriOf(SUITE)],
        ['more', uriOf(`${WORKSPACE}/more.yaml`)],
      ],
    );
    const [one] = await workspaceSymbols('one', suites, uriOf);
    assert.deepEqual(one && 'range' in one.location && one.location.range.start, {
      line: 3,
      character: 8,
    });
  });
});
