import type { CaseLine } from '../runRecord.ts';
import { visibleLine } from './visibleText.ts';

/** `order-status`, or `order-status 2/3` where it is repeated. */
export function executionTitle(given: Pick<CaseLine, 'id' | 'repetition' | 'repetitions'>): string {
  const id = visibleLine(given.id);
  return given.repetitions > 1 ? `${id} ${given.repetition}/${given.repetitions}` : id;
}
