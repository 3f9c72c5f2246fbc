import type { CaseIdentity } from '../core/identity.ts';
import { caseTitle } from '../core/presentation/executionTitle.ts';

/** `refund, hours, and 3 more`. @param most that are named @param where the others can be seen, ` (turnlight list)` */
export function shortList(names: readonly string[], most: number, where = ''): string {
  const more = names.length > most ? `, and ${names.length - most} more${where}` : '';
  return `${names.slice(0, most).join(', ')}${more}`;
}

/** `refund, hours/line-7`: each case once, and the first of many. */
export function shortListOfCases(cases: readonly CaseIdentity[]): string {
  return shortList([...new Set(cases.map(caseTitle))], 10);
}
