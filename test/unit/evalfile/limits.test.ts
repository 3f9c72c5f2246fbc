import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LIMITS } from '../../../src/core/limits.ts';
import { overlayFiles } from '../../../src/evalfile/files.ts';
import { loadDocument, loadSuite } from '../../../src/evalfile/load.ts';
import type { LoadedSuite } from '../../../src/evalfile/loadedSuite.ts';
import { loadPrompt } from '../../../src/evalfile/prompt.ts';
import { loadTranscript } from '../../../src/evalfile/transcript.ts';
import { parseYaml, type YamlDocument } from '../../../src/yaml/yamlDocument.ts';
import { filesIn, load, SUITE, WORKSPACE } from '../../support/evalFiles.ts';
import { growth } from '../../support/work.ts';

/** Texts that are extremely nested, broken, or large, each with the code of the reported problem. */
const HOSTILE = [
  ['keys within keys on a line', '? '.repeat(1_200), 'too-deep'],
  ['lists within lists on a line', '- '.repeat(5_000), 'too-deep'],
  ['open brackets', '['.repeat(100_000), 'too-deep'],
  ['mappings within brackets', '{a: '.repeat(10_000), 'too-deep'],
  ['closing brackets', ']\n'.repeat(100_000), 'too-many-errors'],
  ['quotes', '"'.repeat(50_000), 'too-many-errors'],
  ['broken escapes', `"${'\\x'.repeat(50_000)}"`, 'too-many-errors'],
  ['aliases without a name', '* '.repeat(20_000), 'too-many-errors'],
  ['numbers', '- 1\n'.repeat(110_000), 'too-many-tokens'],
  ['comments that cut texts', 'a: b #c\n'.repeat(80_000), 'too-many-tokens'],
] as const;

describe('a text beyond the limits', () => {
  for (const [what, text, code] of HOSTILE) {
    it(`is one problem: ${what}`, async () => {
      const { problems, suite } = await load(text);
      assert.deepEqual(
        problems.map((one) => one.code),
        [code],
      );
      assert.equal(suite, undefined);
    });
  }

  it('is one problem if the cases copy too many default assertions', async () => {
    const many = '{type: contains, value: b},'.repeat(100);
    const one = '{transcript: [{user: a}, {assistant: b}], id: ';
    const cases = Array.from({ length: 1_001 }, (_, index) => `  - ${one}c${index}}\n`);
    const { problems, suite } = await load(
      `defaults: {assert: [${many}]}\ncases:\n${cases.join('')}`,
    );
    assert.deepEqual(
      problems.map(({ code }) => code),
      ['too-many-assertions'],
    );
    assert.equal(suite, undefined);
  });

  it('is checked in linear time if many of its variables are unknown', async () => {
    const textOf = (size: number) => {
      const keys = Array.from({ length: size }, (_, index) => `k${index}: x`);
      const turns = keys.map((_, index) => `"{{u${index}}}"`);
      return `cases:\n  - {id: a, context: {${keys.join(', ')}}, turns: [${turns.join(', ')}]}\n`;
    };
    assert.ok((await growth((size) => load(textOf(size)), 1_000)) < 9);
  });

  it("is one problem in an included file, and the file's own cases remain", async () => {
    const own = 'cases: [{id: own, transcript: [{user: a}, {assistant: b}], assert: [x]}]\n';
    const loaded = await load(`include: [more.yaml]\n${own}`, { 'more.yaml': '? '.repeat(1_200) });
    assert.deepEqual(
      loaded.problems.map(({ code }) => code),
      ['too-deep'],
    );
    assert.deepEqual(
      loaded.outline.map(({ id }) => id),
      ['own'],
    );
  });

  it('is one problem if included files are too large together, and earlier ones remain', async () => {
    const cases = (id: string) =>
      `cases: [{id: ${id}, transcript: [{user: a}, {assistant: b}], assert: [x]}]\n`;
    const large = (id: string) => `${cases(id)}# ${'x'.repeat(LIMITS.included / 2 - 1_000)}`;
    const loaded = await load(`include: [b.yaml, c.yaml, d.yaml, e.yaml]\n${cases('a')}`, {
      'b.yaml': cases('b'),
      'c.yaml': large('c'),
      'd.yaml': large('d'),
      'e.yaml': large('e'),
    });
    assert.deepEqual(
      loaded.problems.map(({ code }) => code),
      ['included-too-large'],
    );
    assert.deepEqual(
      loaded.outline.map(({ id }) => id),
      ['a', 'b', 'c', 'd'],
    );
  });

  it('is one problem in messages', () => {
    for (const path of ['/a.messages.json', '/a.messages.yaml', '/a.messages.jsonl']) {
      const { problems } = loadTranscript('['.repeat(5_000), path);
      assert.equal(problems.length, 1, path);
    }
  });

  it('is one problem in the front matter of a prompt', () => {
    const { problems } = loadPrompt(`---\n${'- '.repeat(5_000)}\n---\nJudge it.`, '/a.md');
    assert.deepEqual(
      problems.map(({ code }) => code),
      ['too-deep'],
    );
  });

  it('states the limit', async () => {
    const { problems } = await load('- '.repeat(5_000));
    assert.match(String(problems[0]?.message), new RegExp(`${LIMITS.depth} levels`));
  });

  it('is refused while it is typed, not only when it is saved', async () => {
    const typed = `# ${'x'.repeat(LIMITS.evalFile)}\n`;
    const files = overlayFiles(filesIn({}), (path) => (path === SUITE ? typed : undefined));
    const options = { workspace: WORKSPACE, env: () => undefined };
    const { problems } = await loadSuite(SUITE, files, options);
    assert.deepEqual(
      problems.map(({ code }) => code),
      ['file-too-large'],
    );
  });
});

