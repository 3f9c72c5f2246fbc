import { ASSERT, asserting, caseOf, type Mistake, TARGET, TRANSCRIPT } from './mistake.ts';

const CONVERSATION = TRANSCRIPT + ASSERT;

/** Mistakes in keys and values. */
export const VALUES: readonly Mistake[] = [
  {
    name: 'a case without an id',
    before: caseOf(CONVERSATION).replace('id: one\n    ', ''),
    problems: ['2:5 Missing key "id".'],
    fix: {
      title: 'Add "id"',
      changes: [['- The reply is friendly.', '- The reply is friendly.\n    id: case-1']],
    },
  },
  {
    name: 'an assertion without its value',
    before: asserting('type: contains'),
    problems: ['7:9 Missing key "value".'],
    fix: {
      title: 'Add "value"',
      changes: [['type: contains', 'type: contains\n        value: text']],
    },
  },
  {
    name: 'a file without cases',
    before: 'name: Shop\n',
    problems: ['1:1 The file has no cases. Add `cases:` with at least one case.'],
    fix: {
      title: 'Add "cases"',
      changes: [
        [
          'name: Shop',
          'name: Shop\ncases: [{ id: case-1, transcript: [{ user: Hello }, { assistant: Hello }], assert: [The assistant greets the user.] }]',
        ],
      ],
    },
  },
  {
    name: 'a case that checks nothing',
    before: caseOf(TRANSCRIPT),
    problems: [
      '2:5 The case checks nothing. Add `assert` to the case, to one of its turns, or to `defaults`.',
    ],
    fix: {
      title: 'Add "assert"',
      changes: [['tomorrow.', 'tomorrow.\n    assert: [The assistant answers the question.]']],
    },
  },
  {
    name: 'turns that nothing answers',
    before: caseOf(`    turns: [Hi]\n${ASSERT}`),
    problems: [
      '3:5 `turns` need a `target` to answer them. Set one in the case or at the top of the file.',
    ],
    fix: {
      title: 'Add "target"',
      changes: [['friendly.', 'friendly.\n    target: { type: chat, model: openai:gpt-5-mini }']],
    },
  },
  {
    name: 'a misspelled key',
    before: caseOf(CONVERSATION.replace('assert', 'asert')),
    problems: ['6:5 Unknown key "asert". Did you mean "assert"?'],
    fix: { title: 'Change to "assert"', changes: [['asert', 'assert']] },
  },
  {
    name: 'a key that nothing resembles',
    before: caseOf(`    priority: 1\n${CONVERSATION}`),
    problems: [
      '3:5 Unknown key "priority". Known keys here: description, tags, skip, only, turns, simulate, history, transcripts, roles, stop_on_failure, matrix, expectations, context, threshold, aggregate, repeat, target, variants, judge, together, role, topics, tools.',
    ],
    fix: { title: 'Remove "priority"', changes: [['    priority: 1\n', '']] },
  },
  {
    name: "promptfoo's key for the cases",
    before: caseOf(CONVERSATION).replace('cases', 'tests'),
    problems: ['1:1 Unknown key "tests". Use `cases` (promptfoo calls it `tests`).'],
    fix: { title: 'Change to "cases"', changes: [['tests', 'cases']] },
  },
  {
    name: "promptfoo's key for the defaults",
    before: caseOf(TRANSCRIPT, 'defaultTest:\n  assert:\n    - It is short.\n'),
    problems: ['1:1 Unknown key "defaultTest". Use `defaults` (promptfoo calls it `defaultTest`).'],
    fix: { title: 'Change to "defaults"', changes: [['defaultTest', 'defaults']] },
  },
  {
    name: "promptfoo's type that ignores case",
    before: asserting('type: icontains\nvalue: tomorrow'),
    problems: [
      '7:15 Unknown type "icontains". Use `contains` with `ignore_case: true` (promptfoo calls it `icontains`).',
    ],
    fix: {
      title: 'Change to "contains" with ignore_case: true',
      changes: [
        ['icontains', 'contains'],
        ['value: tomorrow', 'value: tomorrow\n        ignore_case: true'],
      ],
    },
  },
  {
    name: "promptfoo's negated type",
    before: asserting('type: not-contains\nvalue: refund'),
    problems: [
      '7:15 Unknown type "not-contains". Use `contains` with `negate: true` (promptfoo calls it `not-contains`).',
    ],
    fix: {
      title: 'Change to "contains" with negate: true',
      changes: [
        ['not-contains', 'contains'],
        ['value: refund', 'value: refund\n        negate: true'],
      ],
    },
  },
  {
    name: 'an id that another case has',
    before: `${caseOf(CONVERSATION)}  - id: two\n${CONVERSATION}`.replace('two', 'one'),
    problems: ['8:9 Another case in this suite has the id "one". Give this one a different id.'],
    fix: {
      title: 'Change to "one-2"',
      changes: [['friendly.\n  - id: one', 'friendly.\n  - id: one-2']],
    },
  },
  {
    name: 'a threshold in percent',
    before: caseOf(`    threshold: 80\n${CONVERSATION}`),
    problems: ['3:16 Expected a share from 0 to 1, found 80. Did you mean 0.8?'],
    fix: { title: 'Change to threshold: 0.8', changes: [['80', '0.8']] },
  },
  {
    name: 'a number in quotes',
    before: caseOf(`    repeat: "3"\n${CONVERSATION}`),
    problems: ['3:13 Expected a number or a mapping, found text in quotes.'],
    fix: { title: 'Change to repeat: 3', changes: [['"3"', '3']] },
  },
  {
    name: 'a misspelled value',
    before: asserting('type: criterion\ncriterion: It is short.\ngranularity: turns'),
    problems: ['9:22 Unknown value "turns". Did you mean "turn"?'],
    fix: { title: 'Change to "turn"', changes: [['turns', 'turn']] },
  },
  {
    name: 'a misspelled type',
    before: asserting('type: contain\nvalue: tomorrow'),
    problems: ['7:15 Unknown type "contain". Did you mean "contains"?'],
    fix: { title: 'Change to "contains"', changes: [['contain', 'contains']] },
  },
  {
    name: 'a target that is not declared',
    before: caseOf(`    turns: [Hi]\n${ASSERT}`, TARGET).replace('target: bot', 'target: bto'),
    problems: ['5:9 There is no target "bto". Did you mean "bot"?'],
    fix: { title: 'Change to "bot"', changes: [['bto', 'bot']] },
  },
  {
    name: 'a variable that the context lacks',
    before: caseOf(
      `    context: { name: Ann }\n    turns:\n      - I am {{nmae}}\n${ASSERT}`,
      TARGET,
    ),
    problems: ["10:14 The case's `context` has no key `nmae`. Did you mean {{name}}?"],
    fix: { title: 'Change to "{{name}}"', changes: [['{{nmae}}', '{{name}}']] },
  },
  {
    name: 'a misspelled word for turns',
    before: asserting('type: contains\nvalue: tomorrow\nat: lst'),
    problems: ['9:13 Unknown value "lst". Did you mean "last"?'],
    fix: { title: 'Change to "last"', changes: [['lst', 'last']] },
  },
  {
    name: 'a regular expression that is not valid',
    before: asserting('type: regex\npattern: "[0-9"'),
    problems: [
      '8:18 This is not a valid RE2 regular expression: error parsing regexp: missing closing ]: `[0-9`. Lookarounds and backreferences are not supported.',
    ],
  },
];
