import type * as z from 'zod';
import { type Path, valueAt } from '../core/data.ts';

export type Issue = z.core.$ZodIssue;

/** Something that zod found, at its path in the value. */
export interface Leaf {
  readonly issue: Issue;
  readonly path: Path;
}

/** What is wrong with a value; of a union's branches only the one it was most likely meant for speaks. */
export function leavesOf(schema: z.ZodType, value: unknown): Leaf[] {
  const result = schema.safeParse(value);
  if (result.success) return [];
  return result.error.issues.flatMap((issue) => leaves(issue, [], value));
}

function leaves(issue: Issue, above: Path, root: unknown): Leaf[] {
  const path = [
    ...above,
    ...issue.path.map((key) => (typeof key === 'symbol' ? String(key) : key)),
  ];
  if (issue.code !== 'invalid_union' || issue.errors.length === 0) return [{ issue, path }];
  const kind = kindOf(valueAt(root, path));
  const best = issue.errors
    .filter((branch) => !branch.some((one) => one.path.length === 0 && isOtherKind(one)))
    .sort((a, b) => weight(a) - weight(b))[0];
  if (!best) return [{ issue: { ...issue, message: `A ${kind} cannot stand here` }, path }];
  return best.flatMap((one) => leaves(one, path, root));
}

function isOtherKind(issue: Issue): boolean {
  return (
    issue.code === 'invalid_type' ||
    (issue.code === 'invalid_union' &&
      issue.errors.length > 0 &&
      issue.errors.every((branch) =>
        branch.some((one) => one.path.length === 0 && isOtherKind(one)),
      ))
  );
}

/** A branch with few faults, and faults further in, is nearer to what was meant. */
function weight(branch: readonly Issue[]): number {
  const unknown = branch.flatMap((one) =>
    one.code === 'unrecognized_keys' ? one.keys : [one.code],
  );
  return unknown.length;
}

/** A value's kind in the words of a message: `list`, `mapping`, `text`, `nothing`. */
export function kindOf(value: unknown): string {
  if (value === null || value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'list';
  if (typeof value === 'number' && !Number.isFinite(value)) return 'number without end or value';
  return typeof value === 'object' ? 'mapping' : typeof value === 'string' ? 'text' : typeof value;
}