describe('a text that gets too long with its variables filled in', () => {
  const KEPT = 'assert: [{type: contains, value: x}]';
  const good = `  - {id: good, transcript: [{user: a}, {assistant: b}], ${KEPT}}\n`;
  const long = 'x'.repeat(LIMITS.filled / 100);
  const use = (times: number) => `"${'{{a}}'.repeat(times)}"`;
  const live = (id: string, turns: string) =>
    `  - {id: ${id}, context: {a: ${long}}, turns: [${turns}], ${KEPT}}\n`;
  const target = 'target: {type: module, path: ./bot.mjs}\n';
  const judged = (facts: string, assertion: string) =>
    `cases:\n  - {id: bad, ${facts}, transcript: [{user: a}, {assistant: b}], assert: [${assertion}]}\n${good}`;
  const turnsOf = (id: string, count: number) =>
    live(id, Array.from({ length: count }, () => use(100)).join(', '));

  for (const [what, text] of [
    ['a turn', `${target}cases:\n${live('bad', use(100_000))}${good}`],
    ['the turns of a case', `${target}cases:\n${turnsOf('bad', 11)}${good}`],
    [
      'the `system` of a target',
      `target: {type: chat, model: 'openai:x', system: ${use(101)}}\ncases:\n${live('bad', 'Hi')}${good}`,
    ],
    [
      'instructions',
      judged(
        `context: {a: ${long}}`,
        `{type: llm-judge, instructions: "${'{{context.a}}'.repeat(101)}"}`,
      ),
    ],
    ['a judge prompt', judged(`expectations: ${long}`, '{type: llm-judge, prompt: ./p.md}')],
  ] as const) {
    it(`is one problem, and other cases remain: ${what}`, async () => {
      const prompt = '{{expectations}}'.repeat(20_000);
      const { problems, suite } = await load(text, { 'p.md': prompt });
      assert.deepEqual(
        problems.map(({ code }) => code),
        ['text-too-large'],
      );
      assert.deepEqual(
        suite?.cases.map(({ id }) => id),
        ['good'],
      );
    });
  }

  it('is one problem for each case beyond the limit of a suite, until there is room again', async () => {
    const suiteOf = (first: number) =>
      `${target}cases:\n${turnsOf('a', first)}${['b', 'c', 'd'].map((id) => turnsOf(id, 9)).join('')}${good}`;
    const read = (text: string, yaml?: YamlDocument, before?: LoadedSuite) => {
      const files = filesIn({ 'suite.eval.yaml': text });
      const document = parseYaml(text, SUITE, yaml);
      const loaded = loadDocument(
        document,
        files,
        { workspace: WORKSPACE, env: () => undefined },
        before,
      );
      return loaded.then((suite) => ({ document, suite }));
    };
    const before = await read(suiteOf(9));
    assert.deepEqual(
      before.suite.problems.map(({ code, range }) => [code, range.start.line]),
      [
        ['text-too-large', 4],
        ['text-too-large', 5],
      ],
    );
    const after = await read(suiteOf(1), before.document, before.suite);
    assert.deepEqual(
      after.suite.suite?.cases.map(({ id }) => id),
      ['a', 'b', 'c', 'good'],
    );
  });
});

