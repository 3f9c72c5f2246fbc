import type { Verdict } from './verdict.ts';

/**
 * Tells of a case's verdicts whether all that their judge answered came from the cache. What stands in one
 * request is paid, and recalled, by the first of its verdicts.
 */
export function recalledAmong(verdicts: readonly Verdict[]): (verdict: Verdict) => boolean {
  const requests = new Set(verdicts.filter(isRecalled).flatMap(requestOf));
  return (verdict) => isRecalled(verdict) || requestOf(verdict).some((one) => requests.has(one));
}

function isRecalled({ usage }: Verdict): boolean {
  return usage.calls === 0 && (usage.from_cache ?? 0) > 0;
}

/** The request that its question stood in. */
function requestOf({ judge }: Verdict): string[] {
  return judge?.prompt_hash === undefined ? [] : [judge.prompt_hash];
}
