import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { globSync } from 'tinyglobby';
import type { TextEdit } from 'vscode-languageserver-types';
import { isMap, isSeq, parseDocument, stringify } from 'yaml';
import { formatting, onTypeFormatting } from '../../../../src/language/features/formatting.ts';
import { runSync } from '../../../../src/node/cooperative.ts';
import { parseYaml } from '../../../../src/yaml/yamlDocument.ts';
import { cursor } from '../../../support/language/cursor.ts';
import { documentOf, HARD_TEXTS } from '../../../support/language/evalDocument.ts';
import { textIn } from '../../../support/ranges.ts';

const TWO = { insertSpaces: true, tabSize: 2 };

function editsOf(text: string, options = TWO): TextEdit[] {
  // Formatting uses only the text.
  return runSync(formatting({ yaml: parseYaml(text, '/suite'), suite: NO_SUITE }, options));
}

const { suite: NO_SUITE } = await documentOf('');

function formatted(text: string, options = TWO): string {
  let result = text;
  for (const { range, newText } of editsOf(text, options).toReversed()) {
    const lines = result.split('\n');
    const at = (line: number, character: number) =>
      lines.slice(0, line).reduce((sum, one) => sum + one.length + 1, 0) + character;
    textIn(text, range);
    const start = at(range.start.line, range.start.character);
    const end = at(range.end.line, range.end.character);
    result = result.slice(0, start) + newText + result.slice(end);
  }
  return result;
}

/** Checks that formatting gives the wanted text, changes nothing the second time, and keeps the data. */
function becomes(before: string, after: string, options = TWO): void {
  assert.equal(formatted(before, options), after);
  assert.equal(formatted(after, options), after, 'a second time changes nothing');
  assert.deepEqual(parseDocument(after).toJS(), parseDocument(before).toJS());
}

