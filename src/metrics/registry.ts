import { allOf } from './all-of.ts';
import { anyOf } from './any-of.ts';
import type { AssertionType } from './assertionType.ts';
import { coherence } from './coherence.ts';
import { contains } from './contains.ts';
import { containsAll } from './contains-all.ts';
import { containsAny } from './contains-any.ts';
import { conversationCompleteness } from './conversation-completeness.ts';
import { criterion } from './criterion.ts';
import { customerSatisfaction } from './customer-satisfaction.ts';
import { decisionGraph } from './decision-graph.ts';
import { endsWith } from './ends-with.ts';
import { equals } from './equals.ts';
import { gEval } from './g-eval.ts';
import { goalAccuracy } from './goal-accuracy.ts';
import { groundedness } from './groundedness.ts';
import { guidelines } from './guidelines.ts';
import { intentResolution } from './intent-resolution.ts';
import { isJson } from './is-json.ts';
import { jsonSchema } from './json-schema.ts';
import { knowledgeRetention } from './knowledge-retention.ts';
import { language } from './language.ts';
import { llmJudge } from './llm-judge.ts';
import { maxCost } from './max-cost.ts';
import { maxLatency } from './max-latency.ts';
import { maxTokens } from './max-tokens.ts';
import { maxTurns } from './max-turns.ts';
import { mcpTaskCompletion } from './mcp-task-completion.ts';
import { mcpUse } from './mcp-use.ts';
import { noRepeat } from './no-repeat.ts';
import { regex } from './regex.ts';
import { roleAdherence } from './role-adherence.ts';
import { safety } from './safety.ts';
import { script } from './script.ts';
import { similar } from './similar.ts';
import { startsWith } from './starts-with.ts';
import { taskAdherence } from './task-adherence.ts';
import { taskCompletion } from './task-completion.ts';
import { toolCallEfficiency } from './tool-call-efficiency.ts';
import { toolCalled } from './tool-called.ts';
import { toolNotCalled } from './tool-not-called.ts';
import { toolSequence } from './tool-sequence.ts';
import { toolUse } from './tool-use.ts';
import { topicAdherence } from './topic-adherence.ts';
import { turnContextualPrecision } from './turn-contextual-precision.ts';
import { turnContextualRecall } from './turn-contextual-recall.ts';
import { turnContextualRelevancy } from './turn-contextual-relevancy.ts';
import { turnFaithfulness } from './turn-faithfulness.ts';
import { turnRelevancy } from './turn-relevancy.ts';
import { userFrustration } from './user-frustration.ts';

/** Every assertion type that a file may name. A new one is a file in this folder and its line here. */
export const assertionTypes: readonly AssertionType[] = [
  criterion,
  llmJudge,
  gEval,
  decisionGraph,
  conversationCompleteness,
  turnRelevancy,
  knowledgeRetention,
  roleAdherence,
  topicAdherence,
  goalAccuracy,
  toolUse,
  toolCallEfficiency,
  turnFaithfulness,
  turnContextualRelevancy,
  turnContextualPrecision,
  turnContextualRecall,
  guidelines,
  userFrustration,
  safety,
  customerSatisfaction,
  taskCompletion,
  taskAdherence,
  coherence,
  groundedness,
  intentResolution,
  mcpUse,
  mcpTaskCompletion,
  contains,
  containsAny,
  containsAll,
  equals,
  startsWith,
  endsWith,
  regex,
  isJson,
  jsonSchema,
  similar,
  toolCalled,
  toolNotCalled,
  toolSequence,
  maxTurns,
  maxLatency,
  maxTokens,
  maxCost,
  noRepeat,
  language,
  script,
  allOf,
  anyOf,
];

export function findAssertionType(type: string): AssertionType | undefined {
  return assertionTypes.find((one) => one.type === type);
}
