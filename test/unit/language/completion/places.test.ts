import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CompletionContext } from '../../../../src/language/ports.ts';
import { memoryFiles, WORKSPACE } from '../../../support/evalFiles.ts';
import { chosen, inAssert, itemsAt, labelsAt } from '../../../support/language/completing.ts';

const FOLDERS: Readonly<Record<string, readonly string[]>> = {
  [WORKSPACE]: [
    'judges/',
    'node_modules/',
    '.turnlight/',
    'a.md',
    'chat.jsonl',
    'chat.json',
    'agent.mjs',
    'check.ts',
    'more.eval.yaml',
    'suite.eval.yaml',
  ],
  [`${WORKSPACE}/judges`]: ['tone.md', 'two words.md', 'a: b.md'],
};

const disk: CompletionContext = {
  workspace: WORKSPACE,
  files: memoryFiles(
    Object.fromEntries(
      Object.entries(FOLDERS).flatMap(([folder, names]) =>
        names.map((name) => [`${folder}/${name}`, '']),
      ),
    ),
  ),
  async listFolder(path) {
    const names = FOLDERS[path];
    if (!names) throw new Error('There is no such folder.');
    return names.map((name) => ({ name: name.replace('/', ''), isFolder: name.endsWith('/') }));
  },
  async readText(path) {
    if (path !== `${WORKSPACE}/chat.json`) return undefined;
    return '[{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "From a file"}]';
  },
};

/** A folder that is a link to a location outside of the workspace. */
const linked: CompletionContext = {
  ...disk,
  files: {
    kindOf: async (path) => (path.endsWith('.json') ? 'file' : 'folder'),
    realPath: async (path) => path.replace(`${WORKSPACE}/judges`, '/elsewhere'),
  },
  readText: async () => '[{"role": "assistant", "content": "From elsewhere"}]',
};

describe('completion of paths', () => {
  const prompt = (value: string) => inAssert(`      - type: llm-judge\n        prompt: ${value}\n`);

  it('offers files of the right kind, and folders after them', async () => {
    const at = (marked: string) => labelsAt(marked, disk);
    assert.deepEqual(await at(prompt('|')), ['a.md', 'judges/']);
    const ofCase = await at('cases:\n  - id: a\n    transcript: |\n');
    assert.deepEqual(ofCase, ['chat.jsonl', 'chat.json', 'more.eval.yaml', 'judges/']);
    assert.deepEqual(await at('include: [|]\n'), ['more.eval.yaml', 'judges/']);
    assert.deepEqual(await at('include:\n  - |\n'), ['more.eval.yaml', 'judges/']);
    assert.deepEqual(await at(inAssert('      - {type: script, path: |}\n')), [
      'agent.mjs',
      'check.ts',
      'judges/',
    ]);
    const command = 'type: script, command: [python3, |]';
    assert.deepEqual(await at(inAssert(`      - {${command}}\n`)), [
      'agent.mjs',
      'check.ts',
      'judges/',
    ]);
    assert.deepEqual(await at('targets:\n  bot: {type: module, path: |}\n'), [
      'agent.mjs',
      'check.ts',
      'judges/',
    ]);
    assert.deepEqual(await at('targets:\n  bot: {type: chat, tool_module: |}\n'), [
      'agent.mjs',
      'check.ts',
      'judges/',
    ]);
    assert.deepEqual(await at('targets:\n  bot: {type: chat, system: {file: |}}\n'), [
      'a.md',
      'judges/',
    ]);
    assert.deepEqual(await at('models:\n  a: {provider: replay, path: |}\n'), [
      'chat.jsonl',
      'judges/',
    ]);
    assert.deepEqual(await at('targets:\n  bot: {type: command, cwd: |}\n'), ['judges/']);
  });

  it('continues from the typed folder', async () => {
    const labels = ['tone.md', 'two words.md', 'a: b.md', '../'];
    assert.deepEqual(await labelsAt(prompt('judges/|'), disk), labels.slice(0, 3));
    assert.equal(await chosen(prompt('./judges/t|'), 'tone.md', disk), prompt('./judges/tone.md'));
    assert.equal(
      await chosen(prompt('"judges/|old.md"'), 'tone.md', disk),
      prompt('"judges/tone.md"'),
    );
    assert.equal(await chosen(prompt('judges/|'), 'a: b.md', disk), prompt('"judges/a: b.md"'));
  });

  it('lists no folder outside of the workspace through a link', async () => {
    assert.deepEqual(await labelsAt(prompt('judges/|'), linked), []);
  });

  it('never leaves the workspace, and offers nothing in a missing folder', async () => {
    for (const typed of ['../|', '/etc/|', '../../|', 'nowhere/|']) {
      assert.deepEqual(await labelsAt(prompt(typed), disk), [], typed);
    }
    assert.deepEqual(await labelsAt(prompt('|')), [], 'without the port');
  });
});