describe('formatting', () => {
  it('indents lists and mappings under their keys', () => {
    becomes(
      'cases:\n- id: one\n  turns:\n     -   user:   Hi\n         expected: Hello\n     - Bye\n-\n    id: two\n',
      `cases:
  - id: one
    turns:
      - user: Hi
        expected: Hello
      - Bye
  -
    id: two
`,
    );
  });

  it('keeps comments next to their subject', () => {
    becomes(
      `# The file
cases : # all
- id: one   # the first
    # deep
  tags:
  - a
     # of the list
  # about the turns
  turns:
    # before the first
    - Hi
    # behind the last
# about the second
- id: two
# the end
`,
      `# The file
cases: # all
  - id: one   # the first
      # deep
    tags:
      - a
        # of the list
    # about the turns
    turns:
      # before the first
      - Hi
      # behind the last
  # about the second
  - id: two
# the end
`,
    );
  });

  it('reduces empty lines to one, and removes them at the start and the end', () => {
    becomes(
      '\n\nname: x\n\n\n\ncases:\n\n  - id: a\n  - id: b\n   \n  - id: c\n\n\n',
      'name: x\n\ncases:\n\n  - id: a\n  - id: b\n\n  - id: c\n',
    );
  });

  it('moves texts unchanged', () => {
    becomes(
      `a:
    - |
          Two  blanks,
            an indent,  

          # no comment
    - >-

          text
             indented
    - "quoted \\
         over

        lines "
    - plain
        over
     lines
    - 'it''s   ok'
`,
      `a:
  - |
    Two  blanks,
      an indent,  

    # no comment
  - >-

    text
       indented
  - "quoted \\
    over

    lines "
  - plain
    over
    lines
  - 'it''s   ok'
`,
    );
  });

  it('keeps the header of a block text', () => {
    // The first line starts with a space that is part of the text. The empty lines at the end count too.
    becomes(
      'a:\n      b: |2\n         x\n        y\n      c: |+\n        z\n\n\n      d: |-\n        z\n\n\n',
      'a:\n  b: |2\n     x\n    y\n  c: |+\n    z\n\n\n  d: |-\n    z\n',
    );
    becomes('a: |+\n    z\n\n\n', 'a: |+\n  z\n\n\n');
  });

  it('puts spaces inside braces and indents their lines', () => {
    becomes(
      `a: [1,2 , 3]
b: {c: {d:   e},
       "f":1, # why
     # which
     g: [
   h ]
 }
`,
      `a: [1, 2, 3]
b: {c: {d: e},
  "f":1, # why
  # which
  g: [
    h ]
}
`,
    );
  });

  it('keeps anchors, aliases, and tags', () => {
    becomes('a:   &x   !!map\n   b: 1\nc: [*x , *x]\n', 'a: &x !!map\n  b: 1\nc: [*x , *x]\n');
  });

  it('keeps carriage returns, byte order marks, and document markers', () => {
    becomes(
      '\uFEFF---\r\na:\r\n- b\r\n\r\n\r\n- |\r\n   c\r\n',
      '\uFEFF---\r\na:\r\n  - b\r\n\r\n  - |\r\n    c\r\n',
    );
  });

  it('keeps emoji and right-to-left texts', () => {
    becomes('a:\n- "😀 שלום"   # مرحبا\n-   😀\n', 'a:\n  - "😀 שלום"   # مرحبا\n  - 😀\n');
  });

  it("indents by the editor's tab size", () => {
    const options = { insertSpaces: true, tabSize: 4 };
    becomes(
      'a:\n  b:\n  - c: |\n     d\n    e: 1\n',
      'a:\n    b:\n        - c: |\n              d\n          e: 1\n',
      options,
    );
    becomes('a:\n    b: 1\n', 'a:\n  b: 1\n', { insertSpaces: false, tabSize: 4 });
  });

  it('ends the file with a line break', () => {
    becomes('a: 1', 'a: 1\n');
    becomes('a: |\n  x', 'a: |\n  x\n');
  });

  it('edits only what changes', () => {
    assert.deepEqual(editsOf('a: 1\nb:\n    - c\nd: [1]\n'), [
      { range: { start: { line: 2, character: 2 }, end: { line: 2, character: 4 } }, newText: '' },
    ]);
  });

  it('edits nothing in a file with errors', () => {
    for (const text of [
      'a: [1\nb:   2\n',
      'a:\n\t- b\n',
      'a:   1\n---\nb: 2\n',
      'a: *x\nb:   1\n',
      '? [a]\n:   b\n',
    ]) {
      assert.deepEqual(editsOf(text), [], text);
    }
  });

  for (const text of HARD_TEXTS) {
    it(`changes nothing the second time: ${JSON.stringify(text)}`, () => {
      const once = formatted(text);
      assert.equal(formatted(once), once);
    });
  }

  const files = globSync('{examples,test/fixtures,docs}/**/*.{yaml,yml}');
  for (const file of files) {
    it(`restores ${file} from any indentation`, () => {
      const text = readFileSync(file, 'utf8');
      assert.deepEqual(editsOf(text), []);
      const four = { insertSpaces: true, tabSize: 4 };
      assert.notEqual(formatted(text, four), text);
      assert.equal(formatted(formatted(text, four)), text);
    });
  }

  it('gives the same result for different notations of the same data', () => {
    let seed = 7;
    const random = (below: number) => {
      seed = (seed * 1103515245 + 12345) % 2147483648;
      return Math.floor((seed / 2147483648) * below);
    };
    const words = [
      'a',
      'two words',
      'x: y',
      '# no',
      'a\nb\n',
      '  in\n\nout',
      "it's",
      '',
      '😀 {{b}}',
      'true',
      '- a',
      'end \n\n',
    ];
    const value = (depth: number): unknown => {
      const kind = depth > 4 ? 0 : random(4);
      if (kind < 2) return random(5) === 0 ? random(100) : words[random(words.length)];
      const parts = Array.from({ length: random(4) }, () => value(depth + 1));
      return kind === 2
        ? parts
        : Object.fromEntries(parts.map((part, index) => [`k${index}`, part]));
    };
    for (let round = 0; round < 500; round += 1) {
      const document = parseDocument(stringify({ a: value(0), b: [value(0), value(0)] }));
      const comment = (node: unknown): void => {
        if (!isMap(node) && !isSeq(node)) return;
        if (random(3) === 0) node.commentBefore = ` before ${random(9)}`;
        if (random(3) === 0) node.comment = ` behind\n ${random(9)}`;
        if (random(4) === 0) node.spaceBefore = true;
        if (random(6) === 0 && !node.comment) node.flow = true;
        for (const item of node.items)
          comment(isMap(node) ? Reflect.get(Object(item), 'value') : item);
      };
      comment(document.contents);
      const text = document.toString({
        indent: 2 + random(4),
        indentSeq: random(2) === 0,
        lineWidth: random(2) === 0 ? 20 : 80,
        minContentWidth: 5,
        defaultStringType: random(2) === 0 ? 'PLAIN' : 'QUOTE_DOUBLE',
      });
      const once = formatted(text);
      assert.equal(formatted(once), once, text);
      assert.deepEqual(parseDocument(once).toJS(), parseDocument(text).toJS(), text);
      const bare = (one: string) => one.replace(/\s+/g, '');
      assert.equal(bare(once), bare(text));
      assert.ok(once === text || editsOf(text).length > 0);
    }
  });
});

