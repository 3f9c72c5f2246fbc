import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertionTypes } from '../../../src/assertions/registry.ts';
import { foreignNames, KEYS } from '../../../src/evalfile/foreignNames.ts';
import { evalJsonSchema, messagesJsonSchema } from '../../../src/evalfile/publishedSchemas.ts';
import { evalFileSchema } from '../../../src/evalfile/schema.ts';
import { keysAt } from '../../../src/schema/schemaWalk.ts';
import { load, suiteWith } from '../../support/evalFiles.ts';
import { keysOf } from '../../support/schemaKeys.ts';

const TYPES = assertionTypes.map(({ type }) => type);

function typeFor(name: string, known: readonly string[] = TYPES) {
  return foreignNames.ofValue(name, 'type', known);
}

describe("another tool's name of an assertion type", () => {
  for (const [name, tool, meant] of [
    ['ConversationCompletenessMetric', 'DeepEval', 'conversation-completeness'],
    ['TurnRelevancyMetric', 'DeepEval', 'turn-relevancy'],
    ['ConversationalGEval', 'DeepEval', 'g-eval'],
    ['ConversationalDAGMetric', 'DeepEval', 'decision-graph'],
    ['MultiTurnMCPUseMetric', 'DeepEval', 'mcp-use'],
    ['ConversationCompleteness', 'MLflow', 'conversation-completeness'],
    ['ConversationalGuidelines', 'MLflow', 'guidelines'],
    ['UserFrustration', 'MLflow', 'user-frustration'],
    ['ConversationalToolCallEfficiency', 'MLflow', 'tool-call-efficiency'],
    ['make_judge', 'MLflow', 'llm-judge'],
    ['CustomerSatisfactionEvaluator', 'Azure', 'customer-satisfaction'],
    ['IntentResolutionEvaluator', 'Azure', 'intent-resolution'],
    ['rubrics', 'AgentV', 'criterion'],
    ['llm_judge', 'AgentV', 'llm-judge'],
    ['is_json', 'AgentV', 'is-json'],
    ['contains_any', 'AgentV', 'contains-any'],
    ['tool_trajectory', 'AgentV', 'tool-sequence'],
    ['tool-trajectory', 'AgentV', 'tool-sequence'],
    ['code-judge', 'AgentV', 'script'],
    ['composite', 'AgentV', 'all-of'],
    ['llm-rubric', 'promptfoo', 'criterion'],
    ['conversation-relevance', 'promptfoo', 'turn-relevancy'],
    ['javascript', 'promptfoo', 'script'],
    ['trajectory:tool-used', 'promptfoo', 'tool-called'],
  ] as const) {
    it(`is known: ${name} of ${tool}`, () => {
      const message = `"${name}" is ${tool}'s name. Here it is "${meant}".`;
      assert.deepEqual(typeFor(name), { meant, message });
      assert.ok(TYPES.includes(meant));
    });
  }

  it('comes with the keys that make it mean the same', () => {
    assert.deepEqual(typeFor('icontains')?.beside, { ignore_case: true });
    assert.deepEqual(typeFor('not-contains'), {
      meant: 'contains',
      beside: { negate: true },
      message: '"not-contains" is promptfoo\'s name. Here it is "contains" with `negate: true`.',
    });
    assert.deepEqual(typeFor('not-icontains-any')?.beside, { ignore_case: true, negate: true });
  });

  it('is not offered where ours cannot stand', () => {
    assert.equal(typeFor('llm-rubric', ['no type of ours']), undefined);
    assert.equal(typeFor('not-a-thing'), undefined);
    assert.equal(typeFor('__proto__'), undefined);
  });
});

describe('a scripted turn of another role', () => {
  for (const role of ['assistant', 'system', 'developer', 'tool']) {
    it(`is told that the target replies: ${role}`, async () => {
      const { problems } = await load(
        suiteWith(`target: {type: module, path: bot.mjs}\nturns: [{${role}: Hi}]\nassert: [x]`),
      );
      const [told] = problems.filter(({ code }) => code === 'unknown-key');
      assert.match(told?.message ?? '', /the target replies\. .* write `transcript`/);
      assert.equal(told?.replacement, undefined);
    });
  }
});

describe("another tool's name of a key", () => {
  const known = [[], ['cases', 0], ['defaults']].flatMap((path) =>
    keysAt(evalFileSchema, { cases: [{}], defaults: {} }, path).map(({ name }) => name),
  );
  for (const [name, tool, meant] of [
    ['chatbot_role', 'DeepEval', 'role'],
    ['expected_outcome', 'DeepEval', 'expectations'],
    ['scenario', 'DeepEval', 'description'],
    ['tool_definitions', 'Azure', 'tools'],
    ['evalcases', 'AgentV', 'cases'],
    ['assertions', 'AgentV', 'assert'],
    ['rubrics', 'AgentV', 'assert'],
    ['vars', 'promptfoo', 'context'],
    ['providers', 'promptfoo', 'targets'],
    ['tests', 'promptfoo', 'cases'],
    ['defaultTest', 'promptfoo', 'defaults'],
  ] as const) {
    it(`is known: ${name} of ${tool}`, () => {
      const message = `"${name}" is ${tool}'s name. Here it is "${meant}".`;
      assert.deepEqual(foreignNames.ofKey(name, known, undefined), { meant, message });
    });
  }

  it('leads to a key that exists', () => {
    const ours = new Set([evalJsonSchema(), messagesJsonSchema()].flatMap(keysOf));
    const meant = Object.values(KEYS).flatMap((names) => Object.values(names));
    assert.deepEqual(
      meant.filter((key) => !ours.has(key)),
      [],
    );
  });

  it('is one mistake, and the rest is read as it was meant', async () => {
    const text = suiteWith('transcript: [{user: Hi}, {assistant: x}]\nassert: [x]')
      .replace('cases', 'tests')
      .replace('assert:', 'asert:');
    const { problems } = await load(text);
    assert.deepEqual(
      problems.map(({ message }) => message),
      [
        '"tests" is promptfoo\'s name. Here it is "cases".',
        'Unknown key "asert". Did you mean "assert"?',
      ],
    );
  });
});
