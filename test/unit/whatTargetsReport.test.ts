import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertionTypes } from '../../src/assertions/registry.ts';
import {
  REPORTS,
  type Report,
  type SourcedMessage,
  toConversation,
} from '../../src/core/conversation.ts';
import type { Assertion } from '../../src/core/suite.ts';
import { NO_USAGE, type Verdict } from '../../src/core/verdict.ts';
import { judgeAssertions } from '../../src/judge/judgeAssertions.ts';
import { type Model, ModelError } from '../../src/models/model.ts';
import { reportingOf, targetTypes } from '../../src/targets/registry.ts';
import { load, SUITE } from '../support/evalFiles.ts';

/** `asked`: a judge or another model is asked; `unmeasured`: an error for another reason than this page is about. */
type Outcome = 'pass' | 'fail' | 'skipped' | 'asked' | 'unmeasured';

interface Expected {
  /** Keys besides the type. */
  readonly keys?: string;
  /** What it needs to see, at least one of these. */
  readonly sees?: readonly Report[];
  /** If the replies contain calls, context, and usage. */
  readonly shown: Outcome;
  /** If the target reports all of them, and there are none. The same unless given. */
  readonly none?: Outcome;
}

const CALLS = ['tool_calls'] as const;
const CONTEXT = ['context'] as const;
const USAGE = ['usage'] as const;

/** Of a conversation in which the agent calls `refund` with the context of a rule, and says "Refund 7 is done." */
const EXPECTED: Readonly<Record<string, Expected>> = {
  'tool-called': { keys: 'name: refund', sees: CALLS, shown: 'pass', none: 'fail' },
  'tool-not-called': { keys: 'name: refund', sees: CALLS, shown: 'fail', none: 'pass' },
  'tool-sequence': {
    keys: 'tools: [look_up], match: subset',
    sees: CALLS,
    shown: 'fail',
    none: 'pass',
  },
  'tool-use': { sees: CALLS, shown: 'asked' },
  'tool-call-efficiency': { sees: CALLS, shown: 'asked', none: 'skipped' },
  'mcp-use': { sees: CALLS, shown: 'asked' },
  'mcp-task-completion': { sees: CALLS, shown: 'asked' },
  'turn-faithfulness': { sees: CONTEXT, shown: 'asked', none: 'skipped' },
  'turn-contextual-relevancy': { sees: CONTEXT, shown: 'asked', none: 'skipped' },
  'turn-contextual-precision': { sees: CONTEXT, shown: 'asked', none: 'skipped' },
  'turn-contextual-recall': { sees: CONTEXT, shown: 'asked', none: 'skipped' },
  groundedness: { sees: ['context', 'tool_calls'], shown: 'asked', none: 'skipped' },
  'max-tokens': { keys: 'max: 100', sees: USAGE, shown: 'pass', none: 'unmeasured' },
  'max-cost': { keys: 'max: 0.01', sees: USAGE, shown: 'fail', none: 'unmeasured' },
  // A group is decided by what it contains, and so is one that asks for the opposite.
  'all-of': {
    keys: 'negate: true, assert: [{type: tool-called, name: refund}]',
    sees: CALLS,
    shown: 'fail',
    none: 'pass',
  },
  'any-of': {
    keys: 'assert: [{type: contains, value: done}, {type: tool-not-called}]',
    sees: CALLS,
    shown: 'pass',
  },
  // All others need only what is said.
  contains: { keys: 'value: done', shown: 'pass' },
  'contains-any': { keys: 'values: [done]', shown: 'pass' },
  'contains-all': { keys: 'values: [done, lost]', shown: 'fail' },
  equals: { keys: 'value: no', shown: 'fail' },
  'starts-with': { keys: 'value: Refund', shown: 'pass' },
  'ends-with': { keys: 'value: done.', shown: 'pass' },
  regex: { keys: 'pattern: done', shown: 'pass' },
  'is-json': { shown: 'fail' },
  'json-schema': { keys: 'schema: {type: object}', shown: 'fail' },
  similar: { keys: 'value: Done, model: "openai:embedder"', shown: 'asked' },
  'max-turns': { keys: 'max: 5', shown: 'pass' },
  'max-latency': { keys: 'max: 100', shown: 'pass' },
  'no-repeat': { shown: 'skipped' },
  language: { keys: 'language: en', shown: 'pass' },
  script: { keys: 'path: ./agent.mjs', shown: 'pass' },
  criterion: { keys: 'criterion: It is kind.', shown: 'asked' },
  'llm-judge': { keys: 'instructions: Is it kind?', shown: 'asked' },
  'g-eval': { keys: 'criteria: It is kind., steps: [Look at the tone.]', shown: 'asked' },
  'decision-graph': {
    keys: 'nodes: {kind: {type: yes-no, question: Is it?, if_yes: 10, if_no: 0}}',
    shown: 'asked',
  },
  guidelines: { keys: 'guidelines: [Be kind.]', shown: 'asked' },
  'conversation-completeness': { shown: 'asked' },
  'turn-relevancy': { shown: 'asked' },
  'knowledge-retention': { shown: 'asked' },
  'role-adherence': { shown: 'asked' },
  'topic-adherence': { shown: 'asked' },
  'goal-accuracy': { shown: 'asked' },
  'user-frustration': { shown: 'asked' },
  safety: { shown: 'asked' },
  'customer-satisfaction': { shown: 'asked' },
  'task-completion': { shown: 'asked' },
  'task-adherence': { shown: 'asked' },
  coherence: { shown: 'asked' },
  'intent-resolution': { shown: 'asked' },
};

