import { assertionTypes, findAssertionType } from '../assertions/registry.ts';
import type { ForeignName, ForeignNames } from '../schema/foreignNames.ts';

/**
 * Names that people bring along from other tools. A name of ours that another tool has as well is
 * not here: it is right as it stands.
 */
type Names = Readonly<Record<string, string>>;

export interface TheirName {
  readonly tool: string;
  /** Our name for it. */
  readonly meant: string;
  /** Keys that must stand beside it to mean the same, such as `ignore_case: true`. */
  readonly beside?: Readonly<Record<string, boolean>>;
}

const TYPES: Readonly<Record<string, Names>> = {
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
    llm_rubric: 'criterion',
    model_graded_closedqa: 'criterion',
    icontains: 'contains',
    icontains_any: 'contains-any',
    icontains_all: 'contains-all',
    conversation_relevance: 'turn-relevancy',
    answer_relevance: 'turn-relevancy',
    context_faithfulness: 'turn-faithfulness',
    context_recall: 'turn-contextual-recall',
    context_relevance: 'turn-contextual-relevancy',
    factuality: 'groundedness',
    javascript: 'script',
    contains_json: 'is-json',
    is_valid_openai_tools_call: 'tool-use',
    assert_set: 'all-of',
    similar_cosine: 'similar',
    moderation: 'safety',
    trajectory_tool_used: 'tool-called',
    trajectory_tool_sequence: 'tool-sequence',
    trajectory_goal_success: 'goal-accuracy',
  },
};

const KEYS: Readonly<Record<string, Names>> = {
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
    window_size: 'window',
  },
  MLflow: {
    inputs: 'context',
    scorers: 'assert',
    guideline: 'guidelines',
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
    input_messages: 'transcript',
    expected_output: 'expectations',
    expected_messages: 'expectations',
    min_score: 'threshold',
    system_prompt: 'system',
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
    provider: 'judge',
  },
};

/** What other tools call the keys and the types of an eval file. */
export const foreignNames: ForeignNames = {
  ofKey: (written, known) => told(written, foreignKey(written, known)),
  ofValue(written, key, known) {
    if (key !== 'type') return undefined;
    // The keys beside it may be another tool's as well and rule out what is meant.
    const all = known.some(findAssertionType) ? assertionTypes.map(({ type }) => type) : [];
    return told(written, foreignType(written, known) ?? foreignType(written, all));
  },
};

function told(written: string, name: TheirName | undefined): ForeignName | undefined {
  return name && { ...name, message: foreignSentence(written, name) };
}

/** Our assertion type for another tool's name, where it is one of those that can stand here. */
export function foreignType(name: string, known: readonly string[]): TheirName | undefined {
  const negated = /^not[-_](.+)$/.exec(name)?.[1];
  if (negated === undefined) return positiveType(name, known);
  const meant = known.includes(negated) ? negated : positiveType(negated, known)?.meant;
  if (meant === undefined || !known.includes(meant)) return undefined;
  const beside = positiveType(negated, known)?.beside;
  return { tool: 'promptfoo', meant, beside: { ...beside, negate: true } };
}

function positiveType(name: string, known: readonly string[]): TheirName | undefined {
  const found = lookUp(TYPES, name, known);
  const folds = found && plainly(name).startsWith('icontains');
  return folds ? { ...found, beside: { ignore_case: true } } : found;
}

/** Our key for another tool's name, where it is one of those that can stand here. */
export function foreignKey(name: string, known: readonly string[]): TheirName | undefined {
  return lookUp(KEYS, name, known);
}

/** `"llm-rubric" is promptfoo's name; here it is "criterion".` */
export function foreignSentence(name: string, { tool, meant, beside = {} }: TheirName): string {
  const with_ = Object.entries(beside).map(([key, value]) => `\`${key}: ${value}\``);
  const more = with_.length > 0 ? ` with ${with_.join(' and ')}` : '';
  return `"${name}" is ${tool}'s name; here it is "${meant}"${more}.`;
}

function lookUp(
  tables: Readonly<Record<string, Names>>,
  name: string,
  known: readonly string[],
): TheirName | undefined {
  for (const [tool, names] of Object.entries(tables)) {
    for (const [theirs, meant] of Object.entries(names)) {
      if (plainly(theirs) === plainly(name) && known.includes(meant)) return { tool, meant };
    }
  }
  return undefined;
}

/** Written in any case and with any separator: `LLM_Rubric`, `llm-rubric`, `llmRubric`. */
function plainly(name: string): string {
  return name.toLowerCase().replace(/[-_\s:]/g, '');
}
