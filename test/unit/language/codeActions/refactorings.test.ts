import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Conversation } from '../../../../src/core/conversation.ts';
import { codeActions } from '../../../../src/language/codeActions/codeActions.ts';
import { WORKSPACE } from '../../../support/evalFiles.ts';
import { actionsAt, applied, codesOf, portsOver } from '../../../support/language/codeActions.ts';
import { cursor } from '../../../support/language/cursor.ts';
import { documentOf } from '../../../support/language/evalDocument.ts';

type Texts = Readonly<Record<string, string>>;

/** Texts after the action whose title starts with the given words, with the cursor at `|`. */
async function after(marked: string, title: string, beside: Texts = {}, last?: Conversation) {
  const { text, position } = cursor(marked);
  const actions = await actionsAt(text, position, beside, last);
  const action = actions.find((one) => one.title.startsWith(title));
  assert.ok(action, `offered: ${actions.map((one) => one.title).join(' | ')}`);
  const { 'suite.eval.yaml': suite = '', ...created } = applied(text, action);
  assert.deepEqual(await codesOf(suite, { ...beside, ...created }), [], suite);
  return { suite, created };
}

async function titles(marked: string, beside: Texts = {}, last?: Conversation) {
  const { text, position } = cursor(marked);
  return (await actionsAt(text, position, beside, last)).map(({ title }) => title);
}

const CHAT = '    transcript: [{user: Hi}, {assistant: Hello}]\n';
const FILE = './judges/it-is-friendly.md';

describe('a refactoring', () => {
  const CASE = 'cases:\n  - id: one\n';

  it('offers to improve a judge with a question of its own if the file has labels', async () => {
    const criterion = `${CASE}${CHAT}    assert:\n      - |It is friendly.\n`;
    const labels = { 'suite.labels/ann.jsonl': '' };
    const improve = 'Improve this judge with labels';
    assert.ok((await titles(criterion, labels)).includes(improve));
    assert.ok(!(await titles(criterion)).includes(improve));
    const own = `${CASE}${CHAT}    assert: [{type: |safety}]\n`;
    assert.ok(!(await titles(own, labels)).includes(improve));
  });

  it('copies nothing from a file outside of the workspace', async () => {
    const transcript = (path: string) =>
      `${CASE}    transcript: |${path}\n    assert: [{type: contains, value: x}]\n`;
    const prompt = (path: string) =>
      `${CASE}${CHAT}    assert:\n      - type: llm-judge\n        prompt: |${path}\n`;
    const beside = (path: string) => ({
      [path]: path.endsWith('.md') ? 'Judge {{conversation}}.' : '[{user: Hi}, {assistant: Ho}]',
    });
    const inside = await titles(transcript('a.yaml'), beside('a.yaml'));
    assert.ok(inside.includes('Inline the transcript'));
    assert.ok((await titles(prompt('a.md'), beside('a.md'))).includes('Inline the prompt'));
    const outside = [
      ...(await titles(transcript('../a.yaml'), beside('../a.yaml'))),
      ...(await titles(prompt('../a.md'), beside('../a.md'))),
    ];
    assert.deepEqual(
      outside.filter((title) => title.startsWith('Inline')),
      [],
    );
  });

  it('creates no file through a folder that leads out of the workspace', async () => {
    const { text, position } = cursor(`${CASE}${CHAT}    assert: [It is fr|iendly.]\n`);
    const document = await documentOf(text);
    const ports = portsOver();
    const range = { start: position, end: position };
    const offered = async (realPath: (path: string) => Promise<string>) => {
      const files = { ...ports.files, realPath };
      const actions = await codeActions(document, range, [], { ...ports, files });
      return actions.filter(({ title }) => title.startsWith('Move to the prompt file')).length;
    };
    assert.equal(await offered(async (path) => path), 1);
    const link = `${WORKSPACE}/judges`;
    assert.equal(await offered(async (path) => path.replace(link, '/elsewhere')), 0);
  });
});

