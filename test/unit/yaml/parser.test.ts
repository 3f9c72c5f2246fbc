import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseYaml } from '../../../src/yaml/yamlDocument.ts';
import { suiteWith } from '../../support/evalFiles.ts';
import { codesOf, fixed } from '../../support/language/codeActions.ts';

const saidOf = (text: string) => parseYaml(text, '/x.yaml').problems.map(({ message }) => message);

const TABS = "YAML can't be indented with tabs. Use spaces.";
const SPACE = 'Insert the missing space';

describe('invalid YAML', () => {
  for (const [text, ...messages] of [
    ['a: "b\nc: d\n', 'This text has no closing quote.'],
    ["a: 'b\nc: d\n", 'This text has no closing quote.'],
    ['a: [b\nc: d\n', 'This has no closing "]".'],
    ['a: {b: c\n', 'This has no closing "}".'],
    ['a: {b: c}}\n', 'This closing bracket has no opening bracket.'],
    ['a:\n  b: c\n d: e\n', 'Indent this line by 2 or 0 spaces, not 1.'],
    ['- a: b\n c: d\n', 'Indent this line by 2 spaces, not 1.'],
    ['- a: b\n    c: d\n', 'Indent this line by 2 spaces, not 4.'],
    ['a:\n  - b\n - c\n', 'Indent this line by 2 spaces, not 1.'],
    ['a:\n\t- b: c\n\t- d: e\n', TABS, TABS],
    ['a: {{b}}\n', 'Text that starts with "{{" needs quotes.'],
    ['a: {{b}} c\n', 'Text that starts with "{{" needs quotes.'],
    ['a: b\nc\n', 'Expected `key: value`, with a space after the colon.'],
    ['a: @b\n', 'Text that starts with "@" needs quotes.'],
    ['a: "\\q"\n', '"\\q" is not an escape. Write "\\\\" for a backslash.'],
    [
      'a: "b" c\n',
      'Text continues after its closing quote. Put all of it in the other kind of quotes.',
    ],
    ['- user: Hi: there\n', 'Text that contains ": " needs quotes.'],
    ['- user: Hi\n  say:"x"\n', 'Put a space after "say:".'],
    ['- user: Hi\n-user: Hi\n', 'Put a space after "-".'],
  ] as const) {
    it(`is explained with what to write: ${JSON.stringify(text)}`, () => {
      assert.deepEqual(saidOf(text), messages);
    });
  }

  it('is reported at the line to fix', () => {
    const placeOf = (text: string) => {
      const [
        {
          range: { start },
        } = assert.fail(),
      ] = parseYaml(text, '/x.yaml').problems;
      return `${start.line + 1}:${start.character + 1}`;
    };
    assert.equal(placeOf('a: "b\nc: d\n'), '1:4');
    assert.equal(placeOf('- a: b\n\n    c: d\n'), '3:1');
    assert.equal(placeOf('- a: b\n c: d\n'), '2:1');
  });

  const transcript = (turn: string) =>
    suiteWith(`transcript:\n  - user: Hi\n  ${turn}\nassert: [{type: contains, value: x}]`);

  for (const [what, before, title, after] of [
    ['the blank after a dash', '-assistant: x', SPACE, '- assistant: x'],
    [
      'the blank after a colon',
      '- role: assistant\n    content:"x"',
      SPACE,
      '- role: assistant\n    content: "x"',
    ],
    [
      'quotes around a text with a colon',
      '- assistant: Yes: it is # c',
      'Put in quotes',
      '- assistant: "Yes: it is" # c',
    ],
    [
      'quotes around a text that begins with a variable',
      '- assistant: {{greeting}}, Sarah # c',
      'Put in quotes',
      '- assistant: "{{greeting}}, Sarah" # c',
    ],
  ] as const) {
    it(`gets a fix that adds ${what}`, async () => {
      const mended = await fixed(transcript(before), title, 'yaml-syntax');
      assert.equal(mended, transcript(after));
      assert.deepEqual(await codesOf(mended), []);
    });
  }

  it('gets a fix for a missing space after a colon in braces', async () => {
    const within = (entry: string) =>
      suiteWith(`transcript: [{user: Hi}, {assistant: x}]\nassert: [{type: contains, ${entry}}]`);
    const text = within('value:"x"');
    assert.deepEqual(await codesOf(text), ['unknown-key']);
    const mended = await fixed(text, SPACE, 'unknown-key');
    assert.equal(mended, within('value: "x"'));
  });
});
