import type * as z from 'zod';
import { assertionTypes, findAssertionType } from '../assertions/registry.ts';
import { nearest } from '../core/closest.ts';
import { type Path, valueAt } from '../core/data.ts';
import type { Fix, Problem } from '../core/problem.ts';
import { rivalSentence, rivalType } from '../evalfile/rivalNames.ts';
import type { YamlDocument } from '../yaml/yamlDocument.ts';
import { asMeant, documentAsMeant, type Meant, type Misspelt, pathAsWritten } from './misspelt.ts';
import { type Issue, kindOf, type Leaf } from './schemaIssues.ts';
import { keysAt, valuesAt } from './schemaWalk.ts';

/** What zod found, as problems with exact places. `base` is where `value` stands in the document. */
export function schemaProblems(
  schema: z.ZodType,
  value: unknown,
  document: YamlDocument,
  base: Path,
): Problem[] {
  return problemsOfMeant(schema, asMeant(schema, value), document, base);
}

/** As `schemaProblems`, of a value that was read already. */
export function problemsOfMeant(
  schema: z.ZodType,
  { value, misspelt, leaves }: Meant,
  document: YamlDocument,
  base: Path,
): Problem[] {
  const placed = misspelt.map((one) => ({ ...one, owner: [...base, ...one.owner] }));
  const context = { schema, value, document: documentAsMeant(document, placed), base };
  return [
    ...placed.map((one) => misspeltProblem(one, document, placed)),
    ...leaves
      .filter(({ path }) => !misspelt.some((one) => stands(path, one)))
      .flatMap((leaf) => problemsOf(leaf, context)),
  ];
}

/** A key that was only guessed at says nothing about its value. */
function stands(path: Path, { owner, meant }: Misspelt): boolean {
  return path.length === owner.length + 1 && [...owner, meant].every((key, at) => key === path[at]);
}

function misspeltProblem(
  { owner, written, meant, others, rival }: Misspelt,
  document: YamlDocument,
  all: readonly Misspelt[],
): Problem {
  const place = [...pathAsWritten(owner, all), written];
  return {
    code: 'unknown-key',
    message: rival
      ? rivalSentence(written, { tool: rival, meant })
      : `There is no key "${written}" here. Did you mean "${meant}"?`,
    severity: 'error',
    path: document.path,
    range: document.keyRangeOf(place),
    replacement: meant,
    fix: { remove: place, ...(others.length > 0 && { alternatives: others }) },
  };
}

interface Context {
  readonly schema: z.ZodType;
  readonly value: unknown;
  readonly document: YamlDocument;
  readonly base: Path;
}

function problemsOf(leaf: Leaf, context: Context): Problem[] {
  const { issue, path } = leaf;
  const { schema, value, document, base } = context;
  const place = [...base, ...path];
  const last = path.at(-1);
  const owner = valueAt(value, path.slice(0, -1));
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => strangerProblem(key, path, context));
  }
  if (typeof last === 'string' && !Object.hasOwn(Object(owner), last)) {
    return [missingProblem(last, path, context)];
  }
  const given = valueAt(value, path);
  const choices = valuesAt(schema, value, path).map((one) => one.value);
  const unknown =
    issue.code === 'invalid_value' || (issue.code === 'invalid_union' && issue.errors.length === 0);
  if (unknown && typeof given === 'string' && choices.length > 0) {
    return [wrongChoice(given, choices, path, context)];
  }
  const range = document.rangeOf(place);
  return [problem(codeOf(issue), `${sentence(issue, given)}.`, range, document)];
}

function strangerProblem(key: string, path: Path, { schema, value, document, base }: Context) {
  const free = keysAt(schema, value, path)
    .map(({ name }) => name)
    .filter((name) => !Object.hasOwn(Object(valueAt(value, path)), name));
  const hint = free.length > 0 ? ` Keys that can stand here: ${free.join(', ')}.` : '';
  const place = [...base, ...path, key];
  const message = `There is no key "${key}" here.${hint}`;
  return problem('unknown-key', message, document.keyRangeOf(place), document, {
    fix: { remove: place },
  });
}

function missingProblem(key: string, path: Path, { schema, value, document, base }: Context) {
  const choices = valuesAt(schema, value, path).map((one) => one.value);
  const hint = choices.length > 0 ? ` It is one of ${choices.join(', ')}.` : '';
  const to = [...base, ...path.slice(0, -1)];
  const message = `The key "${key}" is missing.${hint}`;
  return problem('missing-key', message, document.keyRangeOf(to), document, {
    fix: { add: { to, key } },
  });
}

function wrongChoice(
  given: string,
  choices: readonly string[],
  path: Path,
  { document, base }: Context,
): Problem {
  const last = path.at(-1);
  const isType = last === 'type' || last === 'provider';
  const range = document.rangeOf([...base, ...path]);
  const code = isType ? `unknown-${last}` : 'wrong-value';
  // The keys beside it may be another tool's as well and rule out what is meant.
  const all = choices.some((one) => findAssertionType(one)) ? assertionTypes : [];
  const rival =
    last === 'type'
      ? (rivalType(given, choices) ??
        rivalType(
          given,
          all.map(({ type }) => type),
        ))
      : undefined;
  if (rival) {
    const { meant, beside } = rival;
    return problem(code, rivalSentence(given, rival), range, document, {
      replacement: meant,
      ...(beside && { fix: { beside: { to: [...base, ...path.slice(0, -1)], keys: beside } } }),
    });
  }
  const [meant, ...alternatives] = nearest(given, choices);
  const hint = meant === undefined ? `Known: ${choices.join(', ')}.` : `Did you mean "${meant}"?`;
  const message = isType
    ? `There is no ${last} "${given}". ${hint}`
    : `"${given}" cannot stand here. ${hint}`;
  return problem(code, message, range, document, {
    ...(meant !== undefined && { replacement: meant }),
    ...(alternatives.length > 0 && { fix: { alternatives } }),
  });
}

function problem(
  code: string,
  message: string,
  range: Problem['range'],
  { path }: YamlDocument,
  details: { readonly replacement?: string; readonly fix?: Fix } = {},
): Problem {
  return { code, message, severity: 'error', path, range, ...details };
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

function article(kind: string): string {
  return kind === 'nothing' ? kind : `a ${kind}`;
}
