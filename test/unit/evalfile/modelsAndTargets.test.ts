import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { load, placed, suiteWith } from '../../support/evalFiles.ts';

const FILES = { 'a.mjs': '' };

/** A suite with a chat target that has the given keys, at line 2. */
function suite(keys: string, top = '', caseKeys = ''): string {
  const target = `targets:\n  bot: {type: chat, model: "openai:m", ${keys}}\ntarget: bot\n`;
  return suiteWith(`turns: [Hi]\nassert: [{type: contains, value: x}]${caseKeys}`, target + top);
}

describe('tools of a chat target', () => {
  for (const [what, text, expected] of [
    [
      'its own, with nothing to answer',
      suite('tools: [{name: a}, {name: b}]'),
      ['2:40 unanswered-tool'],
    ],
    [
      'the file’s, with nothing to answer',
      suite('', 'tools: [{name: a}]\n'),
      ['4:1 unanswered-tool'],
    ],
    [
      'the case’s, with nothing to answer',
      suite('', '', '\ntools: [{name: a}]'),
      ['8:5 unanswered-tool'],
    ],
    [
      'one of which nothing answers',
      suite('tools: [{name: a}, {name: b}], tool_results: {a: x}'),
      ['2:59 unanswered-tool'],
    ],
    [
      'those of the case where its own are answered',
      suite('tools: [{name: a}], tool_results: {a: x}', 'tools: [{name: b}]\n'),
      [],
    ],
    ['all of them scripted', suite('tool_results: {a: x}', 'tools: [{name: a}]\n'), []],
    ['functions for all', suite('tool_module: ./a.mjs', 'tools: [{name: a}]\n'), []],
    ['written wrong', suite('tools: [{nam: a}], tool_results: {a: x}'), ['2:49 unknown-key']],
    [
      'functions outside of the workspace',
      suite('tools: [{name: a}], tool_module: ../../a.mjs'),
      ['2:73 path-outside'],
    ],
    ['no rounds', suite('max_tool_rounds: 0'), ['2:57 out-of-range']],
  ] as const) {
    it(`are checked while typing: ${what}`, async () => {
      assert.deepEqual(placed(await load(text, FILES)), expected);
    });
  }

  it('are not checked for a module', async () => {
    const top = 'target: {type: module, path: ./a.mjs}\ntools: [{name: a}]\n';
    const text = suiteWith('turns: [Hi]\nassert: [{type: contains, value: x}]', top);
    assert.deepEqual(placed(await load(text, FILES)), []);
  });
});

/** A suite with an http target that has the given keys, at line 2, and a case with `caseKeys`. */
function httpSuite(keys: string, caseKeys = ''): string {
  const target = `targets:\n  bot: {type: http, url: "http://localhost:1/", ${keys}}\ntarget: bot\n`;
  return suiteWith(`turns: [Hi]\nassert: [{type: contains, value: x}]${caseKeys}`, target);
}

