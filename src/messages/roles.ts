import { closest } from '../core/closest.ts';
import type { ValueProblem } from '../schema/valueProblems.ts';

/** Says that a role is none of those that a dialect has. */
export function unknownRole(role: unknown, roles: readonly string[]): ValueProblem {
  const meant = typeof role === 'string' ? closest(role, roles) : undefined;
  const hint = meant ? ` Did you mean "${meant}"?` : '';
  return {
    path: ['role'],
    code: 'unknown-role',
    message: `${JSON.stringify(role) ?? 'nothing'} is no role. Roles are ${roles.join(', ')}.${hint}`,
    ...(meant && { replacement: meant }),
  };
}
