import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Conversation, toConversation } from '../../../src/core/conversation.ts';
import type { Message } from '../../../src/core/message.ts';
import { addCase, type ConversationCase, proposeId } from '../../../src/interop/savedCase.ts';
import { filesIn, load, SUITE, WORKSPACE } from '../../support/evalFiles.ts';

const TARGETS = { targets: { agent: { type: 'module', path: './agent.mjs' } }, target: 'agent' };

const place = (beside: Readonly<Record<string, string>> = {}) => ({
  path: SUITE,
  workspace: WORKSPACE,
  files: filesIn(beside),
  env: () => undefined,
});

function said(messages: readonly Message[], history = 0): Conversation {
  return toConversation(
    messages.map((message, index) => ({ message, ...(index < history && { history: true }) })),
  );
}

const MESSAGES: readonly Message[] = [
  { role: 'user', content: 'Where is my order 98765?' },
  {
    role: 'assistant',
    content: '',
    toolCalls: [{ id: 'c1', name: 'find', arguments: { order: 98765 } }],
  },
  { role: 'tool', callId: 'c1', content: 'shipped' },
  { role: 'assistant', content: 'It was shipped.' },
  { role: 'user', content: 'Thanks: "bye"' },
  { role: 'assistant', content: 'Bye!' },
];

const WANTED: ConversationCase = {
  id: 'where-is-it',
  as: 'turns',
  conversation: said(MESSAGES),
  checks: new Map([
    [2, { assert: ['Names the order.', { type: 'tool-called', name: 'find' }] }],
    [4, { assert: [], expected: 'Bye!' }],
  ]),
};

const FILE = `# My evals
targets:
  agent: { type: module, path: ./agent.mjs }
target: agent

cases:
  - id: first # stays
    turns: [Hello]
    assert: [Greets.]

  # The last one.
`;

describe('a conversation saved as a case', () => {
  it('becomes turns with their assertions in a new file', async () => {
    const { text, edit, range } = await addCase(WANTED, TARGETS, place());
    assert.equal(edit, undefined);
    assert.equal(
      text,
      `targets:
  agent:
    type: module
    path: ./agent.mjs
target: agent

cases:
  - id: where-is-it
    turns:
      - user: Where is my order 98765?
        assert:
          - Names the order.
          - type: tool-called
            name: find
      - user: 'Thanks: "bye"'
        expected: Bye!
`,
    );
    assert.deepEqual(range.start, { line: 7, character: 8 });
    assert.deepEqual((await load(text)).problems, []);
  });

  it('is added after the last case, keeping the rest of the file', async () => {
    const { text, edit } = await addCase({ ...WANTED, keys: { tags: ['talk'] } }, FILE, place());
    assert.ok(edit);
    const added = `
  - id: where-is-it
    tags:
      - talk
    turns:
      - user: Where is my order 98765?
        assert:
          - Names the order.
          - type: tool-called
            name: find
      - user: 'Thanks: "bye"'
        expected: Bye!`;
    const [before = '', after = ''] = text.split(added);
    assert.equal(before + after.replace(/^\n/, ''), FILE);
    assert.deepEqual((await load(text)).problems, []);
  });

  it('keeps line breaks of the file', async () => {
    const { text } = await addCase(WANTED, FILE.replaceAll('\n', '\r\n'), place());
    assert.doesNotMatch(text, /[^\r]\n/);
  });

  it('is the first case of a file without cases', async () => {
    const { text } = await addCase(
      WANTED,
      'targets:\n  agent: { type: module, path: ./agent.mjs }\ntarget: agent\n',
      place(),
    );
    assert.deepEqual(
      (await load(text)).outline.map(({ id }) => id),
      ['where-is-it'],
    );
  });

  it('becomes a transcript whose assertions name their turns', async () => {
    const { text } = await addCase({ ...WANTED, as: 'transcript' }, {}, place());
    const { suite, problems } = await load(text);
    assert.deepEqual(problems, []);
    const [saved] = suite?.cases ?? [];
    assert.ok(saved?.origin.kind === 'transcript');
    assert.deepEqual(
      toConversation(saved.origin.messages).entries.map((one) => 'items' in one && one.items),
      said(MESSAGES).entries.map((one) => 'items' in one && one.items),
    );
    assert.deepEqual(
      saved.assertions.map(({ at }) => at),
      [2, 2].map((turn) => ({ kind: 'turns', turns: [turn] })),
    );
  });

  it('starts with its history', async () => {
    const wanted = { ...WANTED, conversation: said(MESSAGES, 4), checks: new Map() };
    const { text } = await addCase(wanted, TARGETS, place());
    const { suite, problems } = await load(text);
    assert.deepEqual(problems, []);
    const [saved] = suite?.cases ?? [];
    assert.ok(saved?.origin.kind === 'turns');
    assert.deepEqual(
      saved.origin.turns.map(({ user }) => user),
      ['Thanks: "bye"'],
    );
    assert.equal(saved.origin.history?.messages.length, 4);
  });

  it('gets an assertion that needs no judge if it has none', async () => {
    const { text } = await addCase({ ...WANTED, checks: new Map() }, TARGETS, place());
    assert.match(text, /assert:\n {6}- type: no-repeat\n$/);
  });

  it('is refused if the file would be invalid, with the reason', async () => {
    const refused = (wanted: Partial<ConversationCase>, text: string, why: RegExp) =>
      assert.rejects(addCase({ ...WANTED, ...wanted }, text, place()), {
        name: 'SaveError',
        message: why,
      });
    await refused({ id: 'first' }, FILE, /can't be saved.*"first"/);
    await refused({}, 'cases: [{ id: a, transcript: [], assert: [x] }]\n', /written inline/);
    const checks = new Map([[2, { assert: [{ type: 'contians', value: 'x' }] }]]);
    await refused({ checks }, FILE, /contains/);
    const template = said([{ role: 'user', content: 'Hi {{name}}' }]);
    await refused({ conversation: template }, FILE, /Save a transcript instead/);
    await refused({ conversation: said([]) }, FILE, /no user turns/);
    await refused({ keys: { target: 'other' } }, FILE, /no target "other"/);
  });
});

describe('the proposed id', () => {
  it("is made of the user's first live words", () => {
    assert.equal(proposeId(said(MESSAGES)), 'where-is-my-order-98765');
    assert.equal(proposeId(said(MESSAGES, 4)), 'thanks-bye');
    assert.equal(proposeId(said([{ role: 'user', content: '…' }])), 'conversation');
  });

  it('is new in the file', () => {
    const taken = ['thanks-bye', 'thanks-bye-2'];
    assert.equal(proposeId(said(MESSAGES, 4), taken), 'thanks-bye-3');
  });
});
