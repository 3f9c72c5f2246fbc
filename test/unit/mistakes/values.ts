import { ASSERT, asserting, calling, caseOf, type Mistake, TARGET, TRANSCRIPT } from './mistake.ts';

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
    name: "promptfoo's rubric",
    before: asserting('type: llm-rubric\nvalue: It is short.'),
    problems: [
      '7:15 Unknown type "llm-rubric". Use `criterion` (promptfoo calls it `llm-rubric`).',
    ],
    fix: {
      title: 'Change to "criterion" and "value" to "criterion"',
      changes: [
        ['llm-rubric', 'criterion'],
        ['value', 'criterion'],
      ],
    },
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
    name: 'a threshold that is not on the scale',
    before: asserting(
      'type: llm-judge\ninstructions: "{{conversation}}"\nscale: [1, 5]\nthreshold: 80',
    ),
    problems: [
      '10:20 Threshold 80 is outside the range 0..1 and outside the scale 1..5. Did you mean 0.8?',
    ],
    fix: { title: 'Change to "0.8"', changes: [['80', '0.8']] },
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
    name: 'an item instead of a list',
    before: caseOf(`${TRANSCRIPT}    assert: It is short. # why\n`),
    problems: ['6:13 Expected a list, found text. Make it an item of a list.'],
    fix: {
      title: 'Make it an item of a list',
      changes: [['assert: It is short. # why', 'assert: # why\n      - It is short.']],
    },
  },
  {
    name: 'an assertion instead of a list',
    before: caseOf(`${TRANSCRIPT}    assert:\n      type: contains # why\n      value: tomorrow\n`),
    problems: ['7:7 Expected a list, found a mapping. Make it an item of a list.'],
    fix: {
      title: 'Make it an item of a list',
      changes: [
        ['      type: contains', '      - type: contains'],
        ['      value', '        value'],
      ],
    },
  },
  {
    name: 'a case instead of a list',
    before:
      'cases:\n  id: one\n  transcript: [{ user: Hi }, { assistant: Hello }]\n  assert: [x]\n',
    problems: ['2:3 Expected a list, found a mapping. Make it an item of a list.'],
    fix: {
      title: 'Make it an item of a list',
      changes: [
        ['  id', '  - id'],
        ['  transcript', '    transcript'],
        ['  assert:', '    assert:'],
      ],
    },
  },
  {
    name: 'cases by name',
    before:
      'cases:\n  one:\n    transcript: [{ user: Hi }, { assistant: Hello }]\n    assert: [x]\n',
    problems: ['2:3 Expected a list, found a mapping.'],
  },
  {
    name: 'messages without dashes',
    before: caseOf(TRANSCRIPT.replaceAll('- ', '  ') + ASSERT),
    problems: ['3:5 A conversation must be a list of messages. Start each message with "- ".'],
  },
  {
    name: 'a key without a value',
    before: caseOf(CONVERSATION).replace('id: one', 'id:'),
    problems: ['2:5 Expected text, found nothing.'],
    fix: { title: 'Add a value for "id"', changes: [['id:', 'id: case-1']] },
  },
  {
    name: '`cases` without a value',
    before: 'name: Shop\ncases:\n',
    problems: ['2:1 Expected a list, found nothing.'],
    fix: {
      title: 'Add a value for "cases"',
      changes: [
        [
          'cases:',
          'cases:\n  - id: case-1\n    transcript:\n      - user: Hello\n      - assistant: Hello\n    assert:\n      - The assistant greets the user.',
        ],
      ],
    },
  },
  {
    name: 'a value that is a comment',
    before: asserting('type: contains\nvalue: #98765'),
    problems: [
      '8:9 Expected text, found nothing.',
      '8:16 YAML reads everything from "#98765" on as a comment. Put the whole text in quotes.',
    ],
    fix: { title: 'Put in quotes', changes: [['#98765', '"#98765"']] },
  },
  {
    name: '`yes` for true',
    before: asserting('type: contains\nvalue: tomorrow\nrequired: yes'),
    problems: ['9:19 Expected true or false, found text. Did you mean true?'],
    fix: { title: 'Change to required: true', changes: [['yes', 'true']] },
  },
  {
    name: '`off` for false',
    before: caseOf(`    only: off\n${CONVERSATION}`),
    problems: ['3:11 Expected true or false, found text. Did you mean false?'],
    fix: { title: 'Change to only: false', changes: [['off', 'false']] },
  },
  {
    name: 'a duration for a number',
    before: asserting('type: max-latency\nmax: 2s'),
    problems: ['8:14 Expected a number, found text.'],
  },
  {
    name: 'a path with a typo',
    before: caseOf(`    turns: [Hi]\n${ASSERT}`, TARGET).replace('bot.mjs', 'bto.mjs'),
    problems: ['4:11 There is no file "./bto.mjs". Did you mean "./bot.mjs"?'],
    fix: { title: 'Change to "./bot.mjs"', changes: [['bto.mjs', 'bot.mjs']] },
  },
  {
    name: 'a path with a wrong ending',
    before: caseOf(`    transcript: ./chats/order.jsonl\n${ASSERT}`),
    beside: { 'chats/order.json': '[{"user":"Hi"},{"assistant":"Hello"}]' },
    problems: ['3:17 There is no file "./chats/order.jsonl". Did you mean "./chats/order.json"?'],
    fix: { title: 'Change to "./chats/order.json"', changes: [['.jsonl', '.json']] },
  },
  {
    name: 'a turn after the last one',
    before: asserting('type: contains\nvalue: tomorrow\nat: 9'),
    problems: ['9:13 There is no turn 9: the conversation has 2 turns.'],
    fix: { title: 'Change to at: 2', changes: [['at: 9', 'at: 2']] },
  },
  {
    name: 'a turn of the other side',
    before: asserting('type: contains\nvalue: tomorrow\nat: 1'),
    problems: ["9:13 Turn 1 is the user's, but this assertion checks only the assistant's turns."],
    fix: { title: 'Change to at: 2', changes: [['at: 1', 'at: 2']] },
  },
  {
    name: 'turn 0',
    before: asserting('type: contains\nvalue: tomorrow\nat: 0'),
    problems: ['9:13 Turns are numbered from 1. Use -1 for the last turn.'],
    fix: { title: 'Change to at: last', changes: [['at: 0', 'at: last']] },
  },
  {
    name: 'a range that ends after the last turn',
    before: asserting('type: contains\nvalue: tomorrow\nat: 1-9'),
    problems: ['9:13 There is no turn 9: the conversation has 2 turns.'],
    fix: { title: 'Change to at: 1-2', changes: [['1-9', '1-2']] },
  },
  {
    name: "`at` in a turn's assertion",
    before: caseOf(
      '    turns:\n      - user: Hi\n        assert:\n          - type: contains\n            value: x\n            at: 1\n',
      TARGET,
    ),
    problems: ['13:17 An assertion under a turn checks the reply to that turn. Remove `at`.'],
    fix: { title: 'Remove "at"', changes: [['            at: 1\n', '']] },
  },
  {
    name: 'a provider with a typo',
    before: caseOf(CONVERSATION, 'judge: opneai:gpt-5-mini\n'),
    problems: [
      '1:8 Unknown provider "opneai". Did you mean "openai"? For another endpoint with OpenAI\'s API, write provider `openai` and its `base_url` under `models`.',
    ],
    fix: { title: 'Change to "openai:gpt-5-mini"', changes: [['opneai', 'openai']] },
  },
  {
    name: 'a model without its provider',
    before: caseOf(CONVERSATION, 'judge: gpt-5-mini\n'),
    problems: [
      '1:8 There is no model "gpt-5-mini". Did you mean "openai:gpt-5-mini"? Or use provider:model, such as openai:gpt-5-mini.',
    ],
    fix: { title: 'Change to "openai:gpt-5-mini"', changes: [['gpt', 'openai:gpt']] },
  },
  {
    name: 'a slash between provider and model',
    before: caseOf(CONVERSATION, 'judge: ollama/qwen3\n'),
    problems: [
      '1:8 There is no model "ollama/qwen3". Did you mean "ollama:qwen3"? Or use provider:model, such as openai:gpt-5-mini.',
    ],
    fix: { title: 'Change to "ollama:qwen3"', changes: [['ollama/', 'ollama:']] },
  },
  {
    name: '`role` and `content` in a turn',
    before: calling('      - role: user # first\n        content: Hi\n'),
    problems: ["10:9 All `turns` are the user's. Write `user` instead of `role` and `content`."],
    fix: {
      title: 'Change to "user" and remove "role"',
      changes: [['role: user # first\n        content', 'user']],
    },
  },
  {
    name: '`role` and `content` in braces',
    before: calling('      - { role: user, content: Hi }\n'),
    problems: ["9:23 All `turns` are the user's. Write `user` instead of `role` and `content`."],
    fix: {
      title: 'Change to "user" and remove "role"',
      changes: [['role: user, content', 'user']],
    },
  },
  {
    name: 'a reply in the turns',
    before: calling('      - user: Hi\n      - assistant: Hello\n'),
    problems: [
      '10:9 Only the user is scripted in `turns`; the target replies. For a recorded conversation, write `transcript`.',
    ],
    fix: { title: 'Remove this entry', changes: [['      - assistant: Hello\n', '']] },
  },
  {
    name: 'a message without a space after its colon',
    before: caseOf(TRANSCRIPT.replace('user: ', 'user:') + ASSERT),
    problems: ['4:9 Message 1: Put a space after "user:".'],
    fix: { title: 'Insert the missing space', changes: [['user:', 'user: ']] },
  },
  {
    name: 'turns and a transcript',
    before: caseOf(`    turns: [Hi]\n${CONVERSATION}`, TARGET),
    problems: ['9:5 Use either `turns` or `transcript` in a case, not both.'],
    fix: { title: 'Remove "transcript"', changes: [[TRANSCRIPT, '']] },
  },
  {
    name: 'an id with spaces',
    before: caseOf(CONVERSATION).replace('id: one', 'id: my case'),
    problems: ['2:9 An id has only letters, digits, ".", "_" and "-". Did you mean "my-case"?'],
    fix: { title: 'Change to id: my-case', changes: [['my case', 'my-case']] },
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
