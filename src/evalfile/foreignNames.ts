import { assertionTypes, findAssertionType } from '../assertions/registry.ts';
import { type Mapping, stringOf } from '../core/data/data.ts';
import { closest } from '../core/text/closest.ts';
import type { ForeignName, ForeignNames, MeantValue } from '../schema/misspelled.ts';
import { shareFromPercent } from './threshold.ts';

/** Names from other tools that aren't valid here. */
type Names = Readonly<Record<string, string>>;

/** Names of types in each tool, with our names for them. */
export const FOREIGN_TYPES: Readonly<Record<string, Names>> = {
  DeepEval: {
    ConversationCompletenessMetric: 'conversation-completeness',
    ConversationRelevancyMetric: 'turn-relevancy',
    TurnRelevancyMetric: 'turn-relevancy',
    KnowledgeRetentionMetric: 'knowledge-retention',
    RoleAdherenceMetric: 'role-adherence',
    TopicAdherenceMetric: 'topic-adherence',
    GoalAccuracyMetric: 'goal-accuracy',
    ToolUseMetric: 'tool-use',
    ToolCorrectnessMetric: 'tool-sequence',
    TurnFaithfulnessMetric: 'turn-faithfulness',
    FaithfulnessMetric: 'turn-faithfulness',
    TurnContextualRelevancyMetric: 'turn-contextual-relevancy',
    ContextualRelevancyMetric: 'turn-contextual-relevancy',
    TurnContextualPrecisionMetric: 'turn-contextual-precision',
    ContextualPrecisionMetric: 'turn-contextual-precision',
    TurnContextualRecallMetric: 'turn-contextual-recall',
    ContextualRecallMetric: 'turn-contextual-recall',
    AnswerRelevancyMetric: 'turn-relevancy',
    TaskCompletionMetric: 'task-completion',
    ConversationalGEval: 'g-eval',
    GEval: 'g-eval',
    ConversationalDAGMetric: 'decision-graph',
    DAGMetric: 'decision-graph',
    MultiTurnMCPUseMetric: 'mcp-use',
    MCPUseMetric: 'mcp-use',
    MCPTaskCompletionMetric: 'mcp-task-completion',
    JsonCorrectnessMetric: 'json-schema',
    ExactMatchMetric: 'equals',
    PatternMatchMetric: 'regex',
    ToxicityMetric: 'safety',
  },
  MLflow: {
    ConversationCompleteness: 'conversation-completeness',
    ConversationalGuidelines: 'guidelines',
    Guidelines: 'guidelines',
    ExpectationsGuidelines: 'guidelines',
    UserFrustration: 'user-frustration',
    KnowledgeRetention: 'knowledge-retention',
    ConversationalRoleAdherence: 'role-adherence',
    ConversationalSafety: 'safety',
    Safety: 'safety',
    ConversationalToolCallEfficiency: 'tool-call-efficiency',
    ToolCallEfficiency: 'tool-call-efficiency',
    ToolCallCorrectness: 'tool-use',
    RetrievalGroundedness: 'groundedness',
    RelevanceToQuery: 'turn-relevancy',
    make_judge: 'llm-judge',
    custom_prompt_judge: 'llm-judge',
  },
  Azure: {
    CustomerSatisfactionEvaluator: 'customer-satisfaction',
    TaskCompletionEvaluator: 'task-completion',
    TaskAdherenceEvaluator: 'task-adherence',
    CoherenceEvaluator: 'coherence',
    GroundednessEvaluator: 'groundedness',
    IntentResolutionEvaluator: 'intent-resolution',
    RelevanceEvaluator: 'turn-relevancy',
    ToolCallAccuracyEvaluator: 'tool-use',
    ToolSelectionEvaluator: 'tool-use',
    SimilarityEvaluator: 'similar',
    ContentSafetyEvaluator: 'safety',
  },
  AgentV: {
    rubrics: 'criterion',
    rubric: 'criterion',
    llm_judge: 'llm-judge',
    llm_grader: 'llm-judge',
    code_judge: 'script',
    code_grader: 'script',
    composite: 'all-of',
    tool_trajectory: 'tool-sequence',
    is_json: 'is-json',
    contains_any: 'contains-any',
    contains_all: 'contains-all',
    starts_with: 'starts-with',
    ends_with: 'ends-with',
    latency: 'max-latency',
    cost: 'max-cost',
    token_usage: 'max-tokens',
  },
  promptfoo: {
    'llm-rubric': 'criterion',
    'model-graded-closedqa': 'criterion',
    icontains: 'contains',
    'icontains-any': 'contains-any',
    'icontains-all': 'contains-all',
    'conversation-relevance': 'turn-relevancy',
    'answer-relevance': 'turn-relevancy',
    'context-faithfulness': 'turn-faithfulness',
    'context-recall': 'turn-contextual-recall',
    'context-relevance': 'turn-contextual-relevancy',
    factuality: 'groundedness',
    javascript: 'script',
    'contains-json': 'is-json',
    'is-valid-openai-tools-call': 'tool-use',
    'assert-set': 'all-of',
    'similar:cosine': 'similar',
    moderation: 'safety',
    'trajectory:tool-used': 'tool-called',
    'trajectory:tool-sequence': 'tool-sequence',
    'trajectory:goal-success': 'goal-accuracy',
  },
};