describe('a prompt file', () => {
  it('is created from a criterion in a list', async () => {
    const { suite, created } = await after(
      `cases:\n  - id: one\n${CHAT}    assert:\n      # tone\n      - It is fr|iendly. # always\n`,
      'Move to the prompt file',
    );
    assert.equal(
      suite,
      `cases:\n  - id: one\n${CHAT}    assert:\n      # tone\n      - type: llm-judge # always\n        prompt: ${FILE}\n        threshold: 1\n`,
    );
    assert.equal(
      created['judges/it-is-friendly.md'],
      '---\nname: It is friendly.\n---\n\nDoes this hold for the conversation?\n\nIt is friendly.\n\n{{conversation}}\n',
    );
  });

  it('is created from a criterion within brackets', async () => {
    const { suite } = await after(
      `cases:\n  - id: one\n${CHAT}    assert: [It is fr|iendly.]\n`,
      'Move to the prompt file',
    );
    assert.ok(
      suite.endsWith(`assert: [{ type: llm-judge, prompt: ${FILE}, threshold: 1 }]\n`),
      suite,
    );
  });

  it('is created from a criterion with keys, with the variable names of prompts', async () => {
    const { suite, created } = await after(
      `cases:\n  - id: one\n    context: {tone: kind}\n${CHAT}    assert:\n      - type: criterion # tone\n        name: Tone\n        criterion: >-\n          It is\n          {{to|ne}}.\n        weight: 2\n`,
      'Move to the prompt file "./judges/tone.md"',
    );
    assert.ok(
      suite.endsWith(
        '      - type: llm-judge # tone\n        name: Tone\n        prompt: ./judges/tone.md\n        weight: 2\n        threshold: 1\n',
      ),
      suite,
    );
    assert.match(created['judges/tone.md'] ?? '', /\nIt is \{\{context\.tone\}\}\.\n/);
  });

  it('gets an unused name', async () => {
    const { suite } = await after(
      `cases:\n  - id: one\n${CHAT}    assert:\n      - It is fr|iendly.\n`,
      'Move to the prompt file',
      { 'judges/it-is-friendly.md': 'taken' },
    );
    assert.match(suite, /prompt: \.\/judges\/it-is-friendly-2\.md/);
  });

  it('is created from instructions, and can be inlined again unchanged', async () => {
    const before = `cases:\n  - id: one\n${CHAT}    assert:\n      - type: llm-judge\n        na|me: Tone\n        instructions: |-\n          Is {{conversation}} friendly?\n\n          Be strict.\n        scale: [1, 5] # as ever\n`;
    const { suite, created } = await after(before, 'Move to the prompt file');
    assert.ok(
      suite.endsWith('        prompt: ./judges/tone.md\n        scale: [1, 5] # as ever\n'),
      suite,
    );
    const back = await after(suite.replace('tone.md', 'to|ne.md'), 'Inline the prompt', created);
    assert.equal(back.suite, before.replace('na|me', 'name'));
  });

  it('is inlined with the keys of its front matter', async () => {
    const { suite } = await after(
      `cases:\n  - id: one\n${CHAT}    assert: [{type: llm-judge, prompt: to|ne.md}]\n`,
      'Inline the prompt',
      { 'tone.md': '---\nscale: [1, 5]\nthreshold: 4\n---\nIs {{conversation}} "fine"?\n' },
    );
    assert.ok(
      suite.endsWith(
        `[{type: llm-judge, instructions: 'Is {{conversation}} "fine"?', name: tone, scale: [1, 5], threshold: 4}]\n`,
      ),
      suite,
    );
  });
});

