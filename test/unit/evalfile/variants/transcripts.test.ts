import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { SuiteCase } from '../../../../src/core/suite.ts';
import type { Files } from '../../../../src/evalfile/files.ts';
import { loadSuite } from '../../../../src/evalfile/load.ts';
import { expandSuite, type LoadedSuite } from '../../../../src/evalfile/loadedSuite.ts';
import { filesIn, load, placed, SUITE, WORKSPACE } from '../../../support/evalFiles.ts';

const TALK = [
  { role: 'user', content: 'Hi' },
  { role: 'assistant', content: 'Hello' },
];
const CHECK = '    assert: [{type: contains, value: Hello}]\n';

const suite = (keys: string, check = CHECK) => `cases:\n  - id: one\n    ${keys}\n${check}`;

const jsonLines = (...lines: unknown[]) =>
  lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n');

async function expanded(
  text: string,
  beside: Readonly<Record<string, string>>,
): Promise<LoadedSuite> {
  return expandSuite(await load(text, beside));
}

const namesIn = ({ suite: found }: LoadedSuite) => found?.cases.map(({ variant }) => variant);

async function opened({ suite: found }: LoadedSuite, index = 0): Promise<SuiteCase> {
  const { suiteCase, problems } = (await found?.cases[index]?.open?.()) ?? { problems: [] };
  if (!suiteCase) throw new Error(JSON.stringify(problems, null, 2));
  return suiteCase;
}

const saidIn = ({ origin }: SuiteCase) =>
  origin.kind === 'transcript' ? origin.messages.map(({ message }) => message.content) : [];

describe('the conversations that `transcripts` finds', () => {
  for (const [what, written, files, names] of [
    ['a file is one', 'talk.json', { 'talk.json': JSON.stringify(TALK) }, ['talk']],
    [
      'lines that are all messages are one',
      'talk.jsonl',
      { 'talk.jsonl': jsonLines(...TALK) },
      ['talk'],
    ],
    [
      'lines with `messages` are named by their id, else by their line',
      'data.jsonl',
      {
        'data.jsonl': `${jsonLines({ id: 'a', messages: TALK }, { messages: TALK })}\n\n${jsonLines({ id: 7, messages: TALK })}\n`,
      },
      ['a', 'line-2', '7'],
    ],
    [
      'lines that are lists',
      'data.jsonl',
      { 'data.jsonl': jsonLines(TALK, TALK) },
      ['line-1', 'line-2'],
    ],
    [
      'a list of objects with `messages`',
      'data.json',
      { 'data.json': JSON.stringify([{ messages: TALK }, { id: 'b', messages: TALK }]) },
      ['item-1', 'b'],
    ],
    [
      'a list of lists',
      'data.json',
      { 'data.json': JSON.stringify([TALK, TALK]) },
      ['item-1', 'item-2'],
    ],
    [
      'a mapping by id',
      'data.json',
      { 'data.json': JSON.stringify({ x: { messages: TALK }, y: TALK }) },
      ['x', 'y'],
    ],
    [
      'an object with `messages` is one',
      'data.json',
      { 'data.json': JSON.stringify({ id: 'x', messages: TALK }) },
      ['data'],
    ],
    [
      'files of a pattern are named by their path in its folder',
      'talks/**/*.json',
      { 'talks/a.json': JSON.stringify(TALK), 'talks/deep/b.json': JSON.stringify([TALK]) },
      ['a', 'deep/b/item-1'],
    ],
    [
      'files of one name keep their ending',
      '[talk.json, talk.yaml]',
      { 'talk.json': JSON.stringify(TALK), 'talk.yaml': '- user: Hi\n- assistant: Hello\n' },
      ['talk.json', 'talk.yaml'],
    ],
    [
      'equal ids are told apart',
      'data.jsonl',
      { 'data.jsonl': jsonLines({ id: 'a', messages: TALK }, { id: 'a', messages: TALK }) },
      ['a', 'a-2'],
    ],
  ] as const) {
    it(what, async () => {
      const loaded = await expanded(suite(`transcripts: ${written}`), files);
      assert.deepEqual(namesIn(loaded), names);
      assert.deepEqual(saidIn(await opened(loaded)), ['Hi', 'Hello']);
    });
  }

  it('are found only when the variants are requested', async () => {
    const reads: string[] = [];
    const files = filesIn({
      'suite.eval.yaml': suite('transcripts: talks/*.json'),
      'talks/a.json': JSON.stringify(TALK),
    });
    const counting: Files = {
      ...files,
      read(path, most) {
        reads.push(path);
        return files.read(path, most);
      },
    };
    const options = { workspace: WORKSPACE, env: () => undefined };
    const loaded = await loadSuite(SUITE, counting, options);
    assert.deepEqual(reads, [SUITE]);
    assert.deepEqual(namesIn(await expandSuite(loaded)), ['a']);
    assert.equal(reads.length, 2);
  });

  it('report a missing file and a pattern without matches', async () => {
    const missing = await load(suite('transcripts: [gone.jsonl, none/*.json, notes.txt]'));
    assert.deepEqual(placed(missing), [
      '3:19 file-missing',
      '3:31 file-missing',
      '3:44 unknown-file-type',
    ]);
  });

  it('exclude other keys for a conversation', async () => {
    const both = await load(suite('transcripts: a.json\n    turns: [Hi]'), { 'a.json': '[]' });
    assert.deepEqual(placed(both), ['3:5 turns-or-transcript']);
  });

  it('report a file without conversations', async () => {
    const loaded = await expanded(suite('transcripts: data.json'), { 'data.json': '{"a": 1}' });
    assert.deepEqual(placed(loaded), ['data.json:1:2 not-a-list']);
    assert.deepEqual(namesIn(loaded), []);
  });
});

