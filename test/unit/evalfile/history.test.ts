import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { SuiteCase } from '../../../src/core/suite.ts';
import { findTargetType } from '../../../src/targets/registry.ts';
import { load, placed, suiteWith } from '../../support/evalFiles.ts';

const TOP = 'target: {type: module, path: ./bot.mjs}\n';

const HISTORY = `history:
  - system: Be brief.
  - user: I am Sarah, about order 98765.
  - assistant: Hello Sarah!
turns: [When does it come?]
`;

const CHECK = 'assert: [It is friendly.]\n';

const problemsOf = async (keys: string, beside: Readonly<Record<string, string>> = {}) =>
  placed(await load(suiteWith(keys, TOP), beside));

async function builtOf(
  keys: string,
  beside: Readonly<Record<string, string>> = {},
): Promise<SuiteCase> {
  const loaded = await load(suiteWith(keys, TOP), beside);
  assert.deepEqual(placed(loaded), []);
  const [built] = loaded.suite?.cases ?? [];
  assert.ok(built);
  return built;
}

async function messageOf(keys: string): Promise<string | undefined> {
  const { problems } = await load(suiteWith(keys, TOP));
  return problems[0]?.message;
}

describe('a history', () => {
  it('is read before scripted turns, with its system texts', async () => {
    const { origin } = await builtOf(HISTORY + CHECK);
    assert.ok(origin.kind === 'turns');
    assert.deepEqual(
      origin.history?.messages.map(({ message }) => message.role),
      ['system', 'user', 'assistant'],
    );
  });

  it('may be a file in any dialect', async () => {
    const file = JSON.stringify([
      { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hi' }] },
      { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Hello' }] },
    ]);
    const { origin } = await builtOf(`history: ./before.json\nturns: [And now?]\n${CHECK}`, {
      'before.json': file,
    });
    assert.ok(origin.kind === 'turns');
    assert.equal(origin.history?.messages.length, 2);
  });

  it('can be only a greeting by the assistant', async () => {
    await builtOf(`history: [{assistant: Welcome!}]\nturns: [Hi]\n${CHECK}`);
  });

  const wrong: [string, string, string][] = [
    [
      'ends with the user',
      `history: [{user: Hi}, {assistant: Hello}, {user: Still there?}]\nturns: [Hm]\n${CHECK}`,
      '4:48 history-unfinished',
    ],
    [
      'has no word of the assistant',
      `history: [{system: Be brief.}]\nturns: [Hm]\n${CHECK}`,
      '4:5 history-unfinished',
    ],
    [
      'ends with a tool call',
      `history: [{user: Hi}, {assistant: null, tool_calls: [{id: a, function: {name: f, arguments: '{}'}}]}]\nturns: [Hm]\n${CHECK}`,
      '4:28 history-unfinished',
    ],
    ['is empty', `history: []\nturns: [Hm]\n${CHECK}`, '4:5 empty-list'],
    [
      'has a message that is none',
      `history: [{user: Hi}, {assistent: Hello}]\nturns: [Hm]\n${CHECK}`,
      '4:28 unknown-key',
    ],
    [
      'stands with a transcript',
      `history: [{user: Hi}, {assistant: Hello}]\ntranscript: [{user: Hi}, {assistant: Hello}]\n${CHECK}`,
      '4:5 useless-key',
    ],
  ];
  for (const [what, keys, expected] of wrong) {
    it(`is refused if it ${what}`, async () => {
      assert.ok((await problemsOf(keys)).includes(expected), String(await problemsOf(keys)));
    });
  }

  it("reports where the user's last message belongs", async () => {
    const keys = `history: [{assistant: Hello}, {user: Still there?}]\nturns: [Hm]\n${CHECK}`;
    assert.match((await messageOf(keys)) ?? '', /Move the user's last message to `turns`/);
  });

  it('is refused by a target that keeps its own session, and the fix removes it', async (t) => {
    const module = findTargetType('module');
    assert.ok(module);
    module.keepsSession = () => true;
    t.after(() => {
      delete module.keepsSession;
    });
    const { problems } = await load(suiteWith(HISTORY + CHECK, TOP));
    assert.deepEqual(
      problems.map(({ code, message, fix }) => ({ code, message, fix })),
      [
        {
          code: 'history-refused',
          message:
            '"module" keeps the conversation in its own session, so it can\'t take a `history`. Remove `history`, or make its turns live.',
          fix: { remove: ['cases', 0, 'history'] },
        },
      ],
    );
  });

  it('limits checks to live turns by default', async () => {
    const { assertions } = await builtOf(
      `${HISTORY}assert:\n  - It is friendly.\n  - {type: contains, value: x, at: all}\n`,
    );
    assert.deepEqual(
      assertions.map(({ at }) => at.kind),
      ['live', 'all'],
    );
    const plain = await builtOf(`turns: [Hi]\n${CHECK}`);
    assert.equal(plain.assertions[0]?.at.kind, 'all');
  });

  it('counts in turn numbers, except that negative numbers count live turns', async () => {
    const at = (value: string) =>
      problemsOf(`${HISTORY}assert: [{type: contains, value: x, at: ${value}}]\n`);
    assert.deepEqual(await at('4'), []);
    assert.deepEqual(await at('2'), []);
    assert.deepEqual(await at('-1'), []);
    assert.deepEqual(await at('5'), ['9:45 bad-at']);
    assert.deepEqual(await at('-3'), ['9:45 bad-at']);
    assert.deepEqual(await at('3'), ['9:45 bad-at']);
  });

  it('leaves turn numbers unchecked if it cannot be read', async () => {
    const found = await problemsOf(
      `history: ./gone.json\nturns: [Hi]\nassert: [{type: contains, value: x, at: 8}]\n`,
    );
    assert.deepEqual(found, ['4:14 file-missing']);
  });

  it('appears in the outline before the scripted turns, which continue its numbers', async () => {
    const { outline } = await load(suiteWith(HISTORY + CHECK, TOP));
    assert.deepEqual(
      outline[0]?.turns.map(({ role, label, turns }) => [role, label, turns]),
      [
        ['system', 'Be brief.', []],
        ['user', 'I am Sarah, about order 98765.', [1]],
        ['assistant', 'Hello Sarah!', [2]],
        ['user', 'When does it come?', [3, 4]],
      ],
    );
    const broken = await load(suiteWith(`${HISTORY}oops: 1\n${CHECK}`, ''));
    assert.deepEqual(broken.outline[0]?.turns.at(-1)?.turns, [3, 4]);
  });

  it('provides traits of the conversation in advance', async () => {
    const tools = `history:
  - user: Where is it?
  - assistant: null
    tool_calls: [{id: a, function: {name: find, arguments: '{}'}}]
  - {tool: shipped, tool_call_id: a}
  - assistant: On its way.
turns: [Thanks]
assert: [{type: groundedness}]
`;
    await builtOf(tools);
  });
});
