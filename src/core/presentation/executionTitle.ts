import type { CaseIdentity } from '../identity.ts';
import type { CaseLine } from '../record/runRecord.ts';
import { visibleLine } from './visibleText.ts';

/** `order-status`, `order-status/line-7` where it is a variant, or `order-status 2/3` where it is repeated. */
export function executionTitle(
  given: Pick<CaseLine, 'id' | 'variant' | 'repetition' | 'repetitions'>,
): string {
  const title = caseTitle(given);
  return given.repetitions > 1 ? `${title} ${given.repetition}/${given.repetitions}` : title;
}

/** `order-status`, or `order-status/line-7`. */
export function caseTitle({ id, variant }: Pick<CaseIdentity, 'id' | 'variant'>): string {
  return visibleLine(caseName({ id, variant }));
}

/** As it is chosen on the command line; an id has no slash. */
export function caseName({ id, variant }: Pick<CaseIdentity, 'id' | 'variant'>): string {
  return variant === undefined ? id : `${id}/${variant}`;
}
