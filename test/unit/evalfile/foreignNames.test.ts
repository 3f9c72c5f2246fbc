import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertionTypes } from '../../../src/assertions/registry.ts';
import { messageSchema, toolSchema } from '../../../src/core/message.ts';
import { sharedKeys } from '../../../src/evalfile/assertion/assertionSchema.ts';
import { adviceOn, FOREIGN_KEY_NAMES, foreignNames } from '../../../src/evalfile/foreignNames.ts';
import {
  evalFileSchema,
  evalJsonSchema,
  messagesJsonSchema,
} from '../../../src/evalfile/schema.ts';
import { keysAt } from '../../../src/schema/schemaWalk.ts';
import { load, suiteWith } from '../../support/evalFiles.ts';
import { keysOf } from '../../support/schemaKeys.ts';

const TYPES = assertionTypes.map(({ type }) => type);

function typeFor(name: string, known: readonly string[] = TYPES) {
  return foreignNames.ofValue(name, 'type', known);
}

describe("another tool's name for an assertion type", () => {
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
      const message = `Unknown type "${name}". Use \`${meant}\` (${tool} calls it \`${name}\`).`;
      const { rename: _, ...found } = typeFor(name) ?? {};
      assert.deepEqual(found, { meant, message });
      assert.ok(TYPES.includes(meant));
    });
  }

  it("renames promptfoo's `value` to the only key that the type requires", () => {
    assert.deepEqual(typeFor('llm-rubric')?.rename, ['value', 'criterion']);
    assert.deepEqual(typeFor('trajectory:tool-used')?.rename, ['value', 'name']);
    assert.equal(typeFor('icontains')?.rename, undefined);
    assert.equal(typeFor('composite')?.rename, undefined);
  });

  it('adds the keys that give it the same meaning', () => {
    assert.deepEqual(typeFor('icontains')?.beside, { ignore_case: true });
    assert.deepEqual(typeFor('not-contains'), {
      meant: 'contains',
      beside: { negate: true },
      message:
        'Unknown type "not-contains". Use `contains` with `negate: true` (promptfoo calls it `not-contains`).',
    });
    assert.deepEqual(typeFor('not-icontains-any')?.beside, { ignore_case: true, negate: true });
  });

  it('is not suggested if our type is not allowed', () => {
    assert.equal(typeFor('llm-rubric', ['no type of ours']), undefined);
    assert.equal(typeFor('not-a-thing'), undefined);
    assert.equal(typeFor('__proto__'), undefined);
  });
});

describe('a scripted turn of another role', () => {
  for (const role of ['assistant', 'system', 'developer', 'tool']) {
    it(`gets a hint that the target replies: ${role}`, async () => {
      const { problems } = await load(
        suiteWith(`target: {type: module, path: bot.mjs}\nturns: [{${role}: Hi}]\nassert: [x]`),
      );
      const [told] = problems.filter(({ code }) => code === 'unknown-key');
      assert.match(told?.message ?? '', /the target replies\. .* write `transcript`/);
      assert.equal(told?.replacement, undefined);
    });
  }
});

describe("another tool's name for a key", () => {
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
      const message = `Unknown key "${name}". Use \`${meant}\` (${tool} calls it \`${name}\`).`;
      assert.deepEqual(foreignNames.ofKey(name, known, {}), { meant, message });
    });
  }

  it('maps to an existing key', () => {
    const ours = new Set([evalJsonSchema(), messagesJsonSchema()].flatMap(keysOf));
    const meant = Object.values(FOREIGN_KEY_NAMES).flatMap((names) => Object.values(names));
    assert.deepEqual(
      meant.filter((key) => !ours.has(key)),
      [],
    );
  });

  it('is one mistake, and the rest is read as intended', async () => {
    const text = suiteWith('transcript: [{user: Hi}, {assistant: x}]\nassert: [x]')
      .replace('cases', 'tests')
      .replace('assert:', 'asert:');
    const { problems } = await load(text);
    assert.deepEqual(
      problems.map(({ message }) => message),
      [
        'Unknown key "tests". Use `cases` (promptfoo calls it `tests`).',
        'Unknown key "asert". Did you mean "assert"?',
      ],
    );
  });
});

/** Keys of suites, cases, and metrics in the tools' documentation. The dialects handle message keys. */
const DOCUMENTED: Readonly<Record<string, string>> = {
  DeepEval: `threshold model include_reason strict_mode async_mode verbose_mode window_size evaluation_params
    evaluation_steps criteria rubric score_range truths_extraction_limit evaluation_template
    relevant_topics available_tools name chatbot_role scenario expected_outcome context
    tags turns role content description`,
  MLflow: `name instructions model guidelines inputs expectations scorers aggregations feedback_value_type description`,
  Azure: `threshold evaluators conversation messages tool_definitions azure_endpoint azure_deployment
    deployment_name context role content`,
  AgentV: `evalcases assertions rubrics input_messages expected_output expected_messages min_score system_prompt mode
    aggregator id description type value prompt required weight threshold target transcript tags input on_turn_failure
    tests turns`,
  promptfoo: `vars providers tests defaultTest metric rubricPrompt apiBaseUrl apiKeyEnvar provider description assert
    threshold type value weight`,
};

