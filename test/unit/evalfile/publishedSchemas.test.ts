import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, it } from 'node:test';
import { Ajv } from 'ajv';
import { globSync } from 'tinyglobby';
import type * as z from 'zod';
import {
  evalFileSchema,
  evalJsonSchema,
  type JsonSchema,
  messagesFileSchema,
  messagesJsonSchema,
} from '../../../src/evalfile/schema.ts';
import { readMessages } from '../../../src/messages/readMessages.ts';
import { parseYaml } from '../../../src/yaml/yamlDocument.ts';
import { record } from '../../support/countMessages.ts';
import { realLines } from '../../support/realData.ts';

const ROOT = resolve(import.meta.dirname, '../../..');

function validator(schema: JsonSchema) {
  const validate = new Ajv({ strict: true, allowUnionTypes: true, validateFormats: false }).compile(
    schema,
  );
  return (value: unknown) => (validate(value) ? [] : (validate.errors ?? []));
}

const ofEval = validator(evalJsonSchema());
const ofMessages = validator(messagesJsonSchema());

const yaml = (text: string) => parseYaml(text, '/a.yaml').value;

/** Keys without a description, by their path in the schema. */
function silentKeys(schema: JsonSchema): string[] {
  const definitions = record(schema.definitions);
  const speaks = (given: unknown): boolean => {
    const { description, $ref, allOf } = record(given);
    if (description !== undefined) return true;
    if (typeof $ref === 'string') return speaks(definitions[$ref.split('/').at(-1) ?? '']);
    return Array.isArray(allOf) && allOf.some(speaks);
  };
  const walk = (given: unknown, path: string): string[] => {
    if (typeof given !== 'object' || given === null) return [];
    const keys = Object.entries(record(record(given).properties));
    return [
      ...keys.filter(([, inner]) => !speaks(inner)).map(([key]) => `${path}.${key}`),
      ...Object.entries(given).flatMap(([key, inner]) => walk(inner, `${path}/${key}`)),
    ];
  };
  return walk(schema, '');
}

/** Checks that both the zod schema and the JSON Schema generated from it reject a value. */
function refusedByBoth(schema: z.ZodType, validate: typeof ofEval, value: unknown): void {
  assert.equal(schema.safeParse(value).success, false, 'the declaration takes it');
  assert.notDeepEqual(validate(value), [], 'the JSON Schema takes it');
}

describe('the JSON Schema of eval files', () => {
  it('accepts all examples', () => {
    const files = globSync('examples/**/*.eval.yaml', { cwd: ROOT });
    assert.ok(files.length > 4);
    for (const file of files) {
      const text = readFileSync(resolve(ROOT, file), 'utf8');
      assert.deepEqual(ofEval(parseYaml(text, file).value), [], file);
    }
  });

  const CASE = 'cases:\n  - id: a\n    transcript: [{user: x}, {assistant: y}]\n    assert: [z]\n';
  it('accepts a small file', () => assert.deepEqual(ofEval(yaml(CASE)), []));

  for (const [what, text] of [
    ['an unknown key at the top', `asserts: [x]\n${CASE}`],
    ['an unknown key in a case', `${CASE}    asert: [x]\n`],
    ['no id', 'cases:\n  - assert: [z]\n'],
    ['an id with a blank', CASE.replace('id: a', 'id: a b')],
    ['no cases in the list', 'cases: []\n'],
    ['an unknown assertion', CASE.replace('[z]', '[{type: llm-rubric}]')],
    [
      'an unknown key in an assertion',
      CASE.replace('[z]', '[{type: contains, value: a, vaule: b}]'),
    ],
    ['a threshold above 1', `${CASE}    threshold: 2\n`],
    ['repeat of nothing', `${CASE}    repeat: 0\n`],
    ['an unknown provider', `models: {a: {provider: acme, model: x}}\n${CASE}`],
    ['an unknown target', `targets: {a: {type: soap}}\n${CASE}`],
    ['tags that are no texts', `${CASE}    tags: [{a: 1}]\n`],
    ['an unknown key in a message', CASE.replace('{user: x}', '{user: x, usr: y}')],
    ['an unknown role', CASE.replace('{user: x}', '{role: bot, content: x}')],
  ] as const) {
    it(`refuses ${what}, like the zod schema`, () => {
      refusedByBoth(evalFileSchema, ofEval, yaml(text));
    });
  }

  it('describes every key', () => assert.deepEqual(silentKeys(evalJsonSchema()), []));
});