describe('a conversation of a data set', () => {
  it('overrides facts of its case', async () => {
    const line = {
      id: 'a',
      messages: TALK,
      role: 'A clerk',
      topics: ['pets'],
      tools: [{ name: 'look_up' }],
      expectations: { outcome: 'Sold {{item}}.' },
      context: { item: 'a cat' },
      tags: ['vip'],
      reward: 1,
    };
    const text = suite(
      'transcripts: data.jsonl\n    role: A cook\n    tags: [all]\n    expectations: {mood: "{{item}}"}\n    context: {item: soup, size: 2}',
    );
    const loaded = await expanded(text, { 'data.jsonl': jsonLines(line) });
    assert.deepEqual(loaded.suite?.cases[0]?.tags, ['all', 'vip']);
    const { role, topics, tools, expectations, context, tags, origin } = await opened(loaded);
    assert.deepEqual(
      { role, topics, tools, expectations, context, tags },
      {
        role: 'A clerk',
        topics: ['pets'],
        tools: [{ name: 'look_up' }],
        expectations: { mood: 'a cat', outcome: 'Sold {{item}}.' },
        context: { item: 'a cat', size: 2 },
        tags: ['all', 'vip'],
      },
    );
    const notes = origin.kind === 'transcript' ? origin.notes : [];
    assert.deepEqual(notes, ['Keys of the conversation that are not read: `reward`.']);
    assert.equal(
      loaded.problems.find(({ code }) => code === 'unread-keys')?.severity,
      'information',
    );
  });

  it('has its own variables, and an unknown one is reported when it is read', async () => {
    const lines = jsonLines({ context: { item: 'x' }, messages: TALK }, { messages: TALK });
    const check = '    assert: ["It sells {{item}}."]\n';
    const loaded = await expanded(suite('transcripts: data.jsonl', check), { 'data.jsonl': lines });
    assert.deepEqual(placed(loaded), []);
    assert.equal((await opened(loaded)).assertions[0]?.params.criterion, 'It sells x.');
    const second = await loaded.suite?.cases[1]?.open?.();
    assert.deepEqual(
      second?.problems.map(({ code }) => code),
      ['unknown-variable'],
    );
  });

  it('is reported with its line number if its line is broken, and others are read', async () => {
    const text = jsonLines(
      { messages: TALK },
      '{"messages": [',
      { messages: [{ role: 'x' }] },
      { other: 1 },
      {
        messages: TALK,
        tags: 'vip',
      },
      { id: 'x'.repeat(201), messages: TALK },
    );
    const loaded = await expanded(suite('transcripts: data.jsonl'), { 'data.jsonl': text });
    const told = [];
    for (const one of loaded.suite?.cases ?? []) {
      const { suiteCase, problems = [] } = (await one.open?.()) ?? {};
      const [first] = problems;
      told.push(suiteCase ? 'ok' : `${first?.code} ${(first?.range.start.line ?? 0) + 1}`);
    }
    assert.deepEqual(told, [
      'ok',
      'json-syntax 2',
      'unknown-role 3',
      'not-a-conversation 4',
      'wrong-type 5',
      'id-too-long 6',
    ]);
  });

  it('is located at its line', async () => {
    const text = jsonLines({ messages: TALK }, { messages: TALK });
    const loaded = await expanded(suite('transcripts: data.jsonl'), { 'data.jsonl': text });
    const { origin } = await opened(loaded, 1);
    const lines =
      origin.kind === 'transcript'
        ? origin.messages.map(({ source }) => source?.range.start.line)
        : [];
    assert.deepEqual(lines, [1, 1]);
  });
});

