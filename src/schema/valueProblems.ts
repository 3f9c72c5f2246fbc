import type * as z from 'zod';
import { nearest } from '../core/closest.ts';
import { type Path, valueAt } from '../core/data.ts';
import type { Fix } from '../core/problem.ts';
import type { ForeignNames } from './foreignNames.ts';
import type { Issue, Leaf } from './leaves.ts';
import { asMeant, type Meant, type Misspelt, missingKey, pathAsWritten } from './misspelt.ts';
import { keysAt, valuesAt } from './schemaWalk.ts';
import { codeOf, sentenceOf } from './sentences.ts';

/** Something wrong with a value. */
export interface ValueProblem {
  /** From the value. */
  readonly path: Path;
  /** True puts it on the key at `path`, not on its value. */
  readonly onKey?: boolean;
  readonly code: string;
  /** A sentence. */
  readonly message: string;
  readonly replacement?: string;
  /** Its paths lead from the value. */
  readonly fix?: Fix;
}

/**
 * What is said of a mapping in which a key is missing or empty, by the keys that lead to it:
 * `tool_calls.function.name` is the name of any call.
 */
export type Missing = Readonly<Record<string, readonly [code: string, message: string]>>;

export interface Vocabulary {
  readonly foreign?: ForeignNames;
  readonly missing?: Missing;
}

/** What a schema finds wrong with a value; a misspelt key is told as such, not as missing as well. */
export function valueProblems(
  schema: z.ZodType,
  value: unknown,
  vocabulary: Vocabulary = {},
): ValueProblem[] {
  return problemsOfMeant(schema, asMeant(schema, value, vocabulary.foreign), vocabulary);
}

/** As `valueProblems`, of a value that was read already. */
export function problemsOfMeant(
  schema: z.ZodType,
  { value, misspelt, leaves }: Meant,
  vocabulary: Vocabulary = {},
): ValueProblem[] {
  const reading: Reading = { schema, value, misspelt, ...vocabulary };
  return [
    ...misspelt.map((one) => misspeltProblem(one, misspelt)),
    ...leaves
      .filter(({ path }) => !misspelt.some((one) => isGuess(path, one)))
      .flatMap((leaf) => problemsOf(leaf, reading)),
  ];
}

/** A key that was only guessed at says nothing about its value. */
function isGuess(path: Path, { owner, meant }: Misspelt): boolean {
  return path.length === owner.length + 1 && [...owner, meant].every((key, at) => key === path[at]);
}

function misspeltProblem(one: Misspelt, all: readonly Misspelt[]): ValueProblem {
  const { owner, written, meant, why } = one;
  const others = why.kind === 'near' ? why.others : [];
  return unknownKey([...pathAsWritten(owner, all), written], messageOf(one), [meant, ...others]);
}

function messageOf({ written, meant, why }: Misspelt): string {
  switch (why.kind) {
    case 'near':
      return `Unknown key "${written}". Did you mean "${meant}"?`;
    case 'foreign':
      return why.name.message;
    case 'only':
      return `\`${written}\` is \`${meant}\` here.`;
    default:
      return why satisfies never;
  }
}

/** A key that its mapping does not know, with the one that was most likely meant. */
export function strangerProblem(
  owner: Path,
  written: string,
  free: readonly string[],
): ValueProblem {
  const meant = nearest(written, free);
  const known = free.length > 0 ? ` Known keys here: ${free.join(', ')}.` : '';
  const hint = meant.length > 0 ? ` Did you mean "${meant[0]}"?` : known;
  return unknownKey([...owner, written], `Unknown key "${written}".${hint}`, meant);
}

function unknownKey(
  path: Path,
  message: string,
  [replacement, ...alternatives]: readonly string[],
): ValueProblem {
  return {
    path,
    onKey: true,
    code: 'unknown-key',
    message,
    ...(replacement !== undefined && { replacement }),
    fix: { remove: path, ...(alternatives.length > 0 && { alternatives }) },
  };
}

interface Reading extends Vocabulary {
  readonly schema: z.ZodType;
  readonly value: unknown;
  readonly misspelt: readonly Misspelt[];
}

function problemsOf({ issue, path }: Leaf, reading: Reading): ValueProblem[] {
  const { schema, value, misspelt, missing } = reading;
  const place = pathAsWritten(path, misspelt);
  if (issue.code === 'unrecognized_keys') {
    const free = keysAt(schema, value, path)
      .map(({ name }) => name)
      .filter((name) => missingKey(value, [...path, name]) !== undefined);
    return issue.keys.map((key) => strangerProblem(place, key, free));
  }
  const given = valueAt(value, path);
  const words = missing?.[path.filter((step) => typeof step === 'string').join('.')];
  if (words && (given === undefined || given === null || given === '')) {
    const [code, message] = words;
    return [{ path: place.slice(0, lastIndex(path) + 1), code, message }];
  }
  const key = missingKey(value, path);
  const choices = valuesAt(schema, value, path).map((one) => one.value);
  if (key !== undefined) return [missingProblem(place.slice(0, -1), key, choices)];
  if (isChoice(issue) && typeof given === 'string' && choices.length > 0) {
    return [wrongChoice(place, given, choices, reading)];
  }
  return [{ path: place, code: codeOf(issue), message: sentenceOf(issue, given) }];
}

/** Where the innermost list's item stands in a path; -1 where it leads through no list. */
function lastIndex(path: Path): number {
  return path.findLastIndex((step) => typeof step === 'number');
}

function missingProblem(owner: Path, key: string, choices: readonly string[]): ValueProblem {
  const hint = choices.length > 0 ? ` It is one of ${choices.join(', ')}.` : '';
  const message = `The key "${key}" is missing.${hint}`;
  const fix = { add: { to: owner, key } };
  return { path: owner, onKey: true, code: 'missing-key', message, fix };
}

/** Whether one of several values was to be chosen. */
function isChoice(issue: Issue): boolean {
  return (
    issue.code === 'invalid_value' || (issue.code === 'invalid_union' && issue.errors.length === 0)
  );
}

function wrongChoice(
  path: Path,
  given: string,
  choices: readonly string[],
  { foreign }: Reading,
): ValueProblem {
  const key = String(path.at(-1));
  const named = key === 'type' || key === 'provider';
  const code = named ? `unknown-${key}` : 'wrong-value';
  const name = foreign?.ofValue(given, key, choices);
  if (name) {
    const { meant, message, beside } = name;
    return {
      path,
      code,
      message,
      replacement: meant,
      ...(beside && { fix: { beside: { to: path.slice(0, -1), keys: beside } } }),
    };
  }
  const [meant, ...alternatives] = nearest(given, choices);
  const hint = meant === undefined ? `Known: ${choices.join(', ')}.` : `Did you mean "${meant}"?`;
  return {
    path,
    code,
    message: `Unknown ${named ? key : 'value'} "${given}". ${hint}`,
    ...(meant !== undefined && { replacement: meant }),
    ...(alternatives.length > 0 && { fix: { alternatives } }),
  };
}
