import type * as z from 'zod';
import { type Path, valueAt } from '../core/data/data.ts';

export type Issue = z.core.$ZodIssue;

export interface Leaf {
  readonly issue: Issue;
  readonly path: Path;
}

export interface Read {
  /** With defaults if nothing is wrong, else as it was given. */
  readonly value: unknown;
  /** What is wrong; of a union's branches only the one it was most likely meant for speaks. */
  readonly leaves: readonly Leaf[];
}

export function readBy(schema: z.ZodType, value: unknown): Read {
  const result = schema.safeParse(value);
  if (result.success) return { value: result.data, leaves: [] };
  return { value, leaves: result.error.issues.flatMap((issue) => leaves(issue, [], value)) };
}

function leaves(issue: Issue, above: Path, root: unknown): Leaf[] {
  const path = [
    ...above,
    ...issue.path.map((key) => (typeof key === 'symbol' ? String(key) : key)),
  ];
  if (issue.code !== 'invalid_union' || issue.errors.length === 0) return [{ issue, path }];
  const given = valueAt(root, path);
  const best = issue.errors
    .filter((branch) => !isOtherKind(branch, given))
    .sort((a, b) => weight(a) - weight(b))[0];
  return best ? best.flatMap((one) => leaves(one, path, root)) : [{ issue, path }];
}

/** Whether a branch is for values of another kind, such as a text where a list stands. */
function isOtherKind(branch: readonly Issue[], given: unknown): boolean {
  return branch.some((issue) => {
    if (issue.path.length > 0) return false;
    if (issue.code === 'invalid_value') return typeof given === 'object';
    if (issue.code !== 'invalid_union') return issue.code === 'invalid_type';
    return issue.errors.length > 0 && issue.errors.every((inner) => isOtherKind(inner, given));
  });
}

/** A branch with few faults, and faults further in, is nearer to what was meant. */
function weight(branch: readonly Issue[]): number {
  const unknown = branch.flatMap((one) =>
    one.code === 'unrecognized_keys' ? one.keys : [one.code],
  );
  return unknown.length;
}