describe('the keys of an http target', () => {
  for (const [what, text, expected] of [
    [
      'a variable that is not known',
      httpSuite('body: {a: ["{{mesage}}"]}'),
      /Unknown variable \{\{mesage\}\}.*\{\{message\}\}/,
    ],
    ['a text that is no JSON', httpSuite('body: \'{"a": {{message}}\''), /Expected JSON/],
    ['a pointer without a slash', httpSuite('reply: text'), /Expected a JSON pointer, such as/],
    [
      'a header with a line break',
      httpSuite('headers: {a: "b\\nc"}'),
      /Expected a header value on one line/,
    ],
    ['a header with a space', httpSuite('headers: {"a b": c}'), /"a b" is not a valid header name/],
    ['another method', httpSuite('method: GET'), /POST/],
    [
      'an address without http',
      httpSuite('').replace('http://localhost:1/', 'localhost:1'),
      /http:\/\//,
    ],
    [
      'a key of the context that the case lacks',
      httpSuite('body: {a: "{{context.tier}}"}'),
      /needs the key `tier`/,
    ],
  ] as const) {
    it(`report ${what}`, async () => {
      const loaded = await load(text);
      assert.equal(loaded.problems.length, 1, JSON.stringify(loaded.problems));
      assert.match(loaded.problems[0]?.message ?? '', expected);
      const line = what.includes('context') ? '5' : '2';
      assert.match(placed(loaded)[0] ?? '', new RegExp(`^${line}:`));
    });
  }

  for (const keys of ['session: /id', 'body: {say: "{{message}}"}']) {
    it(`refuse a history if the service keeps the conversation (${keys})`, async () => {
      const history = '\nhistory: [{user: Hi}, {assistant: Hello}]';
      assert.deepEqual(placed(await load(httpSuite(keys, history))), ['8:5 history-refused']);
      assert.deepEqual(placed(await load(httpSuite('', history))), []);
    });

    it(`refuse a cache if the service keeps the conversation (${keys})`, async () => {
      const loaded = await load(httpSuite(`${keys}, cache: true`));
      assert.equal(placed(loaded).length, 1);
      assert.match(placed(loaded)[0] ?? '', /^2:\d+ cache-refused$/);
      assert.deepEqual(placed(await load(httpSuite('cache: true'))), []);
    });
  }

  for (const [what, text] of [
    ['JSON as text', httpSuite(`body: '{"q": "{{message}}", "all": {{messages}}}'`)],
    [
      'a key of the context that the case has',
      httpSuite('body: {a: "{{context.tier}}"}', '\ncontext: {tier: gold}'),
    ],
    ['the empty pointer', httpSuite('reply: ""')],
  ] as const) {
    it(`may be ${what}`, async () => assert.deepEqual(placed(await load(text)), []));
  }
});

const CASE = 'id: a, transcript: [{user: Hi}, {assistant: Hello}]';
const ASKING = 'assert: [{type: safety}, It is polite.]';

async function together(top: string, keys = ASKING): Promise<(boolean | undefined)[]> {
  const loaded = await load(`${top}cases: [{${CASE}, ${keys}}]\n`);
  assert.deepEqual(placed(loaded), []);
  return loaded.suite?.cases[0]?.assertions.map((one) => one.together) ?? [];
}

const JUDGE = 'judge: {provider: openai, model: m, together: true}\n';

describe('together', () => {
  for (const [where, top, keys, is] of [
    ['nowhere', 'judge: openai:m\n', ASKING, undefined],
    ['in the file', 'judge: openai:m\ntogether: true\n', ASKING, true],
    ['in the case', 'judge: openai:m\n', `together: true, ${ASKING}`, true],
    ['at the judge', JUDGE, ASKING, true],
    [
      'at a named judge',
      'models: {m: {provider: openai, model: m, together: true}}\njudge: m\n',
      ASKING,
      true,
    ],
    [
      'in the file, but not in the case',
      'judge: openai:m\ntogether: true\n',
      `together: false, ${ASKING}`,
      undefined,
    ],
    ['at the judge, but not in the file', `${JUDGE}together: false\n`, ASKING, undefined],
  ] as const) {
    it(`applies to its assertions: ${where}`, async () => {
      assert.deepEqual(await together(top, keys), [is, is]);
    });
  }

  it('does not apply to questions per turn, to procedures, or to assertions without a judge', async () => {
    const keys =
      'assert: [{type: safety, granularity: turn}, {type: g-eval, criteria: x}, {type: contains, value: H}, {type: safety, name: s}]';
    const found = await together('judge: openai:m\ntogether: true\n', keys);
    assert.deepEqual(found, [undefined, undefined, undefined, true]);
  });

  it('applies to assertions in groups as well', async () => {
    const loaded = await load(
      `judge: openai:m\ntogether: true\ncases: [{${CASE}, assert: [{type: all-of, assert: [{type: safety}]}]}]\n`,
    );
    const [group] = loaded.suite?.cases[0]?.assertions ?? [];
    assert.equal(group?.nested?.[0]?.assertion.together, true);
  });
});