/** Names of keys in each tool, with our names for them. */
export const FOREIGN_KEY_NAMES: Readonly<Record<string, Names>> = {
  DeepEval: {
    chatbot_role: 'role',
    expected_outcome: 'expectations',
    scenario: 'description',
    relevant_topics: 'topics',
    tools_called: 'tool_calls',
    available_tools: 'tools',
    test_cases: 'cases',
    metrics: 'assert',
    evaluation_steps: 'steps',
    retrieved_context: 'retrieval_context',
    score_range: 'range',
    penalize_ambiguous_claims: 'penalize_ambiguous',
    user_description: 'persona',
    max_user_simulations: 'max_user_turns',
    stopping_criteria: 'stop_when',
    model: 'judge',
  },
  MLflow: {
    inputs: 'context',
    scorers: 'assert',
    guideline: 'guidelines',
    simulation_guidelines: 'guidelines',
    max_turns: 'max_user_turns',
    model: 'judge',
  },
  Azure: {
    evaluators: 'assert',
    conversation: 'transcript',
    messages: 'transcript',
    tool_definitions: 'tools',
    deployment_name: 'model',
    azure_deployment: 'model',
    azure_endpoint: 'base_url',
    pass_threshold: 'threshold',
  },
  AgentV: {
    evalcases: 'cases',
    assertions: 'assert',
    asserts: 'assert',
    rubrics: 'assert',
    input: 'user',
    input_messages: 'transcript',
    expected_output: 'expectations',
    expected_messages: 'expectations',
    min_score: 'threshold',
    system_prompt: 'system',
    mode: 'match',
  },
  promptfoo: {
    vars: 'context',
    providers: 'targets',
    tests: 'cases',
    defaultTest: 'defaults',
    metric: 'name',
    rubricPrompt: 'instructions',
    apiBaseUrl: 'base_url',
    apiKeyEnvar: 'api_key_env',
    grader: 'judge',
    maxTurns: 'max_user_turns',
    provider: 'judge',
  },
};

export const foreignNames: ForeignNames = {
  ofKey(written, known, owner) {
    const found = turnKey(written, known, owner) ?? convertKey(written, known, owner[written]);
    if (found) return found;
    const key = lookUp(FOREIGN_KEY_NAMES, written, known);
    return key && nameOf('key', written, key.tool, key.meant);
  },
  adviceOn,
  ofValue(written, key, known) {
    if (key === 'at') return everyTurn(written, known);
    if (key !== 'type') return undefined;
    // The other keys can be from another tool as well, and can rule out the intended type.
    const all = known.some(findAssertionType) ? assertionTypes.map(({ type }) => type) : [];
    return typeMeant(written, known) ?? typeMeant(written, all);
  },
  ofKind(written, key) {
    if (key === 'labels') return scoredLabels(written);
    if (key === 'id') return plainId(written);
    return key === 'threshold' ? share(written) : undefined;
  },
};

function plainId(written: unknown): MeantValue | undefined {
  if (typeof written !== 'string') return undefined;
  const parts = written.replace(/^[._-]+/, '').split(/[^\p{L}\p{N}._]+/u);
  const meant = parts.filter((part) => part !== '').join('-');
  if (meant === '' || meant === written) return undefined;
  const message = `An id has only letters, digits, ".", "_" and "-". Did you mean "${meant}"?`;
  return { meant, message };
}

