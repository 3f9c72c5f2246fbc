import { basename } from 'node:path';
import { groupBy } from '../core/data/data.ts';
import { type CaseIdentity, caseKey } from '../core/identity.ts';
import { LIMITS } from '../core/limits.ts';
import type { Repetition } from '../core/record/repetitions.ts';
import { type CaseSummary, isIncluded } from '../core/record/runRecord.ts';
import { mean, median, SCORE_EPSILON } from '../core/scoring.ts';
import type { Work } from '../node/cooperative.ts';
import { type Evidence, evidenceOf, type Pair, type ResultInRun, resultOf } from './evidence.ts';

/** A case's execution, reduced to the data that comparing variants requires. */
export interface VariantLine
  extends CaseIdentity,
    Pick<Repetition, 'status' | 'score'>,
    Pick<CaseSummary, 'suite_name' | 'target_variant' | 'target_usage'> {
  readonly source: Pick<CaseSummary['source'], 'path'>;
  /** Milliseconds per reply. */
  readonly latencies?: readonly number[] | undefined;
}

/** Copies only the data that `compareVariants` needs. Undefined if the case can't be compared with a variant of it. */
export function variantLineOf(line: VariantLine): VariantLine | undefined {
  if (!line.target_variant && !isIncluded(line)) return undefined;
  const { suite, suite_name, id, variant, source, status, score } = line;
  const { target_variant, target_usage, latencies } = line;
  const own = { status, score, target_variant, target_usage, latencies };
  return { suite, suite_name, id, variant, source: { path: source.path }, ...own };
}

/**
 * The cases in a run that compare the same variants of a target, or suites that include the same file. Plain data.
 */
export interface VariantComparison {
  /** All variants' names, including those without results. */
  readonly of: readonly string[];
  /** The variants with results, in the file's order. */
  readonly variants: readonly VariantFacts[];
  /** How each of the other variants differs from the first one. */
  readonly differences: readonly VariantDifference[];
}

export interface VariantFacts {
  readonly name: string;
  /** Number of cases that passed or failed in at least one repetition. */
  readonly cases: number;
  /** Number of cases in which every repetition ended in an error. */
  readonly errored: number;
  /** Passed ÷ (passed + failed), averaged over the cases; null if there are none. */
  readonly passRate: number | null;
  /** Mean score of the cases; null if none has one. */
  readonly score: number | null;
  /** The target's cost; null unless every execution reported its cost and none used the cache. */
  readonly cost: number | null;
  /** Median milliseconds per reply; null if no reply was timed. */
  readonly latency: number | null;
}

/** A statistical test of the differences between two variants. */
export type Tested = Omit<Evidence, 'suite' | 'key' | 'name'>;

/** How a variant differs from the first one, over the cases that have results for both. */
export interface VariantDifference {
  readonly name: string;
  readonly passes: Tested | null;
  /** Null if no case has a score, or if scores only repeat which cases passed. */
  readonly scores: Tested | null;
}

/** Maximum number per run; each comparison has its own table in every report. */
const MAX_COMPARISONS = 10;

/**
 * Compares the variants of a run's targets, case by case. A case is one pair, regardless of its repetitions. Holm's
 * correction covers all tests of one comparison.
 */
export function* compareVariants(lines: Iterable<VariantLine>): Work<VariantComparison[]> {
  const all = [...lines];
  const varied = [...all.filter((line) => line.target_variant), ...suitesAsVariants(all)];
  const groups = groupBy(varied, ({ target_variant }) => JSON.stringify(namesOf(target_variant)));
  const compared: VariantComparison[] = [];
  for (const [, group] of [...groups].slice(0, MAX_COMPARISONS)) {
    const of = namesOf(group[0].target_variant);
    const results = resultsOf(group, of);
    // A run with a single variant has nothing to compare.
    if (results.length > 1) compared.push({ of, ...(yield* comparisonOf(results)) });
  }
  return compared;
}

/** Cases of files that several suites include, with the suites as variants and the included file as the suite. */
function suitesAsVariants(lines: readonly VariantLine[]): VariantLine[] {
  const names = suiteNamesOf(lines);
  const shared = lines.filter(mayBeShared);
  return [...groupBy(shared, ({ source }) => source.path)].flatMap(([suite, own]) => {
    const of = [...new Set(own.map((line) => line.suite))].map((one) => names.get(one) ?? one);
    if (of.length < 2) return [];
    return own.map((line) => {
      const name = names.get(line.suite) ?? line.suite;
      return { ...line, suite, target_variant: { name, of } };
    });
  });
}

function mayBeShared(line: VariantLine): boolean {
  return !line.target_variant && isIncluded(line);
}

