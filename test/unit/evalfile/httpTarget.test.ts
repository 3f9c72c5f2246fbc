import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { load, placed, suiteWith } from '../../support/evalFiles.ts';

/** A file with an http target of these keys, at line 2, and a case with these keys. */
function suite(keys: string, caseKeys = ''): string {
  const target = `targets:\n  bot: {type: http, url: "http://localhost:1/", ${keys}}\ntarget: bot\n`;
  return suiteWith(`turns: [Hi]\nassert: [{type: contains, value: x}]${caseKeys}`, target);
}

describe('the keys of an http target', () => {
  for (const [what, text, expected] of [
    [
      'a variable that is not known',
      suite('body: {a: ["{{mesage}}"]}'),
      /no variable \{\{mesage\}\}.*\{\{message\}\}/,
    ],
    ['a text that is no JSON', suite('body: \'{"a": {{message}}\''), /Expected JSON/],
    ['a pointer without a slash', suite('reply: text'), /Expected a JSON pointer, such as/],
    ['a header with a line break', suite('headers: {a: "b\\nc"}'), /Expected one line/],
    ['a header with a space', suite('headers: {"a b": c}'), /"a b" cannot be the name of a header/],
    ['another method', suite('method: GET'), /POST/],
    [
      'an address without http',
      suite('').replace('http://localhost:1/', 'localhost:1'),
      /http:\/\//,
    ],
    [
      'a key of the context that the case lacks',
      suite('body: {a: "{{context.tier}}"}'),
      /needs the key `tier`/,
    ],
  ] as const) {
    it(`are told ${what}, where it stands`, async () => {
      const loaded = await load(text);
      assert.equal(loaded.problems.length, 1, JSON.stringify(loaded.problems));
      assert.match(loaded.problems[0]?.message ?? '', expected);
      const line = what.includes('context') ? '5' : '2';
      assert.match(placed(loaded)[0] ?? '', new RegExp(`^${line}:`));
    });
  }

  for (const keys of ['session: /id', 'body: {say: "{{message}}"}']) {
    it(`refuse a history where the service keeps what was said (${keys})`, async () => {
      const history = '\nhistory: [{user: Hi}, {assistant: Hello}]';
      assert.deepEqual(placed(await load(suite(keys, history))), ['8:5 history-refused']);
      assert.deepEqual(placed(await load(suite('', history))), []);
    });

    it(`refuse a cache where the service keeps what was said (${keys})`, async () => {
      const loaded = await load(suite(`${keys}, cache: true`));
      assert.equal(placed(loaded).length, 1);
      assert.match(placed(loaded)[0] ?? '', /^2:\d+ cache-refused$/);
      assert.deepEqual(placed(await load(suite('cache: true'))), []);
    });
  }

  for (const [what, text] of [
    ['JSON as text', suite(`body: '{"q": "{{message}}", "all": {{messages}}}'`)],
    [
      'a key of the context that the case has',
      suite('body: {a: "{{context.tier}}"}', '\ncontext: {tier: gold}'),
    ],
    ['the empty pointer', suite('reply: ""')],
  ] as const) {
    it(`may be ${what}`, async () => assert.deepEqual(placed(await load(text)), []));
  }
});