function share(written: unknown): MeantValue | undefined {
  const meant = shareFromPercent(written);
  if (meant === undefined) return undefined;
  return {
    meant,
    message: `Expected a share from 0 to 1, found ${written}. Did you mean ${meant}?`,
  };
}

function everyTurn(written: string, known: readonly string[]): ForeignName | undefined {
  if (!known.includes('each') || closest(written, ['every']) === undefined) return undefined;
  return { meant: 'each', message: `Unknown value "${written}". Did you mean "each"?` };
}

const OTHER_ROLES = ['assistant', 'system', 'developer', 'tool'];

/** A scripted turn that is written like a message of a transcript. */
function turnKey(
  written: string,
  known: readonly string[],
  owner: Mapping,
): ForeignName | undefined {
  if (!known.includes('user')) return undefined;
  const { role = 'user' } = written === 'content' ? owner : { role: written };
  if (OTHER_ROLES.includes(stringOf(role))) {
    const message =
      'Only the user is scripted in `turns`; the target replies. For a recorded conversation, write `transcript`.';
    return { meant: 'user', message, without: 'role', isMisplaced: true };
  }
  if (written !== 'content' || role !== 'user') return undefined;
  const message = "All `turns` are the user's. Write `user` instead of `role` and `content`.";
  return { meant: 'user', message, without: 'role' };
}

/** Adds scores to labels without scores, as used by other tools and older files: the first label is the best. */
function scoredLabels(written: unknown): MeantValue | undefined {
  const isPlain = Array.isArray(written) && written.every((label) => typeof label === 'string');
  if (!isPlain) return undefined;
  const step = 1 / Math.max(1, written.length - 1);
  const scores = written.map((label, place) => [label, Number((1 - place * step).toFixed(2))]);
  const message =
    'Each label needs its score from 0 to 1: `labels: { polite: 1, neutral: 0.5, impolite: 0 }`.';
  return { meant: Object.fromEntries(scores), message };
}

/** The type that another tool's name refers to. The name may start with promptfoo's `not-`. */
function typeMeant(written: string, known: readonly string[]): ForeignName | undefined {
  const [, name = written] = /^not[-_](.+)$/.exec(written) ?? [];
  const isNegated = name !== written;
  const found = lookUp(FOREIGN_TYPES, name, known);
  const meant = isNegated && known.includes(name) ? name : found?.meant;
  if (meant === undefined) return undefined;
  return nameOf('type', written, isNegated ? 'promptfoo' : stringOf(found?.tool), meant, {
    ...(found && plainly(name).startsWith('icontains') && { ignore_case: true }),
    ...(isNegated && { negate: true }),
  });
}

/** ``Unknown type "llm-rubric". Use `criterion` (promptfoo calls it `llm-rubric`).`` */
function nameOf(
  what: 'key' | 'type',
  written: string,
  tool: string,
  meant: string,
  beside: Readonly<Record<string, boolean>> = {},
): ForeignName {
  const keys = Object.entries(beside).map(([key, value]) => `\`${key}: ${value}\``);
  const key = what === 'type' && tool === 'promptfoo' ? keyOfValue(meant) : undefined;
  const more = keys.length > 0 ? ` with ${keys.join(' and ')}` : '';
  const message = `Unknown ${what} "${written}". Use \`${meant}\`${more} (${tool} calls it \`${written}\`).`;
  return {
    ...{ meant, message },
    ...(keys.length > 0 && { beside }),
    ...(key !== undefined && { rename: ['value', key] }),
  };
}

/** The key that a type has instead of `value`: the only one that it requires. */
function keyOfValue(type: string): string | undefined {
  const { shape = {} } = findAssertionType(type)?.params ?? {};
  const required = Object.keys(shape).filter((key) => !shape[key]?.safeParse(undefined).success);
  return required.length === 1 && !('value' in shape) ? required[0] : undefined;
}

/** The first allowed name that a table contains. */
function lookUp(
  tables: Readonly<Record<string, Names>>,
  name: string,
  known: readonly string[],
): { readonly tool: string; readonly meant: string } | undefined {
  for (const [tool, names] of Object.entries(tables)) {
    for (const [theirs, meant] of Object.entries(names)) {
      if (plainly(theirs) === plainly(name) && known.includes(meant)) return { tool, meant };
    }
  }
  return undefined;
}

/**
 * Normalizes a name, which can be written in any case and with any separator: `LLM_Rubric`, `llm-rubric`, `llmRubric`.
 */
function plainly(name: string): string {
  return name.toLowerCase().replace(/[-_\s:]/g, '');
}

