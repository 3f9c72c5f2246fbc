import type * as z from 'zod';
import {
  isMapping,
  mappingOf,
  type Path,
  samePath,
  stringOf,
  uniqueBy,
  valueAt,
  withValueAt,
} from '../core/data/data.ts';
import { LIMITS } from '../core/limits.ts';
import { errorAt, type Fix, type Problem, type Range, suggestionsOf } from '../core/problem.ts';
import { nearest } from '../core/text/closest.ts';
import { quoteFix, spaceFix } from '../yaml/quoting.ts';
import type { YamlDocument } from '../yaml/yamlDocument.ts';
import { codeOf, type Issue, type Leaf, lacksQuotes, plainValue, sentenceOf } from './issues.ts';
import {
  type CorrectedValue,
  colonTextAt,
  correctKeys,
  type ForeignNames,
  type MisspelledKey,
  missingKey,
  pathAsWritten,
} from './misspelled.ts';
import { keysAt, schemasAt, valuesAt } from './schemaWalk.ts';

export interface ValueProblem {
  /** The problem's path, relative to the value. */
  readonly path: Path;
  /** Whether the problem is with the key at `path`, rather than its value. */
  readonly onKey?: boolean;
  readonly code: string;
  readonly message: string;
  readonly replacement?: string;
  /** Set if the value or entry is text that lacks quotes. */
  readonly unquoted?: 'value' | 'entry';
  /** Number of characters in the key before the missing space. */
  readonly blankAfter?: number;
  /** A fix, whose paths are relative to the value. */
  readonly fix?: Fix;
  /** The path under which `Missing` describes the problem. */
  readonly missing?: Path;
}

/** Problems with missing or empty keys, by path without indexes, such as `tool_calls.function.name`. */
export type Missing = Readonly<Record<string, readonly [code: string, message: string]>>;

interface Vocabulary {
  readonly foreign?: ForeignNames;
  readonly missing?: Missing;
}

/** A value's problems. A misspelled key isn't also reported as missing. */
export function valueProblems(
  schema: z.ZodType,
  value: unknown,
  vocabulary: Vocabulary = {},
): ValueProblem[] {
  return problemsOfCorrected(schema, correctKeys(schema, value, vocabulary.foreign), vocabulary);
}

/** Like `valueProblems`, for a corrected value. */
export function problemsOfCorrected(
  schema: z.ZodType,
  { value, misspelled, leaves }: CorrectedValue,
  vocabulary: Vocabulary = {},
): ValueProblem[] {
  const reading: Reading = { schema, value, misspelled, ...vocabulary };
  // The value of a guessed key may be valid for the key that the author meant.
  const sure = leaves.filter(
    ({ path }) => !misspelled.some(({ owner, meant }) => samePath(path, [...owner, meant])),
  );
  const problems = sure.flatMap((leaf, index): ValueProblem[] => {
    if (index < LIMITS.problems) return problemsOf(leaf, reading);
    // These issues are only counted.
    return [{ path: leaf.path, code: 'bad-value', message: leaf.issue.message }];
  });
  return [
    ...misspelled.map((one) => misspelledProblem(one, misspelled)),
    ...uniqueBy(problems, (one) => (one.code === 'colon-in-text' ? one.path.join('/') : one)),
  ];
}

function misspelledProblem(one: MisspelledKey, all: readonly MisspelledKey[]): ValueProblem {
  const { owner, written, meant, why } = one;
  const path = [...pathAsWritten(owner, all), written];
  const others = why.kind === 'near' ? why.others : [];
  const { instead: keys, without, isMisplaced } = why.kind === 'foreign' ? why.name : {};
  if (why.kind === 'glued') {
    return { ...unknownKey(path, messageOf(one), []), blankAfter: meant.length + 1 };
  }
  const to = path.slice(0, -1);
  const { fix, ...problem } = unknownKey(
    path,
    messageOf(one),
    keys || isMisplaced ? [] : [meant, ...others],
  );
  if (isMisplaced) return { ...problem, fix: { remove: to } };
  if (without !== undefined) return { ...problem, fix: { beside: { to, without } } };
  return keys
    ? { ...problem, fix: { ...fix, instead: { path, keys } } }
    : { ...problem, ...(fix && { fix }) };
}

function messageOf({ written, meant, why }: MisspelledKey): string {
  switch (why.kind) {
    case 'near':
      return `Unknown key "${written}". Did you mean "${meant}"?`;
    case 'foreign':
      return why.name.message;
    case 'glued':
      return `Put a space after "${meant}:".`;
    case 'only':
      return `\`${written}\` is \`${meant}\` here.`;
    default:
      return why satisfies never;
  }
}

