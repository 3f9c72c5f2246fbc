import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertionTypes, findAssertionType } from '../../src/assertions/registry.ts';
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

/**
 * `asked`: a judge or another model is asked. `unmeasured`, `turn-not-found`: errors that the docs page doesn't cover.
 */
type Outcome = 'pass' | 'fail' | 'skipped' | 'asked' | 'unmeasured' | 'turn-not-found';

interface Expected {
  /** Defaults to the row's name. */
  readonly type?: string;
  /** Keys besides the type. */
  readonly keys?: string;
  /** Data that the assertion must be able to see; one of these is enough. */
  readonly sees?: readonly Report[];
  /** True if the agents' names must be visible too. */
  readonly seesAgents?: true;
  /** The outcome if the replies contain calls, context, usage, and agents. */
  readonly shown: Outcome;
  /** The outcome if the target reports all of them, but there are none. Defaults to `shown`. */
  readonly none?: Outcome;
  /** The outcome if only the agents' names are missing. Defaults to `shown`. */
  readonly unnamed?: Outcome;
}

const CALLS = ['tool_calls'] as const;
const CONTEXT = ['context'] as const;
const USAGE = ['usage'] as const;

/**
 * Expected outcomes for a conversation in which triage hands over to refunds, which calls `refund` with a rule as its
 * context, and says "Refund 7 is done."
 */
const OF_TYPES: Readonly<Record<string, Expected>> = {
  'tool-called': { keys: 'name: refund', sees: CALLS, shown: 'pass', none: 'fail' },
  'tool-not-called': { keys: 'name: refund', sees: CALLS, shown: 'fail', none: 'pass' },
  'tool-sequence': {
    keys: 'tools: [look_up], match: subset',
    sees: CALLS,
    shown: 'fail',
    none: 'pass',
  },
  handoff: { keys: 'to: refunds', sees: ['agents'], shown: 'pass', none: 'fail' },
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
  // A group depends on what it contains, even if it is negated.
  'all-of': {
    keys: 'negate: true, assert: [{type: tool-called, name: refund}]',
    sees: CALLS,
    shown: 'fail',
    none: 'pass',
  },
  'any-of': {
    keys: 'assert: [{type: tool-not-called}, {type: contains, value: done}]',
    sees: CALLS,
    shown: 'pass',
  },
  // All other types only need the texts.
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
  // With agents' names, there are two messages to compare.
  'no-repeat': { shown: 'pass', unnamed: 'skipped' },
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

const BY_REFUNDS = { sees: CALLS, seesAgents: true } as const;

/** Expected outcomes for assertions about one agent's calls. */
const OF_CALLS: Readonly<Record<string, Expected>> = {
  'tool-called by an agent': {
    type: 'tool-called',
    keys: 'name: refund, agent: refunds',
    ...BY_REFUNDS,
    shown: 'pass',
    none: 'fail',
    unnamed: 'fail',
  },
  'tool-not-called by an agent': {
    type: 'tool-not-called',
    keys: 'name: refund, agent: refunds',
    ...BY_REFUNDS,
    shown: 'fail',
    none: 'pass',
    // It would pass with any agent.
    unnamed: 'unmeasured',
  },
  'tool-sequence by an agent': {
    type: 'tool-sequence',
    keys: 'tools: [look_up], match: subset, agent: refunds',
    ...BY_REFUNDS,
    shown: 'fail',
    none: 'pass',
    unnamed: 'unmeasured',
  },
};

/** Every type that can look at an agent's turns. */
const AT_AGENT = Object.fromEntries(
  Object.entries(OF_TYPES).flatMap(([type, { keys, ...expected }]): [string, Expected][] => {
    if (findAssertionType(type)?.side === 'user') return [];
    const at = 'at: {agent: refunds}';
    const written = keys === undefined ? at : `${keys}, ${at}`;
    const row = { ...expected, type, keys: written, seesAgents: true } as const;
    return [[`${type} at an agent`, { ...row, unnamed: 'turn-not-found' }]];
  }),
);

const EXPECTED: Readonly<Record<string, Expected>> = { ...OF_TYPES, ...OF_CALLS, ...AT_AGENT };

/** Keys of each target, and what it is known to report before the run; undefined if only its replies show this. */
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
  ['agents'],
  ['tool_calls', 'agents'],
];

const names = Object.keys(EXPECTED);
const assertionOf = (name: string, index: number) => {
  const { type = name, keys: own = '' } = EXPECTED[name] ?? {};
  // The name distinguishes assertions that are otherwise the same.
  const keys = /\bname:/.test(own) ? own : `name: "${index}"${own === '' ? '' : `, ${own}`}`;
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
  const by = (agent: string) => has('agents') && { agent };
  if (has('agents')) {
    messages.push({ message: { role: 'assistant', content: 'Refunds do it.', ...by('triage') } });
  }
  if (has('tool_calls')) {
    const toolCalls = [{ id: '1', name: 'refund', arguments: { id: 7 } }];
    messages.push({ message: { role: 'assistant', content: '', toolCalls, ...by('refunds') } });
    messages.push({ message: { role: 'tool', callId: '1', content: 'ok' } });
  }
  const retrievalContext = has('context') ? { retrievalContext: ['Refunds are free.'] } : {};
  messages.push({
    message: {
      role: 'assistant',
      content: 'Refund 7 is done.',
      ...retrievalContext,
      ...by('refunds'),
    },
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

/** Outcomes by row. */
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
  return new Map(verdicts.map((one, index) => [names[index] ?? '', outcomeOf(one)]));
}

function expectedOf(name: string, reported: readonly Report[], contained: readonly Report[]) {
  const expected = EXPECTED[name] ?? assert.fail(name);
  const { sees = [], seesAgents, shown, none = shown, unnamed } = expected;
  if (sees.length > 0 && !sees.some((one) => reported.includes(one))) return 'not-reported';
  if (seesAgents && !reported.includes('agents')) return 'not-reported';
  if (unnamed !== undefined && !contained.includes('agents')) return unnamed;
  return sees.length === 0 || sees.some((one) => contained.includes(one)) ? shown : none;
}

const CONTAINED: readonly (readonly Report[])[] = [
  [],
  ['tool_calls'],
  ['context'],
  ['usage'],
  ['agents'],
  ['tool_calls', 'context', 'usage', 'agents'],
];

describe('what a target reports', () => {
  it('is tried with every type of assertion and of target', () => {
    assert.deepEqual(Object.keys(OF_TYPES).sort(), assertionTypes.map(({ type }) => type).sort());
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
        // A group and its assertions are on the same line.
        const found = [...new Set(lines)].map((line) => names[line - FIRST_LINE + 1]);
        assert.deepEqual(found, hidden);
      });
    }
  }

  it('decides the same of an assertion that asks for the opposite', async () => {
    const negated = (loaded?.assertions ?? []).map((one) => ({ ...one, negate: !one.negate }));
    const found = await outcomes({ type: 'module', params: {} }, [], negated);
    for (const name of names) {
      const { sees = [], seesAgents = false } = EXPECTED[name] ?? {};
      assert.equal(found.get(name) === 'not-reported', sees.length > 0 || seesAgents, name);
    }
  });
});