/** How to name suites as variants: by their own names, if those are unique. Keys are the suites' files. */
export function suiteNamesOf(lines: readonly VariantLine[]): ReadonlyMap<string, string> {
  const shared = lines.filter(mayBeShared);
  const own = new Map(shared.map((line) => [line.suite, line.suite_name]));
  const files = [...own.keys()].map((suite) => [suite, basename(suite)] as const);
  const named = [own, new Map(files)].find((names) => new Set(names.values()).size === names.size);
  return named ?? new Map([...own.keys()].map((suite) => [suite, suite]));
}

/** The names of all variants of a line's target. */
export function namesOf(variant: VariantLine['target_variant']): string[] {
  return [...new Set(variant?.of)].slice(0, LIMITS.targetVariants);
}

/**
 * The line with its case's identity, but without the target's variant, so that the variants of a case can be paired.
 */
export function withoutTargetVariant<
  Line extends CaseIdentity & Pick<VariantLine, 'target_variant'>,
>(line: Line): Line {
  const { variant, target_variant: own } = line;
  if (!own || variant === undefined) return line;
  const { variant: _, ...rest } = line;
  if (variant === own.name) return rest as Line;
  const ending = `/${own.name}`;
  return variant.endsWith(ending) ? { ...line, variant: variant.slice(0, -ending.length) } : line;
}

interface VariantResults {
  readonly name: string;
  readonly lines: readonly VariantLine[];
  /** Results by case. */
  readonly cases: ReadonlyMap<string, ResultInRun>;
}

/** The results of each variant that has any, in the file's order. */
function resultsOf(group: readonly VariantLine[], of: readonly string[]): VariantResults[] {
  const byName = groupBy(group, ({ target_variant }) => target_variant?.name ?? '');
  return of.flatMap((name) => {
    const lines = byName.get(name);
    if (!lines) return [];
    const byCase = groupBy(lines, (line) => caseKey(withoutTargetVariant(line)));
    const cases = [...byCase].map(([key, own]) => [key, resultOf(own)] as const);
    return { name, lines, cases: new Map(cases) };
  });
}

function* comparisonOf([first, ...others]: readonly VariantResults[]): Work<
  Omit<VariantComparison, 'of'>
> {
  const pairs = others.flatMap((other) => pairsOf(first, other));
  const evidence = yield* evidenceOf(pairs);
  const find = (name: string, key: string) => {
    const found = evidence.find((one) => one.suite === name && one.key === key);
    if (!found) return null;
    const { suite: _suite, key: _key, name: _name, ...tested } = found;
    return tested;
  };
  return {
    variants: [...(first ? [first] : []), ...others].map(factsOf),
    differences: others.map(({ name }) => ({
      name,
      passes: find(name, 'passes'),
      scores: find(name, 'scores'),
    })),
  };
}

function pairsOf(base: VariantResults | undefined, { name, cases }: VariantResults): Pair[] {
  const pairs = [...cases].flatMap(([key, head]) => {
    const before = base?.cases.get(key);
    const isDecided = before && before.decided > 0 && head.decided > 0;
    return isDecided ? [{ base: before, head }] : [];
  });
  const named = (key: 'passes' | 'scores', base: ResultInRun, head: ResultInRun) => ({
    suite: name,
    key,
    name: key,
    base,
    head,
  });
  const scored = pairs.filter(({ base, head }) => base.score !== null && head.score !== null);
  const isShare = (one: ResultInRun) => Math.abs((one.score ?? 0) - shareOf(one)) < SCORE_EPSILON;
  // Repeating the same test would only weaken the correction.
  const isSame = scored.every(({ base, head }) => isShare(base) && isShare(head));
  return [
    ...pairs.map(({ base, head }) => named('passes', passing(base), passing(head))),
    ...(isSame ? [] : scored.map(({ base, head }) => named('scores', base, head))),
  ];
}

function shareOf({ passed, decided }: ResultInRun): number {
  return passed / decided;
}

/** The result with the share of passing repetitions as its score. */
function passing(result: ResultInRun): ResultInRun {
  return { ...result, score: shareOf(result) };
}

function factsOf({ name, lines, cases }: VariantResults): VariantFacts {
  const all = [...cases.values()];
  const decided = all.filter((one) => one.decided > 0);
  const costs = lines.map(({ target_usage: usage }) =>
    usage?.from_cache === undefined ? (usage?.cost ?? null) : null,
  );
  const known = costs.filter((cost) => cost !== null);
  return {
    name,
    cases: decided.length,
    errored: all.filter((one) => one.decided === 0 && one.errored > 0).length,
    passRate: mean(decided.map(shareOf)) ?? null,
    score: mean(decided.flatMap(({ score }) => score ?? [])) ?? null,
    cost: known.length < lines.length ? null : known.reduce((sum, cost) => sum + cost, 0),
    latency: median(lines.flatMap(({ latencies }) => latencies ?? [])) ?? null,
  };
}
