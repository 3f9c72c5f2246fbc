import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { loadTranscript } from '../../../src/evalfile/transcript.ts';
import { messageCompletion } from '../../../src/language/completion/messageCompletion.ts';
import { messageSymbols } from '../../../src/language/features/symbols.ts';
import { messageHover } from '../../../src/language/hover/hover.ts';
import { runSync } from '../../../src/node/cooperative.ts';
import { isMessagesFile } from '../../../src/node/paths.ts';
import { cursor } from '../../support/language/cursor.ts';
import { assertPlaces } from '../../support/language/placesIn.ts';
import { tries } from '../../support/long.ts';

const YAML = '/a.messages.yaml';
const JSON_FILE = '/a.messages.json';
const LINES = '/a.messages.jsonl';

/** Problems as `line:column code`, counted from 1. */
const told = (text: string, path: string) =>
  loadTranscript(text, path).problems.map(
    ({ code, range: { start } }) => `${start.line + 1}:${start.character + 1} ${code}`,
  );

const USER = '{"role": "user", "content": "Hi"}';
const REPLY = '{"role": "assistant", "content": "Hello"}';

describe('a file of messages', () => {
  it('is recognized by its name', () => {
    for (const name of ['a.messages.json', 'b.messages.jsonl', 'c.messages.yaml', 'd.messages.yml'])
      assert.ok(isMessagesFile(`/x/${name}`), name);
    for (const name of ['messages.json', 'a.json', 'a.eval.yaml', 'a.messages.json.bak'])
      assert.ok(!isMessagesFile(`/x/${name}`), name);
  });

  it('has no problems if it is valid, in all formats', () => {
    assert.deepEqual(told('- user: Hi\n- assistant: Hello\n', YAML), []);
    assert.deepEqual(told(`[${USER},\n${REPLY}]`, JSON_FILE), []);
    assert.deepEqual(told(`${USER}\n\n${REPLY}\n`, LINES), []);
  });

  for (const [what, text, path, expected] of [
    [
      'a role that is none',
      `[\n  ${USER},\n  {"role": "bot", "content": "x"}]`,
      JSON_FILE,
      ['3:12 unknown-role'],
    ],
    [
      'a part that is unknown',
      `${USER}\n{"role": "assistant", "content": [{"type": "txt"}]}`,
      LINES,
      ['2:44 unknown-part'],
    ],
    [
      'a key of a nested call',
      `${USER}\n{"type": "function_call", "call_id": "a", "nme": "f"}\n${REPLY}`,
      LINES,
      ['2:43 unknown-key'],
    ],
    [
      'a result without a call',
      '- user: Hi\n- role: user\n  content:\n    - type: tool_result\n      tool_use_id: q\n- assistant: x',
      YAML,
      ['5:20 unmatched-result'],
    ],
    [
      'a key twice',
      `${USER}\n{"role": "assistant", "content": "x", "content": "y"}`,
      LINES,
      ['2:39 duplicate-key'],
    ],
    ['no reply', `${USER}\n`, LINES, ['1:1 no-assistant-message']],
    ['a file without a message', '', YAML, ['1:1 not-a-list']],
    ['a file of lines without a message', '\n', LINES, ['1:1 empty-list']],
    [
      'something around the list',
      `{"messages": [${USER}, ${REPLY}]}`,
      JSON_FILE,
      ['1:2 not-a-list'],
    ],
    ['a comma too many', `[${USER},\n${REPLY},\n]`, JSON_FILE, ['3:1 json-syntax']],
    ['a value that is missing', `${USER}\n{"role": , "content": "x"}`, LINES, ['2:10 json-syntax']],
    ['a line that is cut off', `${USER}\n{"role": "assistant`, LINES, ['2:20 json-syntax']],
    ['text that is no YAML', '- user: "Hi', YAML, ['1:9 yaml-syntax']],
  ] as const) {
    it(`reports ${what} at its place`, () => assert.deepEqual(told(text, path), expected));
  }

  it('counts UTF-16 units, with a byte order mark, CRLF, and emoji', () => {
    const bot = '{"role": "user", "content": "👋🏽"}\r\n{"role": "bot", "content": "x"}\r\n';
    assert.deepEqual(told(`\uFEFF${bot}`, LINES), ['2:10 unknown-role']);
    const beside = `[{"role": "user", "content": "👋"}, {"role": "bot", "content": "x"}]`;
    const at = beside.indexOf('"bot"') + 1;
    assert.deepEqual(told(beside, JSON_FILE), [`1:${at} unknown-role`]);
    assert.deepEqual(told('- user: שלום\r\n- asistant: x\r\n', YAML), ['2:3 unknown-key']);
  });

  it('keeps warnings about its YAML along with those about its messages', () => {
    const text = '- user: My order #98765\n- assistant: x\n- usr: y';
    assert.deepEqual(told(text, YAML), ['1:18 comment-cuts-text', '3:3 unknown-key']);
  });
});