describe('completion of turns', () => {
  const transcript =
    '    transcript:\n      - user: Hi\n      - user: Anyone?\n      - assistant: Hello\n      - user: Bye\n      - assistant: So long\n';
  const words = ['all', 'live', 'last', 'first', 'each'];
  const details = async (marked: string, context = {}) =>
    (await itemsAt(marked, context))
      .filter(({ kind }) => kind === 12)
      .map(({ label, detail }) => [label, detail]);
  const withAt = (conversation: string, assertion: string) =>
    `cases:\n  - id: a\n${conversation}    assert:\n      - ${assertion}\n`;

  it("offers turns of the type's side", async () => {
    const marked = withAt(transcript, 'type: contains\n        at: |');
    assert.deepEqual(await labelsAt(marked), [...words, '2', '4']);
    assert.deepEqual(await details(marked), [
      ['2', 'Hello'],
      ['4', 'So long'],
    ]);
    const of = (type: string) => withAt(transcript, `{type: ${type}, at: |}`);
    assert.deepEqual((await details(of('user-frustration')))[0], ['1', 'Hi']);
  });

  it('offers each turn once in a list', async () => {
    const marked = withAt(transcript, '{type: contains, at: [2, |]}');
    assert.deepEqual(await labelsAt(marked), ['4']);
    assert.match(await chosen(marked, '4'), /at: \[2, 4\]/);
  });

  it('offers no turns as the name of an agent', async () => {
    assert.deepEqual(await details(withAt(transcript, '{type: contains, at: {agent: |}}')), []);
  });

  it('offers scripted turns and the replies to them', async () => {
    const turns = '    turns:\n      - Hi\n      - user: My order?\n';
    assert.deepEqual(await details(withAt(turns, '{type: contains, at: |}')), [
      ['2', 'reply to: Hi'],
      ['4', 'reply to: My order?'],
    ]);
    assert.deepEqual((await details(withAt(turns, '{type: all-of, at: |}')))[2], [
      '3',
      'My order?',
    ]);
  });

  it('offers only the words that are valid under a scripted turn', async () => {
    const marked =
      'cases:\n  - id: a\n    turns:\n      - user: Hi\n        assert:\n          - {type: contains, at: |}\n';
    assert.deepEqual(await labelsAt(marked), ['all']);
  });

  it('reads a transcript file', async () => {
    const marked = withAt('    transcript: chat.json\n', '{type: contains, at: |}');
    assert.deepEqual(await details(marked, disk), [['2', 'From a file']]);
    assert.deepEqual(await labelsAt(marked), words, 'without the port');
    assert.deepEqual(await labelsAt(marked.replace('chat', '../../x'), disk), words);
  });

  it('reads no transcript outside of the workspace through a link', async () => {
    const marked = withAt('    transcript: judges/chat.json\n', '{type: contains, at: |}');
    assert.deepEqual(await labelsAt(marked, linked), words);
  });

  it('knows all turns of a long conversation', async () => {
    // The conversation is so long that it isn't read until it is needed.
    const many = Array.from(
      { length: 300 },
      (_none, index) => `      - user: u${index}\n      - assistant: a${index}\n`,
    ).join('');
    const found = await details(withAt(`    transcript:\n${many}`, '{type: contains, at: |}'));
    assert.equal(found.length, 300);
    assert.deepEqual(found.at(-1), ['600', 'a299']);
  });
});