/** All keys that are allowed somewhere. */
const OURS = new Set([
  ...[
    [],
    ['cases', 0],
    ['defaults'],
    ['models', 'x'],
    ['targets', 'x'],
    ['cases', 0, 'turns', 0],
  ].flatMap((path) =>
    keysAt(
      evalFileSchema,
      {
        cases: [{ turns: [{}] }],
        defaults: {},
        models: { x: { provider: 'openai' } },
        targets: { x: { type: 'chat' } },
      },
      path,
    ).map(({ name }) => name),
  ),
  ...assertionTypes.flatMap((type) => [...Object.keys(type.params.shape), ...sharedKeys(type)]),
  ...messageSchema.options.flatMap(({ shape }) => Object.keys(shape)),
  ...Object.keys(toolSchema.shape),
  'type',
  'range',
]);

describe('a key that another tool documents', () => {
  for (const [tool, names] of Object.entries(DOCUMENTED)) {
    for (const name of names.trim().split(/\s+/)) {
      it(`is known, mapped to our key, or explained: ${tool}'s ${name}`, () => {
        const found = foreignNames.ofKey(name, [...OURS], {});
        const known = OURS.has(name) || found !== undefined;
        assert.ok(known || adviceOn(name) !== undefined);
      });
    }
  }

  for (const [written, message, keys] of [
    [
      'window_size: 3',
      "DeepEval's `window_size: 3` is `window: 5` with `granularity: turn` in Turnlight. DeepEval counts exchanges, including the current one; `window` counts the turns before the judged turn.",
      { window: 5, granularity: 'turn' },
    ],
    [
      'strict_mode: true',
      "DeepEval's `strict_mode: true` is `threshold: 1` in Turnlight. Both require a full score.",
      { threshold: 1 },
    ],
    [
      'include_reason: true',
      'Unknown key "include_reason" (of DeepEval): every verdict has a reason. Remove this key.',
      undefined,
    ],
    [
      'relevant_topics: [orders]',
      'Unknown key "relevant_topics" (of DeepEval): write `topics` in the case or at the top of the file.',
      undefined,
    ],
    [
      'model: openai:gpt-5-mini',
      'Unknown key "model". Use `judge` (DeepEval calls it `model`).',
      undefined,
    ],
  ] as const) {
    it(`gets advice what to write: ${written}`, async () => {
      const conversation = 'transcript: [{user: Hi}, {assistant: x}]';
      const text = suiteWith(
        `${conversation}\nassert:\n  - type: turn-relevancy\n    ${written}`,
        'judge: openai:gpt-5-mini\n',
      );
      const { problems } = await load(text);
      assert.deepEqual(
        problems.map((problem) => [problem.code, problem.message]),
        [['unknown-key', message]],
      );
      assert.deepEqual(problems[0]?.fix?.instead?.keys, keys);
    });
  }

  for (const [type, key] of [
    ['regex', 'pattern'],
    ['max-turns', 'max'],
    ['max-cost', 'max'],
  ] as const) {
    it(`\`value\` of ${type} is \`${key}\``, async () => {
      const value = type === 'regex' ? 'x' : 3;
      const text = suiteWith(
        `transcript: [{user: Hi}, {assistant: x}]\nassert: [{type: ${type}, value: ${value}}]`,
      );
      const { problems } = await load(text);
      assert.equal(problems[0]?.replacement, key);
    });
  }
});

describe('an MLflow model URI', () => {
  it('selects the model that it names', async () => {
    const conversation = 'transcript: [{user: Hi}, {assistant: x}]\nassert: [Is polite.]';
    const { suite } = await load(suiteWith(conversation, 'judge: openai:/gpt-5-mini\n'));
    assert.equal(suite?.cases[0]?.assertions[0]?.judge?.params.model, 'gpt-5-mini');
    assert.equal(suite?.cases[0]?.assertions[0]?.judge?.id, 'openai:gpt-5-mini');
  });

  it('is an error with the known providers if its provider is unknown', async () => {
    const conversation = 'transcript: [{user: Hi}, {assistant: x}]\nassert: [Is polite.]';
    const { problems } = await load(suiteWith(conversation, 'judge: anthropic:/claude\n'));
    assert.match(
      problems[0]?.message ?? '',
      /^Unknown provider "anthropic"\. Known providers: openai, azure-openai, ollama, vscode, replay\./,
    );
  });
});
