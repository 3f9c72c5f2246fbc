import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parse } from 'yaml';
import { evalFileSchema } from '../../../src/evalfile/schema.ts';
import { mentionsIn, rolesAt } from '../../../src/schema/mentions.ts';

/** References as `kind text`, and declarations as `+kind text`, each with its scope. */
function namesIn(text: string): string[] {
  return mentionsIn(evalFileSchema, parse(text)).names.map(({ kind, role, text: name, scope }) => {
    const sign = role === 'declaration' ? '+' : '';
    return `${sign}${kind} ${name}${scope === '' ? '' : ` in ${scope}`}`;
  });
}

const inCase = (keys: string) => `cases:\n  - id: one\n${keys.replace(/^(?=.)/gm, '    ')}`;

describe('a name in an eval file', () => {
  it('is declared by a key or a `name`', () => {
    assert.deepEqual(
      namesIn(
        'models: {fast: openai:a}\ntargets: {bot: {type: module, path: ./a.mjs}}\ntopics: [Orders]\ntools: [{name: a}, {function: {name: b}}]\n',
      ),
      [
        '+model fast',
        'shortModel openai:a',
        '+target bot',
        'module ./a.mjs',
        '+topic Orders',
        '+tool a',
        '+tool b',
      ],
    );
  });

  it('is valid in its case, or for a node in its graph', () => {
    assert.deepEqual(
      namesIn(
        inCase(
          'context: {city: Rome}\nassert:\n  - type: decision-graph\n    start: a\n    nodes: {a: {type: verdict, score: 1}}\n',
        ),
      ),
      [
        '+case one in cases/0',
        '+variable city in cases/0',
        'node a in cases/0/assert/0',
        '+node a in cases/0/assert/0',
      ],
    );
  });

  for (const [dialect, message] of [
    ['OpenAI', '{role: assistant, tool_calls: [{id: a, function: {name: find}}]}'],
    ['the shorthand', '{assistant: null, tool_calls: [{id: a, function: {name: find}}]}'],
    ['Anthropic', '{role: assistant, content: [{type: tool_use, id: a, name: find}]}'],
    ['OpenAI Responses', '{type: function_call, call_id: a, name: find}'],
    ['DeepEval', '{role: assistant, content: Hi, tools_called: [{name: find}]}'],
  ]) {
    it(`is found for tools that a message of ${dialect} calls`, () => {
      const names = namesIn(inCase(`transcript:\n  - ${message}\n`));
      assert.ok(names.includes('tool find'), names.join());
    });
  }

  it('is found in an assertion without a type if all possible types agree', () => {
    assert.deepEqual(namesIn(inCase('assert:\n  - {judge: fast, name: Tone}\n')).slice(1), [
      'model fast',
    ]);
  });

  it('is found at its new place in an unchanged case', () => {
    const data = parse(inCase('context: {a: 1}\nturns: ["{{a}}"]\n'));
    mentionsIn(evalFileSchema, data);
    const moved = mentionsIn(evalFileSchema, { cases: [{ id: 'new' }, data.cases[0]] });
    assert.deepEqual(
      moved.names.map(({ path, scope }) => [path.join('.'), scope]),
      [
        ['cases.0.id', 'cases/0'],
        ['cases.1.id', 'cases/1'],
        ['cases.1.context.a', 'cases/1'],
      ],
    );
    assert.deepEqual(
      moved.templates.map(({ path, scope }) => [path.join('.'), scope]),
      [['cases.1.turns.0', 'cases/1']],
    );
  });
});

describe('the role of a text at a path', () => {
  const roleAt = (text: string, path: (string | number)[], onKey = false) =>
    rolesAt(evalFileSchema, parse(text), path, onKey).map(({ kind, role, template }) => [
      kind,
      role,
      template,
    ]);

  it('comes from the schema, regardless of the current value', () => {
    assert.deepEqual(roleAt('judge: {provider: openai}\n', ['judge']), [
      ['model', 'reference', 'env'],
    ]);
    const chat = 'targets: {bot: {type: chat, tool_results: {x: y}}}\n';
    assert.deepEqual(roleAt(chat, ['targets', 'bot', 'tool_results', 'x'], true), [
      ['tool', 'reference', 'env'],
    ]);
    const text = inCase('assert:\n  - {type: contains, value: x, name: y}\n');
    const at = (key: string) => roleAt(text, ['cases', 0, 'assert', 0, key]);
    assert.deepEqual(at('value'), [[undefined, 'reference', 'case']]);
    assert.deepEqual(at('name'), [[undefined, 'reference', undefined]]);
  });
});