describe('completion of variables', () => {
  const body = (lines: string) => `cases:\n  - id: a\n    context: {city: Rome, days: 3}\n${lines}`;

  it("offers the keys of `context` in the case's own texts", async () => {
    for (const lines of [
      '    turns:\n      - Hello {{|\n',
      '    turns:\n      - user: "Go to {{ |"\n',
      '    turns:\n      - user: Hi\n        expected: It names {{c|}}\n',
      '    role: Guide of {{|}}\n',
      '    expectations:\n      outcome: >\n        Knows {{|\n',
      '    assert:\n      - Speaks of {{|\n',
      '    assert:\n      - {type: contains, value: "{{|"}\n',
      '    assert:\n      - type: all-of\n        assert:\n          - Speaks of {{|\n',
    ]) {
      assert.deepEqual(await labelsAt(body(lines)), ['city', 'days'], lines);
    }
    const [item] = await itemsAt(body('    role: Guide of {{|}}\n'));
    assert.equal(item?.detail, 'Rome');
  });

  it('closes the braces, once', async () => {
    const turn = (text: string) => body(`    turns:\n      - ${text}\n`);
    assert.equal(await chosen(turn('To {{|'), 'city'), turn('To {{city}}'));
    assert.equal(await chosen(turn('To {{c|}} now'), 'city'), turn('To {{city}} now'));
    assert.equal(await chosen(turn('To {{|da}} now'), 'city'), turn('To {{city}} now'));
  });

  it('quotes a text that starts with braces', async () => {
    assert.equal(
      await chosen(body('    turns:\n      - user: {{ci|}}\n'), 'city'),
      body('    turns:\n      - user: "{{city}}"\n'),
    );
  });

  it("offers a prompt's own variables in instructions", async () => {
    const labels = await labelsAt(
      body('    assert:\n      - type: llm-judge\n        instructions: >\n          Is {{|\n'),
    );
    assert.ok(labels.includes('conversation') && labels.includes('context.city'));
    assert.ok(!labels.includes('city'));
  });

  it('offers the variables of a matrix in the texts of its case', async () => {
    const labels = await labelsAt(
      'cases:\n  - id: a\n    matrix: {mood: [calm], person: {kim: Kim}}\n    turns: ["I am {{|"]\n',
    );
    assert.deepEqual(labels, ['mood', 'person']);
  });

  it("offers the variables of a target's request", async () => {
    const marked =
      'targets:\n  bot:\n    type: http\n    url: http://localhost:1\n    body:\n      say: Hi {{|\ncases:\n  - id: a\n    context: {city: Rome}\n';
    const expected = ['message', 'messages', 'session', 'conversation', 'context.city'];
    assert.deepEqual(await labelsAt(marked), expected);
  });

  it('offers the variables of all cases in the defaults', async () => {
    const marked =
      'defaults:\n  assert:\n    - Knows {{|\ncases:\n  - id: a\n    context: {city: Rome}\n  - id: b\n    context:\n      name: Ann\n';
    assert.deepEqual(await labelsAt(marked), ['city', 'name']);
  });

  it('offers none in texts without variables', async () => {
    for (const lines of [
      '    description: About {{|\n',
      '    transcript:\n      - user: Hi {{|\n',
      '    assert:\n      - {type: contains, name: "{{|"}\n',
      '    # {{|\n',
    ]) {
      assert.deepEqual(await labelsAt(body(lines)), [], lines);
    }
  });
});