describe('the JSON Schema of messages', () => {
  for (const [what, text] of [
    [
      'shorthands',
      '- user: Hi\n- {assistant: null, tool_calls: [{id: a, function: {name: f}}]}\n- tool: x',
    ],
    [
      'OpenAI chat',
      '- {role: user, content: [{type: text, text: Hi}]}\n- {role: assistant, content: null}',
    ],
    [
      'OpenAI Responses',
      '- {role: user, content: [{type: input_text, text: Hi}]}\n- {type: reasoning, summary: []}\n- {type: function_call, call_id: a, name: f, arguments: "{}"}\n- {type: function_call_output, call_id: a, output: x}\n- {type: message, role: assistant, content: [{type: output_text, text: x, annotations: []}]}',
    ],
    [
      'Azure agents',
      '- {role: assistant, run_id: "", content: [{type: tool_call, tool_call_id: a, name: f, arguments: {}}]}\n- {role: tool, tool_call_id: a, content: [{type: tool_result, tool_result: {a: 1}}]}',
    ],
    [
      'Anthropic',
      '- {role: assistant, content: [{type: thinking, thinking: x}, {type: tool_use, id: a, name: f, input: {}}]}\n- {role: user, content: [{type: tool_result, tool_use_id: a, content: x}]}',
    ],
    [
      'DeepEval',
      '- {role: user, content: x, user_id: null}\n- {role: assistant, content: x, tools_called: [{name: f, output: 1}], retrieval_context: [x]}',
    ],
    [
      'the AI SDK',
      '- {id: a, role: user, parts: [{type: text, text: x}]}\n- {id: b, role: assistant, parts: [{type: tool-f, toolCallId: a, state: input-available, input: {}}, {type: data-x, data: 1}]}\n- {role: tool, content: [{type: tool-result, toolCallId: a, toolName: f, output: {type: json, value: 1}}]}',
    ],
    [
      'LangChain',
      '- {type: human, content: x}\n- {type: ai, content: [x, {type: text, text: x}], tool_calls: [{id: a, name: f, args: {}}]}\n- {lc: 1, type: constructor, id: [ToolMessage], kwargs: {content: x, tool_call_id: a}}',
    ],
    [
      'OpenTelemetry',
      '- {role: user, parts: [{type: text, content: x}]}\n- {role: assistant, parts: [{type: tool_call, id: a, name: f, arguments: null}]}\n- {role: tool, parts: [{type: tool_call_response, id: a, response: 1}]}',
    ],
  ] as const) {
    it(`accepts ${what}`, () => assert.deepEqual(ofMessages(yaml(text)), []));
  }

  for (const [what, text] of [
    ['a mapping', 'messages: []'],
    ['an empty list', '[]'],
    ['a text for a message', '[Hi]'],
    ['no role', '[{content: x}]'],
    ['an unknown role', '[{role: bot, content: x}]'],
    ['an unknown key', '[{user: x, usr: y}]'],
    ['a number for a text', '[{user: 1}]'],
    ['an unknown part', '[{role: user, content: [{type: hologram}]}]'],
    ['a part without text', '[{role: user, content: [{type: text}]}]'],
    ['a call without a name', '[{type: function_call, call_id: a}]'],
    ['a call without an id', '[{assistant: x, tool_calls: [{function: {name: f}}]}]'],
    ['a result without an id', '[{role: tool, content: x}]'],
    [
      'a key that no block has',
      '[{role: assistant, content: [{type: tool_use, id: a, name: f, inptu: {}}]}]',
    ],
    ['a call by the user', '[{role: user, content: [{type: tool_use, id: a, name: f}]}]'],
    [
      'a called tool without a name',
      '[{role: assistant, content: x, tools_called: [{output: 1}]}]',
    ],
  ] as const) {
    it(`refuses ${what}, like the zod schema`, () => {
      refusedByBoth(messagesFileSchema, ofMessages, yaml(text));
    });
  }

  it('describes every key', () => assert.deepEqual(silentKeys(messagesJsonSchema()), []));

  const real = realLines('tau-bench/gpt-4o-airline.sample.jsonl');
  it('accepts real conversations', { skip: real.skip }, () => {
    for (const line of real.lines()) assert.deepEqual(ofMessages(record(line).messages), []);
  });

  const azure = realLines('azure-evaluators/malformed-inputs.sample.jsonl');
  it('accepts the Azure inputs that are read', { skip: azure.skip }, () => {
    for (const line of azure.lines()) {
      const { query, response } = record(record(line).input);
      if (!Array.isArray(query) || !Array.isArray(response)) continue;
      const list = [...query, ...response];
      if (readMessages(list).problems.length > 0) continue;
      assert.deepEqual(ofMessages(list), [], String(record(line).label));
    }
  });
});