describe('completion in a file of messages', () => {
  const offered = (marked: string, path: string) => {
    const { text, position } = cursor(marked);
    return runSync(messageCompletion(text, path, position, { snippets: true }));
  };
  const labels = (marked: string, path: string) => offered(marked, path).map(({ label }) => label);
  /** The text after choosing the item with the given label. */
  const chosen = (marked: string, path: string, label: string) => {
    const { text } = cursor(marked);
    const edit = offered(marked, path).find((item) => item.label === label)?.textEdit;
    assert.ok(edit && 'range' in edit);
    const lines = text.split('\n');
    const { start, end } = edit.range;
    assert.equal(start.line, end.line);
    const line = lines[start.line] ?? '';
    lines[start.line] = line.slice(0, start.character) + edit.newText + line.slice(end.character);
    return lines.join('\n');
  };

  it('offers roles, plain and in quotes', () => {
    const roles = ['system', 'developer', 'user', 'assistant', 'tool'];
    assert.deepEqual(labels('- role: |', YAML), roles);
    assert.deepEqual(labels('[{"role": "|"}]', JSON_FILE), roles);
    assert.equal(chosen('[{"role": "as|"}]', JSON_FILE, 'assistant'), '[{"role": "assistant"}]');
    assert.equal(chosen('[{"role": |}]', JSON_FILE, 'user'), '[{"role": "user"}]');
    assert.equal(chosen(`${USER}\n{"role": "|"}`, LINES, 'tool'), `${USER}\n{"role": "tool"}`);
  });

  it('offers the missing keys of a message in any dialect', () => {
    const keys = labels('- role: assistant\n  |', YAML);
    for (const key of ['content', 'tool_calls', 'tools_called']) assert.ok(keys.includes(key), key);
    assert.ok(!keys.includes('role'));
    // Only other tools write this key.
    assert.ok(!keys.includes('run_id'));
    assert.equal(chosen('[{|}]', JSON_FILE, 'role'), '[{"role": }]');
    assert.equal(chosen('[{"ro|": "user"}]', JSON_FILE, 'role'), '[{"role": "user"}]');
  });

  it('offers types of parts by role, and keys of a part by type', () => {
    const types = labels('- role: user\n  content:\n    - type: |', YAML);
    assert.ok(types.includes('input_text') && types.includes('tool_result'), types.join());
    assert.ok(!types.includes('tool_use'));
    assert.deepEqual(labels('- role: assistant\n  content:\n    - type: tool_use\n      |', YAML), [
      'id',
      'name',
      'input',
    ]);
    assert.deepEqual(labels('{"type": "function_call", "|"', LINES), [
      'call_id',
      'name',
      'arguments',
      'callId',
    ]);
  });

  it('offers items by type if there is no role', () => {
    const types = labels('- type: |', YAML);
    for (const type of ['function_call', 'function_call_output', 'reasoning'])
      assert.ok(types.includes(type), type);
  });

  it('offers whole messages in JSON, and the first of an empty file', () => {
    assert.deepEqual(labels('[|]', JSON_FILE), ['user', 'assistant', 'system']);
    assert.deepEqual(labels(`${USER}\n|`, LINES), ['user', 'assistant', 'system']);
    assert.equal(chosen('|', YAML, '- user'), '- user: ');
  });

  it('reads only its own line of JSON Lines', () => {
    assert.deepEqual(labels('{broken\n{"role": "as|"}', LINES), ['assistant']);
  });

  it('offers nothing within texts', () => {
    assert.deepEqual(labels('- user: He|', YAML), []);
    assert.deepEqual(labels('- user: |-\n    rol|', YAML), []);
    assert.deepEqual(labels('[{"role": "user", "content": "a|"}]', JSON_FILE), []);
  });
});

describe('hover in a file of messages', () => {
  const hover = (marked: string, path: string) => {
    const { text, position } = cursor(marked);
    const contents: unknown = runSync(messageHover(text, path, position))?.contents;
    return String(Reflect.get(Object(contents), 'value'));
  };

  it('documents a key, a role, and a type, and shows the turn', () => {
    assert.match(
      hover('- user: Hi\n- assist|ant: x', YAML),
      /^\*\*assistant\*\*.+part of turn 2\.$/s,
    );
    assert.match(
      hover(`[{"role": "us|er", "content": "x"}]`, JSON_FILE),
      /\*\*user\*\* — What the user/,
    );
    assert.match(
      hover(`${USER}\n{"type": "function_c|all", "call_id": "a"}`, LINES),
      /A tool call/,
    );
    assert.match(
      hover(`${USER}\n{"type": "function_call", "call|_id": "a"}`, LINES),
      /\*\*call_id\*\*/,
    );
  });

  it("doesn't show the message's text", () => {
    const text = hover('- user: "<img src=x> [a](command:b|)"', YAML);
    assert.equal(text, 'Message 1 of 1, part of turn 1.');
  });
});