/** Keys of each target, and what it is known to report before the run; undefined if only its replies show it. */
const TARGETS: readonly { type: string; keys: string; known?: readonly Report[] }[] = [
  { type: 'chat', keys: 'model: openai:x', known: REPORTS },
  { type: 'module', keys: 'path: ./bot.mjs' },
  { type: 'command', keys: 'command: [python3, bot.py]' },
  { type: 'a2a', keys: 'url: "http://localhost:1"' },
  { type: 'http', keys: 'url: "http://localhost:1"', known: [] },
  { type: 'http', keys: 'url: "http://localhost:1", tool_calls: /calls', known: ['tool_calls'] },
  {
    type: 'http',
    keys: 'url: "http://localhost:1", retrieval_context: /found',
    known: ['context'],
  },
  { type: 'http', keys: 'url: "http://localhost:1", usage: /usage', known: ['usage'] },
];

const DECLARED: readonly (readonly Report[] | 'all' | undefined)[] = [
  undefined,
  'all',
  [],
  ['tool_calls'],
  ['context'],
  ['usage'],
  ['tool_calls', 'usage'],
];

const names = assertionTypes.map(({ type }) => type);
const assertionOf = (type: string) => {
  const { keys = '' } = EXPECTED[type] ?? {};
  return `      - {type: ${type}${keys === '' ? '' : `, ${keys}`}}\n`;
};

const suiteOf = (target: string) => `judge: openai:judge
role: Refunds orders.
topics: [refunds]
tools: [{name: refund, server: shop}]
target: {${target}}
cases:
  - id: a
    expectations: The refund is done.
    turns: [Refund order 7.]
    assert:
${names.map(assertionOf).join('')}`;

const FIRST_LINE = suiteOf('').split('\n').length - names.length;

function said(contained: readonly Report[]) {
  const has = (one: Report) => contained.includes(one);
  const messages: SourcedMessage[] = [{ message: { role: 'user', content: 'Refund order 7.' } }];
  if (has('tool_calls')) {
    const toolCalls = [{ id: '1', name: 'refund', arguments: { id: 7 } }];
    messages.push({ message: { role: 'assistant', content: '', toolCalls } });
    messages.push({ message: { role: 'tool', callId: '1', content: 'ok' } });
  }
  const retrievalContext = has('context') ? { retrievalContext: ['Refunds are free.'] } : {};
  messages.push({
    message: { role: 'assistant', content: 'Refund 7 is done.', ...retrievalContext },
    latency: 10,
  });
  const usage = { ...NO_USAGE, input_tokens: 10, output_tokens: 5, cost: 0.1 };
  return { conversation: toConversation(messages), ...(has('usage') && { targetUsage: usage }) };
}

function outcomeOf(verdict: Verdict): string {
  if (verdict.status !== 'error') return verdict.status;
  const { reason } = verdict as Extract<Verdict, { status: 'error' }>;
  return { 'bad-request': 'asked', 'check-failed': 'unmeasured' }[reason] ?? reason;
}