/** The cursor's line after pressing Enter. */
async function after(marked: string, options = TWO): Promise<string> {
  const { text, position } = cursor(marked);
  const [edit] = onTypeFormatting(await documentOf(text), position, '\n', options);
  const line = text.split('\n')[position.line] ?? '';
  if (!edit) return line;
  assert.equal(edit.range.start.line, position.line);
  return edit.newText + line.slice(edit.range.end.character);
}

describe('onTypeFormatting', () => {
  it('indents below a key without a value', async () => {
    assert.equal(await after('cases:\n|'), '  ');
    assert.equal(await after('cases:\n  - id: a\n    assert: # what\n|'), '      ');
    assert.equal(await after('cases:\n  - assert:\n  |\n'), '      ');
  });

  it('indents to the first key of an item', async () => {
    assert.equal(await after('cases:\n  - id: a\n|'), '    ');
    assert.equal(await after('cases:\n  -   id: "a"\n  |'), '      ');
    assert.equal(await after('cases:\n  - id: a\n    description: x # y\n  |'), '    ');
  });

  it('indents for the next item after a text item', async () => {
    assert.equal(await after('turns:\n  - Hi there\n|'), '  ');
    assert.equal(await after('turns:\n  - "Hi: there"\n    |'), '  ');
  });

  it('indents the value below a dash alone', async () => {
    assert.equal(await after('cases:\n  -\n|'), '    ');
    assert.equal(await after('cases:\n  - \n|'), '    ');
  });

  it('indents a text below its header, and then like its previous line', async () => {
    assert.equal(await after('cases:\n  - description: >\n|'), '      ');
    assert.equal(await after('turns:\n  - >-\n|'), '    ');
    // Inside a block text, a line that looks like an entry is just text.
    assert.equal(
      await after('cases:\n  - description: >-\n      Note:\n  |\n    id: a\n'),
      '      ',
    );
  });

  it('aligns the second part of a split text', async () => {
    assert.equal(await after('turns:\n  - Hi\n|there\n'), '    there');
    assert.equal(await after('description: One\n|two\n'), '  two');
    assert.equal(await after('cases:\n  - id: a\n|turns: [Hi]\n'), '    turns: [Hi]');
  });

  it('changes no line below an empty line or a comment, or before a bracket', async () => {
    assert.equal(await after('cases:\n  - id: a\n\n|'), '');
    assert.equal(await after('cases:\n  # Why:\n |'), ' ');
    assert.equal(await after('tools: [\n|]'), ']');
  });

  it("indents by the editor's tab size", async () => {
    assert.equal(await after('cases:\n|', { insertSpaces: true, tabSize: 4 }), '    ');
  });

  it('works in a file with carriage returns', async () => {
    assert.equal(await after('cases:\r\n  - id: a\r\n|\r\n'), '    \r');
  });

  it('ignores other typed characters', async () => {
    const document = await documentOf('cases:\n');
    assert.deepEqual(onTypeFormatting(document, { line: 1, character: 0 }, ':', TWO), []);
  });

  for (const text of HARD_TEXTS) {
    it(`returns no range outside of ${JSON.stringify(text)}`, async () => {
      const document = await documentOf(text);
      for (const [line] of text.split('\n').entries()) {
        for (const { range } of onTypeFormatting(document, { line, character: 0 }, '\n', TWO)) {
          assert.match(textIn(text, range), /^[ \t]*$/);
        }
      }
    });
  }
});