describe('the outline of a file of messages', () => {
  const outline = (text: string, path: string) =>
    runSync(messageSymbols(text, path)).map(
      ({ name, children = [] }) => `${name}: ${children.map((one) => one.name).join(' | ')}`,
    );

  it('has turns with their messages in every dialect', () => {
    const text = `- system: Be kind.
- user: Hi
- user: anyone?
- role: assistant
  content: [{type: text, text: Let me look.}, {type: tool_use, id: a, name: find, input: {}}]
- system: Hurry.
- role: user
  content: [{type: tool_result, tool_use_id: a, content: found}]
- assistant: Here.
- user: Thanks
`;
    assert.deepEqual(outline(text, YAML), [
      'Be kind.: ',
      'Turn 1: Hi | anyone?',
      'Turn 2: Let me look. | Hurry. | found | Here.',
      'Turn 3: Thanks',
    ]);
    const [, , turn] = runSync(messageSymbols(text, YAML));
    assert.deepEqual([turn?.range.start.line, turn?.range.end.line], [3, 8]);
  });

  it('names a message without text by its calls', () => {
    const call = '{"type": "function_call", "call_id": "a", "name": "find"}';
    assert.deepEqual(outline(`${USER}\n${call}`, LINES), ['Turn 1: Hi', 'Turn 2: find']);
  });

  it('exists for incomplete files, too', () => {
    assert.deepEqual(outline('- user: Hi\n- role: assist', YAML), ['Turn 1: Hi', '(assist): ']);
    assert.deepEqual(outline('nothing', YAML), []);
  });
});

describe('no text', () => {
  const SEED = 20_261_121;
  const TEXTS = tries(1_500, 150);
  const SOUND = [
    '- system: Be kind.\n- user: Hi 👋\n- role: assistant\n  content:\n    - {type: tool_use, id: a, name: f}\n- {role: user, content: [{type: tool_result, tool_use_id: a}]}\n- assistant: שלום\n',
    `[${USER},\r\n {"type": "function_call", "call_id": "a", "name": "f", "arguments": "{}"},\n ${REPLY}]`,
    `\uFEFF${USER}\n\n{"role": "assistant", "content": [{"type": "tool_call", "tool_call_id": "a", "name": "f"}]}\n${REPLY}`,
  ];
  const PIECES = [
    '{',
    '}',
    '[',
    ']',
    '"',
    ': ',
    '- ',
    '\n',
    '\t',
    ',',
    '&a ',
    '*a',
    '|',
    '👋',
    'role',
    'type',
    '\\',
  ];
  const texts = fc
    .record({
      base: fc.constantFrom(...SOUND),
      cuts: fc.array(
        fc.record({ at: fc.nat(400), drop: fc.nat(30), put: fc.constantFrom('', ...PIECES) }),
        { maxLength: 4 },
      ),
    })
    .map(({ base, cuts }) =>
      cuts.reduce((text, { at, drop, put }) => {
        const from = at % (text.length + 1);
        return text.slice(0, from) + put + text.slice(from + drop);
      }, base),
    )
    // To an editor, a single carriage return is a line break; to JSON Lines, it isn't.
    .map((text) => text.replace(/\r(?!\n)/g, ''));

  it(`of ${TEXTS} makes a feature throw or return a range outside of the text`, (t) => {
    t.diagnostic(`seed ${SEED}`);
    const property = fc.property(
      texts,
      fc.constantFrom(YAML, JSON_FILE, LINES),
      fc.nat(30),
      fc.nat(120),
      (text, path, row, column) => {
        const lines = text.split(/\r\n|\n/);
        const line = row % lines.length;
        const position = { line, character: column % ((lines[line]?.length ?? 0) + 1) };
        for (const answer of [
          loadTranscript(text, path).problems,
          runSync(messageCompletion(text, path, position, { snippets: true })),
          runSync(messageHover(text, path, position)),
          runSync(messageSymbols(text, path)),
        ])
          assertPlaces(answer, path, { [path]: text });
      },
    );
    fc.assert(property, { seed: SEED, numRuns: TEXTS });
  });
});