describe('a transcript file', () => {
  const inline =
    'cases:\n  - id: one\n    trans|cript: # as it was\n      # first\n      - user: "Hi #1"\n      - assistant: >-\n          Hello\n          there.\n    assert: [x]\n';

  it('is created from a transcript with its formatting, and can be inlined again', async () => {
    const { suite, created } = await after(inline, 'Move the transcript to');
    assert.equal(
      suite,
      'cases:\n  - id: one\n    transcript: ./transcripts/one.yaml # as it was\n    assert: [x]\n',
    );
    assert.equal(
      created['transcripts/one.yaml'],
      '# first\n- user: "Hi #1"\n- assistant: >-\n    Hello\n    there.\n',
    );
    const back = await after(
      suite.replace('one.yaml', 'o|ne.yaml'),
      'Inline the transcript',
      created,
    );
    assert.equal(
      back.suite,
      'cases:\n  - id: one\n    transcript: # as it was\n      # first\n      - user: "Hi #1"\n      - assistant: >-\n          Hello\n          there.\n    assert: [x]\n',
    );
  });

  it('is created from a transcript within brackets', async () => {
    const { suite, created } = await after(
      `cases:\n  - id: one\n${CHAT.replace('user', 'us|er')}    assert: [x]\n`,
      'Move the transcript to',
    );
    assert.match(suite, /transcript: \.\/transcripts\/one\.yaml\n/);
    assert.equal(created['transcripts/one.yaml'], '[{user: Hi}, {assistant: Hello}]\n');
  });

  for (const [name, text] of [
    ['a.json', '[{"user": "Hi"}, {"assistant": "Hello"}]'],
    ['a.jsonl', '{"user": "Hi"}\n\n{"assistant": "Hello"}\n'],
  ] as const) {
    it(`is inlined from ${name}`, async () => {
      const { suite } = await after(
        `cases:\n  - id: one\n    transcript: ./${name[0]}|${name.slice(1)}\n    assert: [x]\n`,
        'Inline the transcript',
        { [name]: text },
      );
      assert.equal(
        suite,
        'cases:\n  - id: one\n    transcript:\n      - user: Hi\n      - assistant: Hello\n    assert: [x]\n',
      );
    });
  }

  it("isn't created from a transcript with an anchor that is used elsewhere", async () => {
    const marked =
      'cases:\n  - id: one\n    tr|anscript:\n      - &a {user: Hi}\n      - {assistant: x}\n    assert: [x]\n';
    assert.deepEqual(await titles(marked), []);
  });
});

describe('a history', () => {
  const live = (history: string) =>
    `target: {type: module, path: ./bot.mjs}\ncases:\n  - id: one\n    history: ${history}\n    turns: [Bye]\n    assert: [{type: no-repeat}]\n`;

  it('is moved to a file, and can be inlined again', async () => {
    const moved = await after(live('[{user: Hi}, {assist|ant: Hello}]'), 'Move the history to');
    assert.match(moved.suite, /history: \.\/histories\/one\.yaml\n/);
    assert.equal(moved.created['histories/one.yaml'], '[{user: Hi}, {assistant: Hello}]\n');
    const back = await after(live('./hist|ories/one.yaml'), 'Inline the history', moved.created);
    assert.match(back.suite, /history:\n {6}- user: Hi\n {6}- assistant: Hello\n/);
  });
});

describe('a transcript converted to turns', () => {
  const BOT = 'targets: {bot: {type: module, path: ./bot.mjs}}\n';
  const title = 'Convert the transcript to turns';

  it("keeps the user's messages with their formatting", async () => {
    const { suite } = await after(
      `${BOT}cases:\n  - id: one\n    tran|script:\n      - system: Be nice.\n      # the order\n      - user: "Hi #1" # first\n      - assistant: Hello\n      - {role: user, content: "Thanks, bye"}\n      - assistant: |\n          Bye\n    assert: [x]\n`,
      title,
    );
    assert.equal(
      suite,
      `${BOT}cases:\n  - id: one\n    turns:\n      # the order\n      - user: "Hi #1" # first\n      - { user: "Thanks, bye" }\n    assert: [x]\n    target: bot\n`,
    );
  });

  it('works within brackets, and with an existing target', async () => {
    const { suite } = await after(
      `${BOT}target: bot\ncases:\n  - id: one\n${CHAT.replace('user', 'us|er')}    assert: [x]\n`,
      title,
    );
    assert.match(suite, /^ {4}turns: \[\{user: Hi\}\]$/m);
  });

  it("isn't offered if the turns would differ from the transcript", async () => {
    for (const messages of ['- user: Hi {{name}}', '- user: Hi\n      - user: Still there?']) {
      const found = await titles(
        `${BOT}cases:\n  - id: one\n    tran|script:\n      ${messages}\n      - assistant: Hello\n    assert: [x]\n`,
      );
      assert.ok(!found.some((one) => one.startsWith(title)), messages);
    }
  });

  it("isn't offered without a target", async () => {
    const found = await titles(
      `cases:\n  - id: one\n${CHAT.replace('user', 'us|er')}    assert: [x]\n`,
    );
    assert.ok(!found.some((one) => one.startsWith(title)));
  });
});