const nobody: Model = {
  id: 'openai:nobody',
  complete: () => Promise.reject(new ModelError('bad-request', 'Asked.')),
};

const { suite, problems } = await load(suiteOf('type: module, path: ./bot.mjs'));
const [loaded] = suite?.cases ?? assert.fail(JSON.stringify(problems));

/** By type. */
async function outcomes(
  spec: { readonly type: string; readonly params: Readonly<Record<string, unknown>> },
  contained: readonly Report[],
  assertions: readonly Assertion[] = loaded?.assertions ?? [],
): Promise<Map<string, string>> {
  assert.ok(loaded);
  const verdicts = await judgeAssertions({
    ...said(contained),
    assertions,
    facts: loaded,
    replyTurns: [2],
    reporting: reportingOf({ name: 'bot', folder: '/', ...spec }, contained),
    modelFor: async () => nobody,
    script: async () => true,
    signal: new AbortController().signal,
  });
  return new Map(verdicts.map((one) => [one.assertion.type, outcomeOf(one)]));
}

function expectedOf(type: string, reported: readonly Report[], contained: readonly Report[]) {
  const { sees = [], shown, none = shown } = EXPECTED[type] ?? assert.fail(type);
  if (sees.length === 0) return shown;
  if (!sees.some((one) => reported.includes(one))) return 'not-reported';
  return sees.some((one) => contained.includes(one)) ? shown : none;
}

const CONTAINED: readonly (readonly Report[])[] = [
  [],
  ['tool_calls'],
  ['context'],
  ['usage'],
  ['tool_calls', 'context', 'usage'],
];

describe('what a target reports', () => {
  it('is tried with every type of assertion and of target', () => {
    assert.deepEqual(Object.keys(EXPECTED).sort(), [...names].sort());
    const tried = new Set(TARGETS.map(({ type }) => type));
    assert.deepEqual([...tried].sort(), targetTypes.map(({ type }) => type).sort());
  });

  for (const { type, keys, known } of TARGETS) {
    for (const declared of DECLARED) {
      const written = Array.isArray(declared) ? `[${declared.join(', ')}]` : declared;
      const reports = declared === undefined ? '' : `, reports: ${written}`;
      const title = `{type: ${type}, ${keys}${reports}}`;
      const explicit = declared === 'all' ? REPORTS : declared;
      const params = Object.fromEntries(
        [...keys.matchAll(/(tool_calls|retrieval_context|usage): (\S+)/g)].map(([, key, path]) => [
          key,
          path,
        ]),
      );

      it(`decides which assertions are errors: ${title}`, async () => {
        for (const contained of CONTAINED) {
          const reported = explicit ?? [...(known ?? []), ...contained];
          const found = await outcomes(
            { type, params: { ...params, ...(declared && { reports: declared }) } },
            contained,
          );
          for (const name of names) {
            const cell = `${name} of a reply with ${contained.join(', ') || 'text alone'}`;
            assert.equal(found.get(name), expectedOf(name, reported, contained), cell);
          }
        }
      });

      it(`is told by the check as far as it is known: ${title}`, async () => {
        const { problems: told } = await load(suiteOf(`type: ${type}, ${keys}${reports}`), {
          'bot.py': '',
        });
        const lines = told.flatMap(({ code, path, range, severity }) =>
          code === 'not-reported' && path === SUITE && severity === 'error'
            ? [range.start.line]
            : [],
        );
        const beforehand = explicit ?? known;
        const hidden = names.filter(
          (name) => beforehand && expectedOf(name, beforehand, []) === 'not-reported',
        );
        assert.deepEqual(
          lines.map((line) => names[line - FIRST_LINE + 1]),
          hidden,
        );
      });
    }
  }

  it('decides the same of an assertion that asks for the opposite', async () => {
    const negated = (loaded?.assertions ?? []).map((one) => ({ ...one, negate: !one.negate }));
    const found = await outcomes({ type: 'module', params: {} }, [], negated);
    for (const name of names) {
      const { sees = [] } = EXPECTED[name] ?? {};
      assert.equal(found.get(name) === 'not-reported', sees.length > 0, name);
    }
  });
});
