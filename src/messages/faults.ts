import type * as z from 'zod';
import { closest } from '../core/closest.ts';
import { type Path, valueAt } from '../core/data.ts';
import type { Item, MessageProblem } from './dialect.ts';
import { unknownKey } from './keys.ts';

/** What it is called where a key is missing or empty: `name` or `function.name` → code, sentence. */
export type Missing = Readonly<Record<string, readonly [code: string, message: string]>>;

type Issue = z.core.$ZodIssue;

/**
 * What a closed schema finds wrong with a mapping, each fault once: a misspelt key is told as such,
 * not as missing as well.
 */
export function faultsOf(
  item: Item,
  schema: z.ZodObject,
  what: string,
  missing: Missing = {},
): MessageProblem[] {
  const read = schema.safeParse(item);
  if (read.success) return [];
  const unknown = read.error.issues.flatMap((issue) => unknownKeys(issue, item, schema, what));
  const meant = new Set(
    unknown.map(({ path, replacement }) => said([...path.slice(0, -1), replacement ?? ''])),
  );
  const others = read.error.issues
    .filter(({ code }) => code !== 'unrecognized_keys')
    .flatMap((issue) => {
      const path = steps(issue);
      return meant.has(said(path)) ? [] : [faultOf(issue, path, item, what, missing)];
    });
  return [...unknown, ...others];
}

function unknownKeys(
  issue: Issue,
  item: Item,
  schema: z.ZodObject,
  what: string,
): MessageProblem[] {
  if (issue.code !== 'unrecognized_keys') return [];
  const path = steps(issue);
  const known = Object.keys(objectAt(schema, path)?.shape ?? {});
  const owner = Object(valueAt(item, path));
  const place = path.length === 0 ? what : `\`${said(path)}\``;
  return issue.keys.map((key) => unknownKey(key, known, place, path, owner));
}

function faultOf(
  issue: Issue,
  path: Path,
  item: Item,
  what: string,
  missing: Missing,
): MessageProblem {
  const field = said(path);
  const given = valueAt(item, path);
  const words = missing[field];
  if (words && (given === undefined || given === null || given === '')) {
    return { path: [], code: words[0], message: words[1] };
  }
  if (given === undefined) {
    const message = `The key "${field}" is missing in ${what}.`;
    return { path: path.slice(0, -1), code: 'missing-key', message };
  }
  if (issue.code === 'invalid_value') {
    const meant = typeof given === 'string' ? closest(given, issue.values.map(String)) : undefined;
    const values = issue.values.map((value) => JSON.stringify(value)).join(', ');
    const message = `\`${field}\` must be ${issue.values.length > 1 ? 'one of ' : ''}${values}.`;
    return { path, code: 'wrong-value', message, ...(meant && { replacement: meant }) };
  }
  return { path, code: 'wrong-type', message: `\`${field}\` must be ${kindsOf(issue)}.` };
}

const KINDS: Readonly<Record<string, string>> = {
  string: 'a text',
  array: 'a list',
  object: 'a mapping',
  record: 'a mapping',
  boolean: 'true or false',
  number: 'a number',
  null: 'null',
};

/** `a text or a mapping`. */
function kindsOf(issue: Issue): string {
  if (issue.code === 'too_small') return 'a text that is not empty';
  if (issue.code === 'invalid_type') return KINDS[issue.expected] ?? issue.expected;
  if (issue.code !== 'invalid_union') return 'something else';
  const kinds = issue.errors.flatMap(([first]) => (first ? [kindsOf(first)] : []));
  return [...new Set(kinds)].join(' or ') || 'something else';
}

function steps(issue: Issue): Path {
  return issue.path.map((key) => (typeof key === 'symbol' ? String(key) : key));
}

function said(path: Path): string {
  return path.join('.');
}

interface Definition {
  readonly shape?: Readonly<Record<string, z.core.$ZodType>>;
  readonly innerType?: z.core.$ZodType;
  readonly element?: z.core.$ZodType;
}

/** The mapping's schema at a path of keys and places in lists. */
function objectAt(schema: z.core.$ZodType, path: Path): z.ZodObject | undefined {
  const { shape, innerType, element } = schema._zod.def as unknown as Definition;
  if (innerType) return objectAt(innerType, path);
  const [step, ...rest] = path;
  if (step === undefined) return shape ? (schema as z.ZodObject) : undefined;
  const inner = typeof step === 'number' ? element : shape?.[step];
  return inner && objectAt(inner, rest);
}
