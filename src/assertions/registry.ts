import { type Mapping, mappingOf } from '../core/data/data.ts';
import type { Assertion } from '../core/suite.ts';
import type { AssertionType } from './contract.ts';
import { allOf } from './types/all-of.ts';
import { anyOf } from './types/any-of.ts';
import { coherence } from './types/coherence.ts';
import { contains } from './types/contains.ts';
import { containsAll } from './types/contains-all.ts';
import { containsAny } from './types/contains-any.ts';
import { conversationCompleteness } from './types/conversation-completeness.ts';
import { criterion } from './types/criterion.ts';
import { customerSatisfaction } from './types/customer-satisfaction.ts';
import { decisionGraph } from './types/decision-graph.ts';
import { endsWith } from './types/ends-with.ts';
import { equals } from './types/equals.ts';
import { gEval } from './types/g-eval.ts';
import { goalAccuracy } from './types/goal-accuracy.ts';
import { groundedness } from './types/groundedness.ts';
import { guidelines } from './types/guidelines.ts';
import { handoff } from './types/handoff.ts';
import { intentResolution } from './types/intent-resolution.ts';
import { isJson } from './types/is-json.ts';
import { jsonSchema } from './types/json-schema.ts';
import { knowledgeRetention } from './types/knowledge-retention.ts';
import { language } from './types/language.ts';
import { llmJudge } from './types/llm-judge.ts';
import { maxCost } from './types/max-cost.ts';
import { maxLatency } from './types/max-latency.ts';
import { maxTokens } from './types/max-tokens.ts';
import { maxTurns } from './types/max-turns.ts';
import { mcpTaskCompletion } from './types/mcp-task-completion.ts';
import { mcpUse } from './types/mcp-use.ts';
import { noRepeat } from './types/no-repeat.ts';
import { regex } from './types/regex.ts';
import { roleAdherence } from './types/role-adherence.ts';
import { safety } from './types/safety.ts';
import { script } from './types/script.ts';
import { similar } from './types/similar.ts';
import { startsWith } from './types/starts-with.ts';
import { taskAdherence } from './types/task-adherence.ts';
import { taskCompletion } from './types/task-completion.ts';
import { toolCallEfficiency } from './types/tool-call-efficiency.ts';
import { toolCalled } from './types/tool-called.ts';
import { toolNotCalled } from './types/tool-not-called.ts';
import { toolSequence } from './types/tool-sequence.ts';
import { toolUse } from './types/tool-use.ts';
import { topicAdherence } from './types/topic-adherence.ts';
import { turnContextualPrecision } from './types/turn-contextual-precision.ts';
import { turnContextualRecall } from './types/turn-contextual-recall.ts';
import { turnContextualRelevancy } from './types/turn-contextual-relevancy.ts';
import { turnFaithfulness } from './types/turn-faithfulness.ts';
import { turnRelevancy } from './types/turn-relevancy.ts';
import { userFrustration } from './types/user-frustration.ts';

/** Every assertion type. To add one, create a file in `types` and add a line here. */
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
  handoff,
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

const BY_NAME: ReadonlyMap<unknown, AssertionType> = new Map(
  assertionTypes.map((type) => [type.type, type]),
);

export function findAssertionType(name: unknown): AssertionType | undefined {
  return BY_NAME.get(name);
}

/** An assertion in a file as a mapping; a plain string is a criterion. */
export function assertionMapping(given: unknown): Mapping {
  return typeof given === 'string' ? { type: criterion.type, criterion: given } : mappingOf(given);
}

/** The type of a prepared assertion. */
export function typeOf({ type }: Pick<Assertion, 'type'>): AssertionType {
  const found = findAssertionType(type);
  if (!found) throw new Error(`Internal error: there is no assertion type "${type}".`);
  return found;
}
