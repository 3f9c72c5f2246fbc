import type { Usage } from '../../core/verdict.ts';
import type { AssertionInput, Finding } from '../contract.ts';
import { citing } from './entries.ts';

/**
 * What the target used, at most so much.
 *
 * @param read undefined if it was not measured
 * @throws Error where it was not measured: what is not known never passes
 */
export function usageLimit(
  { conversation, targetUsage, assertion: { negate } }: AssertionInput,
  what: string,
  max: number,
  read: (usage: Usage) => number | undefined,
  remedy: string,
): Finding {
  const used = targetUsage && read(targetUsage);
  if (used === undefined) {
    throw new Error(`The target's ${what} was not measured. ${remedy}`);
  }
  const passed = used <= max !== negate;
  const last = conversation.entries.filter(({ kind }) => kind === 'turn').length;
  const found = citing(last, `the ${what} by then is ${used}; the limit is ${max}`);
  return {
    kind: 'scored',
    score: passed ? 1 : 0,
    value: used,
    rationale: `The target's ${what} is ${used}; the limit is ${max}.`,
    turns: [],
    hits: passed ? [found] : [],
    misses: passed ? [] : [found],
    details: { used, max },
  };
}