/** An unknown key, with the most likely correction. */
export function unknownKeyProblem(
  owner: Path,
  written: string,
  free: readonly string[],
): ValueProblem {
  const meant = nearest(written, free);
  const known = free.length > 0 ? ` Known keys here: ${free.join(', ')}.` : '';
  const hint = meant.length > 0 ? ` Did you mean "${meant[0]}"?` : known;
  return unknownKey([...owner, written], `Unknown key "${written}".${hint}`, meant);
}

function unknownKey(path: Path, message: string, meant: readonly string[]): ValueProblem {
  const { fix, ...first } = suggestionsOf(meant);
  const problem = { path, onKey: true, code: 'unknown-key', message };
  return { ...problem, ...first, fix: { remove: path, ...fix } };
}

interface Reading extends Vocabulary {
  readonly schema: z.ZodType;
  readonly value: unknown;
  readonly misspelled: readonly MisspelledKey[];
}

function problemsOf({ issue, path }: Leaf, reading: Reading): ValueProblem[] {
  const { schema, value, misspelled, missing, foreign } = reading;
  const writtenPath = pathAsWritten(path, misspelled);
  const text = colonTextAt(schema, value, path, foreign);
  if (text) {
    const message = `YAML reads "${text.key}:" as a key. Put the whole text in quotes.`;
    const entry = [...pathAsWritten(text.path, misspelled), text.key];
    return [{ path: entry, onKey: true, code: 'colon-in-text', message, unquoted: 'entry' }];
  }
  if (issue.code === 'unrecognized_keys') {
    const free = keysAt(schema, value, path)
      .map(({ name }) => name)
      .filter((name) => missingKey(value, [...path, name]) !== undefined);
    return issue.keys.map((key) => {
      const message = foreign?.adviceOn(key);
      return message === undefined
        ? unknownKeyProblem(writtenPath, key, free)
        : unknownKey([...writtenPath, key], message, []);
    });
  }
  if (issue.code === 'invalid_key') {
    const [inner = issue] = issue.issues;
    const message = sentenceOf(inner as Issue, path.at(-1));
    return [{ path: writtenPath, onKey: true, code: 'wrong-value', message }];
  }
  const given = valueAt(value, path);
  const words = missing?.[path.filter((step) => typeof step === 'string').join('.')];
  if (words && (given === undefined || given === null || given === '')) {
    const [code, message] = words;
    const owner = writtenPath.slice(0, path.findLastIndex((step) => typeof step === 'number') + 1);
    return [{ path: owner, code, message, missing: writtenPath }];
  }
  const key = missingKey(value, path);
  const choices = valuesAt(schema, value, path).map((one) => one.value);
  if (key !== undefined) {
    const siblings = Object.keys(mappingOf(valueAt(value, path.slice(0, -1))));
    return [missingProblem(writtenPath.slice(0, -1), key, choices, siblings)];
  }
  const choice = wrongChoice(writtenPath, given, choices, reading);
  // With `invalid_format`, other strings are also allowed, such as `2-6` in addition to `last`.
  const isFormat = issue.code === 'invalid_format';
  if (choice && (isChoice(issue) || (isFormat && choice.replacement))) return [choice];
  const code = codeOf(issue);
  const last = path.at(-1);
  const meant = foreign?.ofKind(given, String(last));
  if (meant) {
    const keys = { [String(last)]: meant.meant };
    const fix = { instead: { path: writtenPath, keys, guessed: true as const } };
    return [{ path: writtenPath, code, message: meant.message, fix }];
  }
  const problem = {
    path: writtenPath,
    code,
    message: sentenceOf(issue, given),
    ...(lacksQuotes(issue, given) && { unquoted: 'value' as const }),
  };
  if (typeof last !== 'string') return [problem];
  if (given === null) {
    return [{ ...problem, fix: { add: { to: writtenPath.slice(0, -1), key: last } } }];
  }
  if (isItem(schema, value, path)) {
    const message = `${problem.message} Make it an item of a list.`;
    return [{ ...problem, message, fix: { item: writtenPath } }];
  }
  const plain = plainValue(issue, given);
  if (plain === undefined) return [problem];
  const message =
    stringOf(plain) === given
      ? `${problem.message.replace(/\.$/, '')} in quotes.`
      : `${problem.message} Did you mean ${stringOf(plain)}?`;
  const fix = { instead: { path: writtenPath, keys: { [last]: plain } } };
  return [{ ...problem, message, fix }];
}