describe('the sides of foreign files', () => {
  const told = { usr: 'user', sys: 'assistant' };
  for (const [what, list] of [
    [
      'by other roles',
      [
        { role: 'usr', content: 'Hi' },
        { role: 'sys', content: 'Hello' },
      ],
    ],
    [
      'under another key',
      [
        { from: 'usr', value: 'Hi' },
        { from: 'sys', value: 'Hello' },
      ],
    ],
    ['as keys', [{ usr: 'Hi' }, { sys: 'Hello' }]],
  ] as const) {
    it(`are named ${what}, in one file or several`, async () => {
      const files = { 'talk.json': JSON.stringify(list) };
      const roles = `roles: ${JSON.stringify(told)}`;
      const one = await load(suite(`transcript: talk.json\n    ${roles}`), files);
      assert.deepEqual(saidIn(one.suite?.cases[0] as SuiteCase), ['Hi', 'Hello']);
      const many = await expanded(suite(`transcripts: talk.json\n    ${roles}`), files);
      assert.deepEqual(saidIn(await opened(many)), ['Hi', 'Hello']);
    });
  }

  it('lead to messages under another key', async () => {
    const talk = {
      dialogue_id: 3,
      chat_logs: [
        { text: 'Hi', task_data: {}, id: 'usr' },
        { text: 'Hello', task_data: {}, id: 'sys' },
      ],
    };
    const text = suite(`transcripts: data.json\n    roles: ${JSON.stringify(told)}`);
    const { origin } = await opened(await expanded(text, { 'data.json': JSON.stringify([talk]) }));
    assert.deepEqual(origin.kind === 'transcript' && origin.notes, [
      'Keys of messages that are not read: `task_data`.',
      'Keys of the conversation that are not read: `dialogue_id`.',
    ]);
  });

  it('are suggested if a role is unknown', async () => {
    const files = { 'talk.json': JSON.stringify([{ role: 'usr', content: 'Hi' }]) };
    const { problems } = await load(suite('transcript: talk.json'), files);
    assert.match(
      problems[0]?.message ?? '',
      /"usr" is not a role.*map it to a role under `roles` in the case/,
    );
  });

  it('are refused for live turns', async () => {
    const loaded = await load(
      suite('turns: [Hi]\n    roles: {a: user}\n    target: {type: module, path: bot.mjs}'),
    );
    assert.deepEqual(placed(loaded), ['4:5 useless-key']);
  });
});
