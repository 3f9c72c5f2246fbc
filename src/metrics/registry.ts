import type { AssertionType } from './assertionType.ts';
import { contains } from './contains.ts';
import { containsAll } from './contains-all.ts';
import { containsAny } from './contains-any.ts';
import { conversationCompleteness } from './conversation-completeness.ts';
import { criterion } from './criterion.ts';
import { endsWith } from './ends-with.ts';
import { equals } from './equals.ts';
import { guidelines } from './guidelines.ts';
import { isJson } from './is-json.ts';
import { jsonSchema } from './json-schema.ts';
import { knowledgeRetention } from './knowledge-retention.ts';
import { language } from './language.ts';
import { llmJudge } from './llm-judge.ts';
import { maxLatency } from './max-latency.ts';
import { maxTurns } from './max-turns.ts';
import { noRepeat } from './no-repeat.ts';
import { regex } from './regex.ts';
import { roleAdherence } from './role-adherence.ts';
import { startsWith } from './starts-with.ts';
import { toolCalled } from './tool-called.ts';
import { toolNotCalled } from './tool-not-called.ts';
import { toolSequence } from './tool-sequence.ts';
import { turnRelevancy } from './turn-relevancy.ts';
import { userFrustration } from './user-frustration.ts';

/** Every assertion type that a file may name. A new one is a file in this folder and its line here. */
export const assertionTypes: readonly AssertionType[] = [
  criterion,
  llmJudge,
  conversationCompleteness,
  turnRelevancy,
  knowledgeRetention,
  roleAdherence,
  guidelines,
  userFrustration,
  contains,
  containsAny,
  containsAll,
  equals,
  startsWith,
  endsWith,
  regex,
  isJson,
  jsonSchema,
  toolCalled,
  toolNotCalled,
  toolSequence,
  maxTurns,
  maxLatency,
  noRepeat,
  language,
];

export function findAssertionType(type: string): AssertionType | undefined {
  return assertionTypes.find((one) => one.type === type);
}
