import type * as z from 'zod';
import { closest } from '../core/closest.ts';
import type { Problem } from '../core/problem.ts';
import { keysAt, valuesAt } from './schemaWalk.ts';
import type { Path, YamlDocument } from './yamlDocument.ts';

type Issue = z.core.$ZodIssue;

/** What zod found, as problems with exact places. `base` is where `value` stands in the document. */
export function schemaProblems(
  schema: z.ZodType,
  value: unknown,
  document: YamlDocument,
  base: Path,
): Problem[] {
  const result = schema.safeParse(value);
  if (result.success) return [];
  const context = { schema, value, document, base };
  return result.error.issues
    .flatMap((issue) => leaves(issue, [], value))
    .flatMap((leaf) => problemsOf(leaf, context));
}

interface Leaf {
  readonly issue: Issue;
  readonly path: Path;
}

interface Context {
  readonly schema: z.ZodType;
  readonly value: unknown;
  readonly document: YamlDocument;
  readonly base: Path;
}

/** Looks into unions: of the branches, the one that the value was most likely meant for speaks. */
function leaves(issue: Issue, above: Path, root: unknown): Leaf[] {
  const path = [
    ...above,
    ...issue.path.map((key) => (typeof key === 'symbol' ? String(key) : key)),
  ];
  if (issue.code !== 'invalid_union' || issue.errors.length === 0) return [{ issue, path }];
  const kind = kindOf(at(root, path));
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

function problemsOf({ issue, path }: Leaf, { schema, value, document, base }: Context): Problem[] {
  const place = [...base, ...path];
  const make = (code: string, message: string, range: Problem['range'], replacement?: string) => [
    {
      code,
      message,
      severity: 'error' as const,
      path: document.path,
      range,
      ...(replacement !== undefined && { replacement }),
    },
  ];
  if (issue.code === 'unrecognized_keys') {
    const known = keysAt(schema, value, path).map(({ name }) => name);
    const free = known.filter((key) => !Object.hasOwn(Object(at(value, path)), key));
    return issue.keys.flatMap((key) => {
      const meant = closest(key, free);
      const hint = meant
        ? `Did you mean "${meant}"?`
        : `Keys that can stand here: ${free.join(', ')}.`;
      return make(
        'unknown-key',
        `There is no key "${key}" here. ${hint}`,
        document.keyRangeOf([...place, key]),
        meant,
      );
    });
  }
  const last = path.at(-1);
  const owner = at(value, path.slice(0, -1));
  if (last !== undefined && typeof last === 'string' && !Object.hasOwn(Object(owner), last)) {
    const near = closestKey(
      last,
      owner,
      keysAt(schema, value, path.slice(0, -1)).map(({ name }) => name),
    );
    // A misspelt key is told at the key itself.
    if (near) return [];
    const choices = valuesAt(schema, value, path).map((one) => one.value);
    const hint = choices.length > 0 ? ` It is one of ${choices.join(', ')}.` : '';
    return make(
      'missing-key',
      `The key "${last}" is missing.${hint}`,
      document.keyRangeOf(place.slice(0, -1)),
    );
  }
  const given = at(value, path);
  const choices = valuesAt(schema, value, path).map((one) => one.value);
  const unknown =
    issue.code === 'invalid_value' || (issue.code === 'invalid_union' && issue.errors.length === 0);
  if (unknown && typeof given === 'string' && choices.length > 0) {
    const meant = closest(given, choices);
    const hint = meant ? `Did you mean "${meant}"?` : `Known: ${choices.join(', ')}.`;
    const isType = last === 'type' || last === 'provider';
    const message = isType
      ? `There is no ${last} "${given}". ${hint}`
      : `"${given}" cannot stand here. ${hint}`;
    return make(
      isType ? `unknown-${last}` : 'wrong-value',
      message,
      document.rangeOf(place),
      meant,
    );
  }
  return make(codeOf(issue), `${sentence(issue, given)}.`, document.rangeOf(place));
}

function closestKey(key: string, owner: unknown, known: readonly string[]): string | undefined {
  const strangers = Object.keys(Object(owner)).filter((one) => !known.includes(one));
  return closest(key, strangers) ?? strangers.find((stranger) => closest(stranger, [key]));
}

function codeOf(issue: Issue): string {
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

function sentence(issue: Issue, given: unknown): string {
  if (issue.code === 'invalid_type') {
    return `Here must stand ${NAMES[issue.expected] ?? issue.expected}, not ${article(kindOf(given))}`;
  }
  if (issue.code === 'too_small' || issue.code === 'too_big') return rangeSentence(issue);
  return issue.message.replace(/\.$/, '');
}

type RangeIssue = Extract<Issue, { code: 'too_small' | 'too_big' }>;

/** `The number must be at most 10`, `At least 1 item must stand here`. */
function rangeSentence(issue: RangeIssue): string {
  const small = issue.code === 'too_small';
  const bound = small ? issue.minimum : issue.maximum;
  const limit = `${small ? 'at least' : 'at most'} ${bound}`;
  switch (issue.origin) {
    case 'string':
      return bound === 1n || bound === 1
        ? 'Here must stand a text that is not empty'
        : `The text must have ${limit} characters`;
    case 'array':
    case 'set':
      return `Here must stand ${limit} item${Number(bound) === 1 ? '' : 's'}`;
    default:
      return issue.inclusive === false
        ? `The number must be ${small ? 'greater' : 'less'} than ${bound}`
        : `The number must be ${limit}`;
  }
}

const NAMES: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a mapping',
  record: 'a mapping',
  null: 'nothing',
};

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'list';
  if (typeof value === 'number' && !Number.isFinite(value)) return 'number without end or value';
  return typeof value === 'object' ? 'mapping' : typeof value === 'string' ? 'text' : typeof value;
}

function article(kind: string): string {
  return kind === 'nothing' ? kind : `a ${kind}`;
}

function at(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((inner, key) => Reflect.get(Object(inner), key), value);
}