/** A key from another tool that has no equivalent, or whose equivalent takes different values. */
interface ForeignKey {
  readonly tool: string;
  /** What to do, phrased as the end of a sentence. */
  readonly advice: string;
  readonly conversion?: {
    /** Returns the equivalent entries; undefined if the value isn't valid in that tool. */
    toOurs(value: unknown): Readonly<Record<string, unknown>> | undefined;
    readonly because: string;
  };
}

const AGGREGATION: ForeignKey = {
  tool: 'MLflow',
  advice:
    'every report shows the mean, pass rate, and distribution of each assertion. Remove this key',
};

export const FOREIGN_KEYS: Readonly<Record<string, ForeignKey>> = {
  window_size: {
    tool: 'DeepEval',
    advice: 'for a window of n exchanges, write `window: 2n - 1` with `granularity: turn`',
    conversion: {
      toOurs: (value) =>
        Number.isInteger(value) && Number(value) > 0
          ? { window: 2 * Number(value) - 1, granularity: 'turn' }
          : undefined,
      because:
        'DeepEval counts exchanges, including the current one; `window` counts the turns before the judged turn.',
    },
  },
  strict_mode: {
    tool: 'DeepEval',
    advice: 'write `threshold: 1` instead to require a full score',
    conversion: {
      toOurs: (value) => (value === true ? { threshold: 1 } : undefined),
      because: 'Both require a full score.',
    },
  },
  include_reason: { tool: 'DeepEval', advice: 'every verdict has a reason. Remove this key' },
  verbose_mode: {
    tool: 'DeepEval',
    advice: 'the record of a run contains questions and answers. Remove this key',
  },
  async_mode: {
    tool: 'DeepEval',
    advice: '`--concurrency` sets how many cases run at the same time. Remove this key',
  },
  evaluation_params: {
    tool: 'DeepEval',
    advice:
      'the judge reads the whole conversation, and the `expectations`, `role`, and `context` of the case. Remove this key',
  },
  truths_extraction_limit: {
    tool: 'DeepEval',
    advice: 'the judge reads the whole retrieved context. Remove this key',
  },
  evaluation_template: {
    tool: 'DeepEval',
    advice: 'write your own questions as an `llm-judge` instead',
  },
  relevant_topics: {
    tool: 'DeepEval',
    advice: 'write `topics` in the case or at the top of the file',
  },
  available_tools: {
    tool: 'DeepEval',
    advice: 'write `tools` in the case or at the top of the file',
  },
  aggregation: AGGREGATION,
  aggregations: AGGREGATION,
  aggregator: {
    tool: 'AgentV',
    advice:
      'scores are weighted means: set the `weight` of assertions, and `required` if they must pass',
  },
  on_turn_failure: {
    tool: 'AgentV',
    advice:
      'instead of `stop`, write `stop_on_failure: true` in the case; `continue` is the default',
    conversion: {
      toOurs: (value) => (value === 'stop' ? { stop_on_failure: true } : undefined),
      because: 'Both end the conversation at the first failing turn.',
    },
  },
  feedback_value_type: {
    tool: 'MLflow',
    advice:
      'the `labels` or `scale` of an `llm-judge` set the type of its answers. Remove this key',
  },
};

/** Converts another tool's key whose value also changes. */
function convertKey(
  written: string,
  known: readonly string[],
  value: unknown,
): ForeignName | undefined {
  const { tool, conversion } = foreignKey(written) ?? {};
  const instead = conversion?.toOurs(value);
  const [meant] = Object.keys(instead ?? {});
  if (!conversion || !instead || meant === undefined) return undefined;
  if (!Object.keys(instead).every((key) => known.includes(key))) return undefined;
  const entries = Object.entries(instead).map(([key, ours]) => `\`${key}: ${ours}\``);
  const message = `${tool}'s \`${written}: ${value}\` is ${entries.join(' with ')} in Turnlight. ${conversion.because}`;
  return { meant, instead, message };
}

/** Advice for another tool's key that has no equivalent. */
export function adviceOn(written: string): string | undefined {
  const found = foreignKey(written);
  return found && `Unknown key "${written}" (of ${found.tool}): ${found.advice}.`;
}

function foreignKey(written: string): ForeignKey | undefined {
  return Object.hasOwn(FOREIGN_KEYS, written) ? FOREIGN_KEYS[written] : undefined;
}