/** Whether a value would be valid as the only item of a list. A mapping by name isn't one. */
function isItem(schema: z.ZodType, value: unknown, path: Path): boolean {
  const given = valueAt(value, path);
  if (isMapping(given) && Object.values(given).every(isMapping)) return false;
  const wrapped = withValueAt(value, path, (one) => [one]);
  return schemasAt(schema, wrapped, path).some(
    (one) => (one as z.ZodType).safeParse([given]).success,
  );
}

/** @param siblings existing keys; one of them may be the value: `- contains: x` */
function missingProblem(
  owner: Path,
  key: string,
  choices: readonly string[],
  siblings: readonly string[],
): ValueProblem {
  const meant = choices.find((choice) => siblings.includes(choice));
  const known = choices.length > 0 ? ` Expected one of ${choices.join(', ')}.` : '';
  const hint = meant === undefined ? known : ` Write \`${key}: ${meant}\`.`;
  const message = `Missing key "${key}".${hint}`;
  const fix = { add: { to: owner, key } };
  return { path: owner, onKey: true, code: 'missing-key', message, fix };
}

function isChoice(issue: Issue): boolean {
  return (
    issue.code === 'invalid_value' || (issue.code === 'invalid_union' && issue.errors.length === 0)
  );
}

function wrongChoice(
  path: Path,
  given: unknown,
  choices: readonly string[],
  { foreign }: Reading,
): ValueProblem | undefined {
  if (typeof given !== 'string' || choices.length === 0) return undefined;
  const key = String(path.at(-1));
  const named = key === 'type' || key === 'provider';
  const code = named ? `unknown-${key}` : 'wrong-value';
  const name = foreign?.ofValue(given, key, choices);
  if (name) {
    const { meant, message, beside: keys, rename } = name;
    const fix = (keys || rename) && {
      beside: { to: path.slice(0, -1), ...(keys && { keys }), ...(rename && { rename }) },
    };
    return { path, code, message, replacement: meant, ...(fix && { fix }) };
  }
  const near = nearest(given, choices);
  const [meant] = near;
  const hint = meant === undefined ? `Known: ${choices.join(', ')}.` : `Did you mean "${meant}"?`;
  const message = `Unknown ${named ? key : 'value'} "${given}". ${hint}`;
  return { path, code, message, ...suggestionsOf(near) };
}

/** A problem with an inner value, with its paths relative to an outer one. */
export function problemUnder<Under extends ValueProblem>(base: Path, problem: Under): Under {
  if (base.length === 0) return problem;
  const { path, fix, missing } = problem;
  return {
    ...problem,
    path: [...base, ...path],
    ...(fix && { fix: fixUnder(base, fix) }),
    ...(missing && { missing: [...base, ...missing] }),
  };
}

function fixUnder(base: Path, fix: Fix): Fix {
  const { remove, add, beside, instead, item } = fix;
  return {
    ...fix,
    ...(remove && { remove: [...base, ...remove] }),
    ...(item && { item: [...base, ...item] }),
    ...(add && { add: { ...add, to: [...base, ...add.to] } }),
    ...(instead && { instead: { ...instead, path: [...base, ...instead.path] } }),
    ...(beside && { beside: { ...beside, to: [...base, ...beside.to] } }),
  };
}

/** @param base the value's path in the document */
export function locateProblem(problem: ValueProblem, document: YamlDocument, base: Path): Problem {
  const { path, onKey, unquoted, blankAfter, ...found } = problemUnder(base, problem);
  const { fix: known, missing: _, code, message, ...rest } = found;
  const range = onKey ? document.keyRangeOf(path) : document.rangeOf(path);
  const quote = unquoted && bareRange(document, path, unquoted);
  const { offsetAt, positionAt } = document;
  const fix = {
    ...known,
    ...(quote && quoteFix(document.text.slice(offsetAt(quote.start), offsetAt(quote.end)), quote)),
    ...(blankAfter !== undefined && spaceFix(positionAt(offsetAt(range.start) + blankAfter))),
  };
  return {
    ...errorAt(document.path, quote ?? range, code, message),
    ...rest,
    ...(Object.keys(fix).length > 0 && { fix }),
  };
}

/** The range of unquoted text on one line; undefined for any other value. */
function bareRange(document: YamlDocument, path: Path, what: 'value' | 'entry'): Range | undefined {
  const last = document.scalarAt(path);
  const first = what === 'entry' ? document.scalarAt(path, 'key') : last;
  if (!first || !last || first.start === last.end) return undefined;
  const range = document.rangeOfOffsets(first.start, last.end);
  const whole = what === 'entry' ? document.rangeOf(path.slice(0, -1)) : range;
  const isBare = document.offsetAt(whole.start) === first.start;
  return isBare && range.start.line === range.end.line ? range : undefined;
}
