import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { loadTranscript } from '../../../src/evalfile/transcript.ts';
import { load, placed, suiteWith } from '../../support/evalFiles.ts';

const places = (text: string, path: string) =>
  loadTranscript(text, path).problems.map(
    ({ code, range: { start } }) => `${start.line + 1}:${start.character + 1} ${code}`,
  );

const inline = (messages: string) =>
  suiteWith(`transcript:\n${messages.replace(/^/gm, '  ')}\nassert: [x]`);

describe('an inline transcript', () => {
  for (const [what, messages, expected] of [
    ['an item that is no mapping', '- Hi\n- assistant: x', ['4:9 message-not-object']],
    ['a misspelt shorthand', '- usr: Hi\n- assistant: x', ['4:9 unknown-key']],
    ['a role that is none', '- {role: bot, content: Hi}\n- user: x', ['4:16 unknown-role']],
    ['no role', '- {content: Hi}\n- user: x', ['4:10 missing-role']],
    ['an empty message', '- user: ""\n- assistant: x', ['4:15 empty-content']],
    ['no content', '- {role: user}\n- assistant: x', ['4:10 missing-content']],
    ['no user', '- assistant: x', ['3:5 no-user-message']],
    ['no assistant', '- user: x', ['3:5 no-assistant-message']],
    [
      'a part that is unknown',
      '- {role: user, content: [{type: hologram}]}\n- assistant: x',
      ['4:39 unknown-part'],
    ],
    [
      'a call without a name',
      '- user: x\n- {role: assistant, content: null, tool_calls: [{id: a, function: {arguments: "{}"}}]}',
      ['5:55 call-without-name'],
    ],
    [
      'a result without an id',
      '- user: x\n- {role: tool, content: y}\n- assistant: z',
      ['5:10 result-without-id'],
    ],
    [
      'a result without a call',
      '- user: x\n- {role: tool, tool_call_id: q, content: y}\n- assistant: z',
      ['5:36 unmatched-result'],
    ],
    ['an unknown key', '- user: x\n- {assistant: y, tool_cals: []}', ['5:24 unknown-key']],
  ] as const) {
    it(`is refused with one located problem: ${what}`, async () => {
      assert.deepEqual(placed(await load(inline(messages))), expected);
    });
  }

  const call = '- {role: assistant, tool_calls: [{id: q, function: {name: look}}]}';
  for (const [what, messages, expected] of [
    ['the user is left waiting', '- user: a\n- assistant: b\n- user: c', '6:9'],
    ['it ends with a tool call', `- user: a\n${call}`, '5:10'],
    [
      'it ends with the result of one',
      `- user: a\n${call}\n- {role: tool, tool_call_id: q, content: y}`,
      '6:10',
    ],
  ] as const) {
    it(`is accepted with a warning if ${what}`, async () => {
      const loaded = await load(inline(messages));
      assert.deepEqual(placed(loaded), [`${expected} conversation-unfinished`]);
      assert.equal(loaded.suite?.cases.length, 1);
    });
  }
});

describe('a transcript file', () => {
  it('can be JSON, JSON Lines, or YAML', () => {
    const messages = [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: [{ type: 'text', text: 'Hello' }] },
    ];
    const yaml = '- user: Hi\n- assistant: Hello\n';
    const jsonl = messages.map((message) => JSON.stringify(message)).join('\n');
    for (const [text, path] of [
      [JSON.stringify(messages), '/a.json'],
      [jsonl, '/a.jsonl'],
      [yaml, '/a.yaml'],
    ] as const) {
      const { messages: read, problems } = loadTranscript(text, path);
      assert.deepEqual(problems, [], path);
      assert.deepEqual(
        read.map(({ message }) => message.content),
        ['Hi', 'Hello'],
        path,
      );
    }
  });

  it('reports a mistake on its line', () => {
    const line = '{"role": "user", "content": "Hi"}';
    assert.deepEqual(places(`${line}\n{"role": "bot", "content": "x"}`, '/a.jsonl'), [
      '2:10 unknown-role',
    ]);
    assert.deepEqual(places(`${line}\n{"role": }`, '/a.jsonl')[0]?.slice(0, 2), '2:');
    assert.deepEqual(places(`[${line},\n {"role": "assistant", "contnt": "x"}]`, '/a.json'), [
      '2:24 unknown-key',
    ]);
  });

  it('is read relative to the file that names it', async () => {
    const loaded = await load(suiteWith('transcript: talks/a.jsonl\nassert: [x]'), {
      'talks/a.jsonl': '{"user": "Hi"}\n{"assistant": "Hello"}\n',
    });
    assert.deepEqual(placed(loaded), []);
    assert.deepEqual(loaded.dependencies, ['/work/space/talks/a.jsonl']);
  });
});

describe('a transcript of broken lines', () => {
  it('stops after too many of them', () => {
    const { problems } = loadTranscript('{"role":\n'.repeat(20_000), '/a.messages.jsonl');
    assert.match(problems.at(-1)?.message ?? '', /^… and 4,500 more problems/);
  });
});