describe('a text within the limits', () => {
  it('can be nested as deep as schemas are', async () => {
    const deep = `${'{properties: {a: '.repeat(30)}{type: string}${'}}'.repeat(30)}`;
    const { problems } = await load(
      `tools: [{name: t, parameters: ${deep}}]\ncases: [{id: a, transcript: [{user: a}, {assistant: b}], assert: [x]}]\n`,
    );
    assert.deepEqual(problems, []);
  });

  it('can have 50,000 lines', () => {
    const talk = '      - user: Where is my order?\n      - assistant: It was sent on Monday.\n';
    const one = `  - id: a\n    transcript:\n${talk.repeat(11)}    assert: [x]\n`;
    assert.deepEqual(parseYaml(`cases:\n${one.repeat(2_000)}`, SUITE).problems, []);
  });
});

describe('the work of reading a file', () => {
  const lines = (count: number, line: (index: number) => string) =>
    Array.from({ length: count }, (_, index) => line(index)).join('');
  const TALK = 'transcript: [{user: Hi}, {assistant: Hello}]';

  for (const [what, text] of [
    [
      'variables in a text',
      (count: number) => `cases:\n  - {id: a, turns: ["${'{{a}} '.repeat(count)}"]}\n`,
    ],
    [
      'variables that the context does not have',
      (count: number) =>
        `cases:\n  - id: a\n    context:\n${lines(count, (index) => `      k${index}: v\n`)}    turns: ["${lines(count, (index) => `{{q${index}}}`)}"]\n`,
    ],
    [
      'nodes of a graph that are no nodes',
      (count: number) =>
        `cases:\n  - id: a\n    ${TALK}\n    assert:\n      - type: decision-graph\n        start: n0\n        nodes:\n${lines(count, (index) => `          n${index}: {type: question, question: q}\n`)}`,
    ],
  ] as const) {
    it(`grows linearly with its ${what}`, async () => {
      assert.ok((await growth((count) => load(text(count)), 600)) < 9);
    });
  }

  it('limits the names in a message', async () => {
    const models = lines(2_000, (index) => `  m${index}: openai:x\n`);
    const { problems } = await load(
      `models:\n${models}judge: wrong-altogether\ncases:\n  - {id: a, ${TALK}, assert: [x]}\n`,
    );
    const told = problems.find(({ code }) => code === 'unknown-name')?.message ?? '';
    assert.match(told, /m0, m1, .*… \(2,000 in total\)/);
    assert.ok(told.length < 1_000);
  });

  it('ends if a suite includes too many files', async () => {
    const names = Array.from({ length: LIMITS.includes + 20 }, (_, index) => `${index}.yaml`);
    const beside = Object.fromEntries(names.map((name) => [name, 'cases: []\n']));
    const { problems } = await load(`include: [${names.join(', ')}]\ncases: []\n`, beside);
    assert.deepEqual(problems.filter(({ code }) => code === 'too-many-includes').length, 1);
  });
});

describe('the problems of a file', () => {
  const broken = (count: number) => `cases: []\n${unknownKeys(count)}`;

  it('are listed up to the limit, followed by the number of others', async () => {
    const { problems } = await load(broken(LIMITS.problems + 1_200));
    assert.equal(problems.length, LIMITS.problems + 1);
    assert.equal(problems.at(-1)?.code, 'more-problems');
    assert.match(String(problems.at(-1)?.message), /1,20\d more problems/);
  });

  it('are all listed if there are fewer', async () => {
    const { problems } = await load(broken(LIMITS.problems - 1));
    assert.ok(problems.every(({ code }) => code !== 'more-problems'));
  });

  it("are listed separately from other files' problems", async () => {
    const { problems } = await load(`include: [more.yaml]\n${broken(LIMITS.problems + 1_200)}`, {
      'more.yaml': 'cases: [{id: b, turn: x}]\n',
    });
    assert.ok(problems.some(({ path }) => path !== SUITE));
  });
});

function unknownKeys(count: number): string {
  return Array.from({ length: count }, (_, index) => `zz${index}: 1\n`).join('');
}
