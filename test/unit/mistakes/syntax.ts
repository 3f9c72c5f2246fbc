import { ASSERT, asserting, calling, caseOf, type Mistake, TARGET, TRANSCRIPT } from './mistake.ts';

const TABS = "YAML can't be indented with tabs. Use spaces.";
const NO_COLON = 'Expected `key: value`, with a space after the colon.';
const AFTER_QUOTE =
  'Text continues after its closing quote. Put all of it in the other kind of quotes.';

const said = (text: string) =>
  caseOf(`    transcript:\n      - user: ${text}\n      - assistant: Hello\n${ASSERT}`);

const SECOND = `  - id: two\n${TRANSCRIPT}${ASSERT}`;

/** Mistakes that make a file invalid YAML, or change how YAML reads it. */
export const SYNTAX: readonly Mistake[] = [
  {
    name: 'a key that is indented too little',
    before: caseOf(`${TRANSCRIPT}   assert:\n      - It is short.\n`),
    problems: ['6:1 Indent this line by 4 spaces, not 3.'],
    fix: { title: 'Indent by 4 spaces', changes: [['   assert', '    assert']] },
  },
  {
    name: 'a key that is indented like the items above it',
    before: caseOf(`${TRANSCRIPT}      assert:\n      - It is short.\n`),
    problems: ['6:1 Indent this line by 8 or 4 spaces, not 6.'],
    fix: { title: 'Indent by 4 spaces', changes: [['      assert', '    assert']] },
  },
  {
    name: "an assertion's key that is indented like its dash",
    before: asserting('type: contains\nvalue: x').replace('        value', '      value'),
    problems: ['8:1 Indent this line by 8 or 4 spaces, not 6.'],
    fix: { title: 'Indent by 8 spaces', changes: [['      value', '        value']] },
  },
  {
    name: 'a list item that is indented too far',
    before: caseOf(TRANSCRIPT.replace('      - a', '       - a') + ASSERT),
    problems: ['5:1 Indent this line by 6 spaces, not 7.'],
    fix: { title: 'Indent by 6 spaces', changes: [['       - a', '      - a']] },
  },
  {
    name: 'a case with its lines that is indented too far',
    before: `${caseOf(TRANSCRIPT + ASSERT)}${SECOND.replace(/^/gm, '  ').trimEnd()}\n`,
    problems: ['8:1 Indent this line by 6 or 2 spaces, not 4.'],
    fix: {
      title: 'Indent by 2 spaces',
      changes: [[SECOND.replace(/^/gm, '  ').trimEnd(), SECOND.trimEnd()]],
    },
  },
  {
    name: 'a top-level key that is indented',
    before: caseOf(TRANSCRIPT + ASSERT, 'name: Shop\n description: Orders\n'),
    problems: ['2:1 Indent this line by 0 spaces, not 1.'],
    fix: { title: 'Indent by 0 spaces', changes: [[' description', 'description']] },
  },
  {
    name: 'a key without its colon above a list',
    before: caseOf(TRANSCRIPT + ASSERT.replace(':', '')),
    problems: [`6:5 ${NO_COLON}`],
    fix: { title: 'Insert a colon after "assert"', changes: [['assert', 'assert:']] },
  },
  {
    name: 'a key without its colon before a value',
    before: asserting('type: contains\nvalue tomorrow'),
    problems: [`8:9 ${NO_COLON}`],
    fix: { title: 'Insert a colon after "value"', changes: [['value', 'value:']] },
  },
  {
    name: '`cases` without its colon',
    before: caseOf(TRANSCRIPT + ASSERT).replace('cases:', 'cases'),
    problems: [`1:1 ${NO_COLON}`],
    fix: { title: 'Insert a colon after "cases"', changes: [['cases', 'cases:']] },
  },
  {
    name: 'a colon without a space after it',
    before: caseOf(TRANSCRIPT + ASSERT).replace('id: one', 'id:one'),
    problems: ['2:5 Put a space after "id:".'],
    fix: { title: 'Insert the missing space', changes: [['id:one', 'id: one']] },
  },
  {
    name: 'a dash without a space after it',
    before: caseOf(TRANSCRIPT.replace('- user', '-user') + ASSERT),
    problems: ['4:7 Put a space after "-".'],
    fix: { title: 'Insert the missing space', changes: [['-user', '- user']] },
  },
  {
    name: 'a tab in a list that is indented with spaces',
    before: caseOf(TRANSCRIPT.replace('      - a', '\t- a') + ASSERT),
    problems: [`5:1 ${TABS}`],
    fix: { title: 'Indent with spaces', changes: [['\t', '      ']] },
  },
  {
    name: 'tabs for the keys of a case',
    before: caseOf(
      '\ttranscript:\n\t  - user: Hi\n\t  - assistant: Hello\n\tassert:\n\t  - Short.\n',
    ),
    problems: [3, 4, 5, 6, 7].map((line) => `${line}:1 ${TABS}`),
    fix: { title: 'Indent with spaces', changes: Array(5).fill(['\t', '    ']) },
  },
  {
    name: 'text that starts with @',
    before: asserting('type: contains\nvalue: @shop'),
    problems: ['8:16 Text that starts with "@" needs quotes.'],
    fix: { title: 'Put in quotes', changes: [['@shop', '"@shop"']] },
  },
  {
    name: 'text that starts with an asterisk',
    before: asserting('*Friendly* and short.'),
    problems: ['7:9 Text that starts with "*" needs quotes.'],
    fix: {
      title: 'Put in quotes',
      changes: [['*Friendly* and short.', '"*Friendly* and short."']],
    },
  },
  {
    name: 'text that starts with an exclamation mark',
    before: said('!important do it'),
    problems: [
      '4:15 YAML reads the word after "!" as a tag, not as text. Put the whole text in quotes.',
    ],
    fix: { title: 'Put in quotes', changes: [['!important do it', '"!important do it"']] },
  },
  {
    name: 'text that starts with a quoted word',
    before: said('"Late" is what they said'),
    problems: [`4:15 ${AFTER_QUOTE}`],
    fix: {
      title: 'Put in quotes',
      changes: [['"Late" is what they said', `'"Late" is what they said'`]],
    },
  },
  {
    name: 'an apostrophe in single quotes',
    before: said("'It's late'"),
    problems: [`4:15 ${AFTER_QUOTE}`],
    fix: { title: 'Put in quotes', changes: [["'It's late'", '"It\'s late"']] },
  },
  {
    name: 'text with a colon',
    before: said('Hi: are you there?'),
    problems: ['4:15 Text that contains ": " needs quotes.'],
    fix: { title: 'Put in quotes', changes: [['Hi: are you there?', '"Hi: are you there?"']] },
  },
  {
    name: 'a criterion with a colon',
    before: asserting('The reply: short'),
    problems: ['7:9 YAML reads "The reply:" as a key. Put the whole text in quotes.'],
    fix: { title: 'Put in quotes', changes: [['The reply: short', '"The reply: short"']] },
  },
  {
    name: 'text that starts with a variable',
    before: caseOf(
      `    context: { name: Ann }\n    turns:\n      - {{name}} is here\n${ASSERT}`,
      TARGET,
    ),
    problems: ['10:9 Text that starts with "{{" needs quotes.'],
    fix: { title: 'Put in quotes', changes: [['{{name}} is here', '"{{name}} is here"']] },
  },
  {
    name: 'a text that a comment cuts',
    before: said('Where is order #98765?'),
    problems: [
      '4:30 YAML reads everything from "#98765?" on as a comment. Put the whole text in quotes.',
    ],
    fix: {
      title: 'Put in quotes',
      changes: [['Where is order #98765?', '"Where is order #98765?"']],
    },
  },
  {
    name: 'a quote that is left open',
    before: said('"Hi'),
    problems: ['4:15 This text has no closing quote.'],
    fix: { title: 'Add the closing quote', changes: [['"Hi', '"Hi"']] },
  },
  {
    name: 'a bracket that is left open',
    before: caseOf(`    tags: [a, b\n${TRANSCRIPT}${ASSERT}`),
    problems: ['3:11 This has no closing "]".'],
    fix: { title: 'Add the closing ]', changes: [['[a, b', '[a, b]']] },
  },
  {
    name: 'a backslash in double quotes',
    before: asserting('type: regex\npattern: "\\d+"'),
    problems: ['8:18 "\\d" is not an escape. Write "\\\\" for a backslash.'],
    fix: { title: 'Use single quotes', changes: [['"\\d+"', "'\\d+'"]] },
  },
  {
    name: 'a list in the line of its key',
    before: caseOf(`    tags: - smoke\n${TRANSCRIPT}${ASSERT}`),
    problems: ['3:11 Start the list on the next line, or write it as [a, b].'],
    fix: { title: 'Write the list in brackets', changes: [['- smoke', '[smoke]']] },
  },
  {
    name: 'a number as a turn',
    before: calling('      - 42\n'),
    problems: ['9:9 Expected text or a mapping, found 42. Put it in quotes.'],
    fix: { title: 'Put in quotes', changes: [['42', '"42"']] },
  },
  {
    name: 'a key that is written twice',
    before: caseOf(`    tags: [a]\n${TRANSCRIPT}${ASSERT}    tags: [b]\n`),
    problems: ['9:5 Duplicate key "tags". Remove one.'],
    fix: { title: 'Remove the duplicate tags', changes: [['    tags: [b]\n', '']] },
  },
];
