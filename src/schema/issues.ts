import type * as z from 'zod';
import { type Path, valueAt } from '../core/data/data.ts';
import { formatList } from '../core/text/format.ts';

export type Issue = z.core.$ZodIssue;

export interface Leaf {
  readonly issue: Issue;
  readonly path: Path;
}

export interface ValidationResult {
  /** The value, with defaults filled in if it's valid, or else as given. */
  readonly value: unknown;
  /** The issues; for a union, only issues from the most likely branch. */
  readonly leaves: readonly Leaf[];
}

export function validate(schema: z.ZodType, value: unknown): ValidationResult {
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
    .sort((a, b) => countMistakes(a) - countMistakes(b))[0];
  return best ? best.flatMap((one) => leaves(one, path, root)) : [{ issue, path }];
}

/** Whether a branch is for another kind of value, such as text instead of a list. */
function isOtherKind(branch: readonly Issue[], given: unknown): boolean {
  return branch.some((issue) => {
    if (issue.path.length > 0) return false;
    if (issue.code === 'invalid_value') return typeof given === 'object';
    if (issue.code !== 'invalid_union') return issue.code === 'invalid_type';
    return issue.errors.length > 0 && issue.errors.every((inner) => isOtherKind(inner, given));
  });
}

/** The number of mistakes. Each unknown key counts as one. */
export function countMistakes(issues: readonly Issue[]): number {
  return issues.flatMap((one) => (one.code === 'unrecognized_keys' ? one.keys : [one.code])).length;
}

/** The start of zod's own messages. */
const ZOD = /^Invalid (?:input|option)\b/;

/** Describes an issue: `Expected text, found a list.` */
export function sentenceOf(issue: Issue, given: unknown): string {
  if (issue.code === 'too_small' || issue.code === 'too_big') return boundSentence(issue, given);
  if (!ZOD.test(issue.message)) return `${issue.message.replace(/\.$/, '')}.`;
  const kinds = [...new Set(kindsIn(issue))];
  const expected = kinds.length === 0 ? 'something else' : formatList(kinds, 'or');
  const advice = lacksQuotes(issue, given) && given !== null ? ' Put it in quotes.' : '';
  return `Expected ${expected}, found ${foundOf(given)}.${advice}`;
}

/** The default code for an issue. */
export function codeOf(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
    case 'invalid_union':
      return 'wrong-type';
    case 'too_small':
    case 'too_big':
      return 'out-of-range';
    default:
      return 'wrong-value';
  }
}

function kindsIn(issue: Issue): string[] {
  if (issue.code === 'invalid_union') {
    return issue.errors.flatMap(([first]) => (first ? kindsIn(first) : []));
  }
  if (issue.code === 'invalid_value') return issue.values.map((value) => JSON.stringify(value));
  if (issue.code === 'invalid_type') return [KINDS[issue.expected] ?? issue.expected];
  return ['something else'];
}

const SPELLED = /^(?:-?(?:0|[1-9]\d*)(?:\.\d+)?|true|false)$/;

/** Booleans of YAML 1.1. */
const SWITCHES: Readonly<Record<string, boolean>> = { yes: true, on: true, no: false, off: false };

/** The number or boolean that text contains, if one was expected: `"0.5"`, `yes`. */
export function plainValue(issue: Issue, given: unknown): unknown {
  if (typeof given !== 'string') return undefined;
  const value: unknown = SPELLED.test(given) ? JSON.parse(given) : SWITCHES[given.toLowerCase()];
  const fits = typesIn(issue).some(
    (type) => type === typeof value || (type === 'int' && Number.isInteger(value)),
  );
  return fits ? value : undefined;
}

/** Whether a value would need quotes to be the expected text: `42`, `true`. */
export function lacksQuotes(issue: Issue, given: unknown): boolean {
  const types = typesIn(issue);
  const kind = given === null ? 'null' : typeof given;
  const isPlain = ['number', 'boolean', 'null'].includes(kind);
  return isPlain && types.includes('string') && !types.includes(kind);
}

function typesIn(issue: Issue): string[] {
  if (issue.code === 'invalid_union')
    return issue.errors.flatMap((errors) => errors.flatMap(typesIn));
  return issue.code === 'invalid_type' ? [issue.expected] : [];
}

const KINDS: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  tuple: 'a list',
  object: 'a mapping',
  record: 'a mapping',
  null: 'nothing',
};

function foundOf(given: unknown): string {
  if (given === null || given === undefined) return 'nothing';
  if (Array.isArray(given)) return 'a list';
  if (typeof given === 'object') return 'a mapping';
  return typeof given === 'string' ? (given === '' ? 'empty text' : 'text') : String(given);
}

type BoundIssue = Extract<Issue, { code: 'too_small' | 'too_big' }>;

/** `Expected at most 10, found 12.`, `Expected at least 1 item, found 0.` */
function boundSentence(issue: BoundIssue, given: unknown): string {
  const [bound, inclusive, exclusive] =
    issue.code === 'too_small'
      ? [issue.minimum, 'at least', 'more than']
      : [issue.maximum, 'at most', 'less than'];
  const limit = `${issue.inclusive === false ? exclusive : inclusive} ${bound}`;
  const size = typeof given === 'string' || Array.isArray(given) ? given.length : given;
  const unit = UNITS[issue.origin];
  if (given === '') return 'Expected text, found empty text.';
  const counted = unit === undefined ? '' : ` ${unit}${Number(bound) === 1 ? '' : 's'}`;
  return `Expected ${limit}${counted}, found ${size}.`;
}

const UNITS: Readonly<Record<string, string>> = { string: 'character', array: 'item', set: 'item' };
