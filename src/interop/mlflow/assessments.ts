import { findAssertionType } from '../../assertions/registry.ts';
import { jsonOrText } from '../../core/data/data.ts';
import type { Assessment } from './wire.ts';

/** What MLflow's own scorers call their results, where that is not our type in snake case. */
const SCORERS: Readonly<Record<string, string>> = {
  conversational_guidelines: 'guidelines',
  expectations_guidelines: 'guidelines',
  conversational_role_adherence: 'role-adherence',
  conversational_safety: 'safety',
  conversational_tool_call_efficiency: 'tool-call-efficiency',
  tool_call_correctness: 'tool-use',
  retrieval_groundedness: 'groundedness',
  relevance_to_query: 'turn-relevancy',
};

/** The assertion that an assessment is about: a type of ours, or one of that name. */
export function assertionKeyOf(name: string): string {
  const type = SCORERS[name] ?? name.replaceAll('_', '-');
  return findAssertionType(type) ? type : name;
}

/** What MLflow's own words come to, as a share: those of its scorers, and plain yes and no. */
const SHARES: Readonly<Record<string, number>> = {
  yes: 1,
  true: 1,
  pass: 1,
  passed: 1,
  correct: 1,
  none: 1,
  resolved: 0.5,
  no: 0,
  false: 0,
  fail: 0,
  failed: 0,
  incorrect: 0,
  unresolved: 0,
};

/** The score that a person gave, 0..1; undefined where the value says neither good nor bad. */
export function shareOf(value: unknown): number | undefined {
  if (typeof value === 'boolean') return Number(value);
  if (typeof value === 'number') return value >= 0 && value <= 1 ? value : undefined;
  return typeof value === 'string' ? SHARES[value.trim().toLowerCase()] : undefined;
}

export function isHuman({ source, valid }: Assessment): boolean {
  return valid && source?.source_type === 'HUMAN';
}

export function expectedIn({ expectation }: Assessment): unknown {
  const serialized = expectation?.serialized_value?.value;
  return serialized === undefined ? expectation?.value : jsonOrText(serialized);
}