describe('turns converted to a transcript', () => {
  const title = 'Convert the turns to the transcript';
  const text = (turns: string) =>
    `target: {type: module, path: ./bot.mjs}\ncases:\n  - id: one\n    stop_on_failure: true\n    tu|rns:${turns}\n    assert: [x] # why\n`;
  const last: Conversation = {
    notes: [],
    entries: [
      { kind: 'system', role: 'system', text: 'Be nice.' },
      { kind: 'turn', number: 1, side: 'user', items: [{ kind: 'text', text: 'Where is #1?' }] },
      {
        kind: 'turn',
        number: 2,
        side: 'assistant',
        retrievalContext: ['a page'],
        items: [
          { kind: 'text', text: 'Let me look.' },
          {
            kind: 'tool-call',
            call: { id: 'c1', name: 'look_up', arguments: { id: 1 } },
            result: 'sent',
          },
          { kind: 'text', text: 'It is\non its way.' },
        ],
      },
    ],
  };

  it('starts with the history, which is removed', async () => {
    const history = 'history: [{user: Hi}, {assistant: Hello}]';
    const live = text('\n      - Bye').replace('stop_on_failure: true', history);
    const { suite } = await after(live, title, {}, last);
    assert.ok(!suite.includes('history'), suite);
  });

  it('contains all messages and calls of the last run', async () => {
    const { suite } = await after(text('\n      # asks\n      - Where is "#1"?'), title, {}, last);
    assert.equal(
      suite,
      `target: {type: module, path: ./bot.mjs}
cases:
  - id: one
    transcript:
      # asks
      - system: Be nice.
      - user: "Where is #1?"
      - assistant: Let me look.
        tool_calls:
          - id: c1
            type: function
            function:
              name: look_up
              arguments: '{"id":1}'
      - tool: sent
        tool_call_id: c1
      - assistant: |-
          It is
          on its way.
        retrieval_context:
          - a page
    assert: [x] # why
`,
    );
  });

  it("isn't offered before the first run, or if turns have assertions", async () => {
    assert.deepEqual(await titles(text(' [Hi]')), []);
    assert.deepEqual(await titles(text(' [{user: Hi, assert: [y]}]'), {}, last), []);
  });
});

describe('a model or a target moved to the top level', () => {
  for (const [what, marked, expected] of [
    [
      'a model in lines of its own, comments kept',
      `# Suite\nname: x\n\n# all of them\ncases:\n  - id: one\n${CHAT}    judge: # mine\n      # cheap\n      provider: op|enai\n      model: gpt-5-mini # small\n    assert: [x]\n`,
      `# Suite\nname: x\n\nmodels:\n  judge:\n    # cheap\n    provider: openai\n    model: gpt-5-mini # small\n\n# all of them\ncases:\n  - id: one\n${CHAT}    judge: judge # mine\n    assert: [x]\n`,
    ],
    [
      'a model in short form beside others',
      `models:\n  judge: openai:a # first\n\njudge: openai:|b\ncases:\n  - id: one\n${CHAT}    judge: judge\n    assert: [x]\n`,
      `models:\n  judge: openai:a # first\n  judge-2: openai:b\n\njudge: judge-2\ncases:\n  - id: one\n${CHAT}    judge: judge\n    assert: [x]\n`,
    ],
    [
      'a target, to targets within braces',
      `targets: {bot: {type: module, path: ./bot.mjs}}\ntarget: bot\ncases:\n  - id: one\n    turns: [Hi]\n    target:\n      type: mo|dule\n      path: ./agent.mjs\n    assert: [x]\n`,
      `targets: {bot: {type: module, path: ./bot.mjs}, agent: { type: module, path: ./agent.mjs }}\ntarget: bot\ncases:\n  - id: one\n    turns: [Hi]\n    target: agent\n    assert: [x]\n`,
    ],
    [
      'the model of a target',
      `target: {type: chat, model: {provider: openai, model: gp|t-5}}\ncases:\n  - id: one\n    turns: [Hi]\n    assert: [x]\n`,
      `models:\n  gpt-5: {provider: openai, model: gpt-5}\ntarget: {type: chat, model: gpt-5}\ncases:\n  - id: one\n    turns: [Hi]\n    assert: [x]\n`,
    ],
  ] as const) {
    it(`handles ${what}`, async () => {
      assert.equal((await after(marked, 'Move to `')).suite, expected);
    });
  }

  it("isn't offered for models and targets at the top level", async () => {
    const marked = `models:\n  a: {provider: openai, model: gp|t}\njudge: a\ncases:\n  - id: one\n${CHAT}    assert: [x]\n`;
    assert.deepEqual(await titles(marked), []);
  });
});
