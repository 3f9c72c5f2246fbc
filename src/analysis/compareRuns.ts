import { addTo, pushAll } from '../core/data/data.ts';
import { type CaseIdentity, caseKey } from '../core/identity.ts';
import { type ComparedOutcome, OUTCOMES } from '../core/presentation/words.ts';
import type { RunLine } from '../core/record/runRecord.ts';
import type { Status } from '../core/verdict.ts';
import type { Work } from '../node/cooperative.ts';
import { changeInterval } from '../statistics/pairedTests.ts';
import type {
  ComparedVerdict,
  ComparisonAssertion,
  ComparisonCase,
  ComparisonData,
} from './comparisonData.ts';
import {
  assertionResult,
  type Change,
  caseResult,
  type Evidence,
  evidenceOf,
  outcomeOfAssertion,
  outcomeOfCase,
  type Pair,
  type ResultInRun,
  type TurnChanges,
  turnChanges,
} from './evidence.ts';
import { judgeNoise, type NoiseRow } from './noise.ts';

/** A case's assertion, in one run or both. */
export interface ComparedAssertion extends Omit<ComparisonAssertion, 'verdicts'> {
  readonly outcome: ComparedOutcome;
  readonly base?: ResultInRun;
  readonly head?: ResultInRun;
  readonly turns: TurnChanges;
  /** Why it didn't pass in the second run. */
  readonly reason?: string;
}

export interface ComparedCase extends CaseIdentity {
  /** The suite's name in the first run, if a different suite included the case then. */
  readonly suiteBefore?: string;
  readonly path: string;
  /** From 1. */
  readonly line: number;
  readonly outcome: ComparedOutcome;
  readonly base?: ResultInRun;
  readonly head?: ResultInRun;
  /** In a `Comparison`, contains only assertions that changed. */
  readonly assertions: readonly ComparedAssertion[];
}

/** Two runs, case by case and assertion by assertion. Plain data. */
export interface Comparison {
  readonly base: RunFacts;
  readonly head: RunFacts;
  readonly differences: Differences;
  /** Number of cases by outcome. */
  readonly counts: Readonly<Record<ComparedOutcome, number>>;
  /** Pass rates over the cases that passed or failed in both runs; absent if there are none. */
  readonly passRate?: {
    readonly cases: number;
    readonly base: number;
    readonly head: number;
    readonly change: Change;
  };
  /** One entry per assertion, with the smallest p first. */
  readonly evidence: readonly Evidence[];
  /** Noise of the judges in both runs. */
  readonly noise: readonly NoiseRow[];
  /** Only changed cases, regressions first. */
  readonly cases: readonly ComparedCase[];
}

/** Compares the data of two runs. @param known the result of `comparedCases` */
export function* compareRuns(
  base: ComparableRun,
  head: ComparableRun,
  known?: readonly ComparedCase[],
): Work<Comparison> {
  const all = known ?? (yield* comparedCases(base.data, head.data));
  const [before, after] = [pairedCases(base.data, head.data), head.data.cases];
  const common = [...after].flatMap(([key, now]): [ComparisonCase, ComparisonCase][] => {
    const then = before.get(key);
    return then ? [[then, now]] : [];
  });
  const pairs: Pair[] = [];
  for (const [then, now] of common) {
    pushAll(pairs, pairsOf(then, now));
    yield;
  }
  const [baseFacts, headFacts] = [runFactsOf(base), runFactsOf(head)];
  const counts = Object.fromEntries(
    OUTCOMES.map((outcome) => [outcome, all.filter((one) => one.outcome === outcome).length]),
  ) as Record<ComparedOutcome, number>;
  const evidence = yield* evidenceOf(pairs);
  return {
    base: baseFacts,
    head: headFacts,
    differences: yield* differencesOf(base, head, [baseFacts, headFacts], common),
    counts,
    ...passRateOf(all),
    evidence: evidence.sort((a, b) => (a.adjusted ?? 2) - (b.adjusted ?? 2) || a.p - b.p),
    noise: judgeNoise(mergedCases(before, after)),
    cases: all.filter(({ outcome }) => outcome !== 'unchanged').map(changesOf),
  };
}

/** All cases of two runs with all assertions: regressions first, then in the second run's order. */
export function* comparedCases(base: ComparisonData, head: ComparisonData): Work<ComparedCase[]> {
  const before = pairedCases(base, head);
  const keys = new Set([...head.cases.keys(), ...before.keys()]);
  const cases: ComparedCase[] = [];
  for (const key of keys) {
    pushAll(cases, compareCase(before.get(key), head.cases.get(key)));
    yield;
  }
  return cases.sort((a, b) => OUTCOMES.indexOf(a.outcome) - OUTCOMES.indexOf(b.outcome));
}

/**
 * The first run's cases, by their keys in the second run. If different suites include a case from the same file, it
 * counts as the same case.
 */
function pairedCases(
  { cases: base }: ComparisonData,
  { cases: head }: ComparisonData,
): ReadonlyMap<string, ComparisonCase> {
  const [left, right] = [unpairedIncluded(base, head), unpairedIncluded(head, base)];
  if (left.size === 0 || right.size === 0) return base;
  const keys = new Map<string, string>();
  for (const [place, before] of left) {
    const after = right.get(place) ?? [];
    // If two suites in a run include the case, neither is paired with it.
    if (before.length === 1 && after.length === 1) keys.set(before[0], after[0] ?? '');
  }
  return new Map([...base].map(([key, one]) => [keys.get(key) ?? key, one]));
}

/** Keys of included cases that are missing from the other run, by file, id, and variant. */
function unpairedIncluded(
  own: ReadonlyMap<string, ComparisonCase>,
  other: ReadonlyMap<string, ComparisonCase>,
): Map<string, [string, ...string[]]> {
  const found = new Map<string, [string, ...string[]]>();
  for (const [key, one] of own) {
    if (one.included === undefined || other.has(key)) continue;
    addTo(found, caseKey({ ...one, suite: one.included }), key);
  }
  return found;
}

function changesOf(one: ComparedCase): ComparedCase {
  const isInBoth = one.base !== undefined && one.head !== undefined;
  const changed = one.assertions.filter(({ outcome }) => outcome !== 'unchanged');
  return { ...one, assertions: isInBoth ? changed : [] };
}

function compareCase(
  then: ComparisonCase | undefined,
  now: ComparisonCase | undefined,
): ComparedCase[] {
  const known = now ?? then;
  if (!known) return [];
  const { suite, id, variant, path, line } = known;
  const keys = new Set([...(now?.assertions.keys() ?? []), ...(then?.assertions.keys() ?? [])]);
  const assertions = [...keys].flatMap(
    (key) => compareAssertion(then?.assertions.get(key), now?.assertions.get(key)) ?? [],
  );
  const [base, head] = [then && caseResult(then), now && caseResult(now)];
  const outcomes = assertions.map((one) => one.outcome);
  return [
    {
      suite,
      ...(then && then.suite !== suite && { suiteBefore: then.suite }),
      id,
      ...(variant !== undefined && { variant }),
      path,
      line,
      outcome: base && head ? outcomeOfCase(base, head, outcomes) : newOrGone(now),
      ...(base && { base }),
      ...(head && { head }),
      assertions,
    },
  ];
}

function compareAssertion(
  then: ComparisonAssertion | undefined,
  now: ComparisonAssertion | undefined,
): ComparedAssertion | undefined {
  const known = now ?? then;
  if (!known) return undefined;
  const { key, name, path, line, threshold } = known;
  const [base, head] = [then && assertionResult(then), now && assertionResult(now)];
  const turns = then && now ? turnChanges(then, now) : { worse: [], better: [] };
  const outcome = base && head ? outcomeOfAssertion(base, head, turns) : newOrGone(now);
  const reason = now?.verdicts.find((one) => one.reason !== undefined)?.reason;
  return {
    key,
    name,
    path,
    line,
    threshold,
    outcome,
    ...(base && { base }),
    ...(head && { head }),
    turns,
    ...(reason !== undefined && { reason }),
  };
}

function newOrGone(now: unknown): 'new' | 'gone' {
  return now ? 'new' : 'gone';
}

function pairsOf(then: ComparisonCase, now: ComparisonCase): Pair[] {
  return [...now.assertions].flatMap(([key, assertion]) => {
    const before = then.assertions.get(key);
    if (!before) return [];
    const sides = { base: assertionResult(before), head: assertionResult(assertion) };
    return [{ suite: now.suite, key, name: assertion.name, ...sides }];
  });
}

function passRateOf(all: readonly ComparedCase[]): Pick<Comparison, 'passRate'> {
  const count = (then: Status, now: Status) =>
    all.filter(({ base, head }) => base?.status === then && head?.status === now).length;
  const [both, worse, better] = [
    count('pass', 'pass'),
    count('pass', 'fail'),
    count('fail', 'pass'),
  ];
  const cases = both + worse + better + count('fail', 'fail');
  if (cases === 0) return {};
  return {
    passRate: {
      cases,
      base: (both + worse) / cases,
      head: (both + better) / cases,
      change: { value: (better - worse) / cases, ...changeInterval(worse, better, cases) },
    },
  };
}

/** Both runs' verdicts, case by case. */
function* mergedCases(
  before: ReadonlyMap<string, ComparisonCase>,
  after: ReadonlyMap<string, ComparisonCase>,
): Generator<ComparisonCase> {
  for (const [key, one] of before) {
    const other = after.get(key);
    if (!other) {
      yield one;
      continue;
    }
    const assertions = new Map(one.assertions);
    for (const [key, assertion] of other.assertions) {
      const verdicts = [...(one.assertions.get(key)?.verdicts ?? []), ...assertion.verdicts];
      assertions.set(key, { ...assertion, verdicts });
    }
    yield { ...one, assertions };
  }
  for (const [key, one] of after) if (!before.has(key)) yield one;
}

/** A run to compare. */
export interface ComparableRun {
  readonly run: RunLine;
  readonly data: ComparisonData;
  readonly finished: boolean;
}

export interface RunFacts {
  readonly id: string;
  readonly started: string;
  readonly commit?: string;
  readonly finished: boolean;
  readonly cases: number;
  /** `agent (module, 1f2e3d4c)`, with the first digits of its digest. */
  readonly agents: readonly string[];
  /** `provider:model` */
  readonly judges: readonly string[];
  /** Minimum and maximum number of repetitions per case. */
  readonly repetitions: readonly [number, number];
  /** Minimum and maximum number of samples per judged assertion. */
  readonly samples: readonly [number, number];
}

/** Differences between two runs, other than their outcomes. */
interface Differences {
  readonly agent: boolean;
  readonly judges: boolean;
  /** Names of the eval files whose text differs. */
  readonly files: readonly string[];
  /** Number of cases that are in both runs. */
  readonly cases: number;
  /** Number of these cases with a different script, history, context, or target. */
  readonly inputs: number;
  /** Number of these cases with the same conversations. */
  readonly sameConversations: number;
  /** Number of assertions in these cases that ask the same judge a different question. */
  readonly questions: number;
  readonly assertions: number;
}

export function runFactsOf({ run, data, finished }: ComparableRun): RunFacts {
  const cases = [...data.cases.values()];
  const executions = cases.flatMap((one) => one.executions);
  const judged = cases
    .flatMap(({ assertions }) => [...assertions.values()])
    .flatMap(({ verdicts }) => verdicts.filter(({ judge }) => judge !== undefined));
  return {
    id: run.id,
    started: run.started,
    ...(run.commit !== undefined && { commit: run.commit }),
    finished,
    cases: cases.length,
    agents: uniqueSorted(executions.map(({ target }) => target)),
    judges: uniqueSorted(judged.map(({ judge }) => judge)),
    repetitions: rangeOf(cases.map((one) => one.executions.length)),
    samples: rangeOf(judged.map(({ samples }) => samples)),
  };
}

function* differencesOf(
  base: ComparableRun,
  head: ComparableRun,
  [before, after]: readonly [RunFacts, RunFacts],
  common: readonly (readonly [ComparisonCase, ComparisonCase])[],
): Work<Differences> {
  const hashes = new Map(base.run.files.map(({ path, hash }) => [base.data.nameOf(path), hash]));
  const files = head.run.files.flatMap(({ path, hash }) => {
    const name = head.data.nameOf(path);
    return hashes.has(name) && hashes.get(name) !== hash ? [name] : [];
  });
  let [assertions, questions] = [0, 0];
  for (const [one, other] of common) {
    for (const [key, now] of other.assertions) {
      const then = one.assertions.get(key);
      if (!then) continue;
      assertions += 1;
      if (asksDifferently(then.verdicts, now.verdicts)) questions += 1;
    }
    yield;
  }
  const textsOf = ({ executions }: ComparisonCase, key: 'input' | 'conversation') =>
    uniqueSorted(executions.map((one) => one[key]));
  const countSame = (key: 'input' | 'conversation') =>
    common.filter(([then, now]) => sameTexts(textsOf(then, key), textsOf(now, key))).length;
  return {
    agent: !sameTexts(before.agents, after.agents),
    judges: !sameTexts(before.judges, after.judges),
    files,
    cases: common.length,
    inputs: common.length - countSame('input'),
    sameConversations: countSame('conversation'),
    questions,
    assertions,
  };
}

/** Whether an assertion asked the same judges a different question. */
function asksDifferently(
  then: readonly ComparedVerdict[],
  now: readonly ComparedVerdict[],
): boolean {
  const differs = (key: 'judge' | 'question') =>
    !sameTexts(uniqueSorted(then.map((one) => one[key])), uniqueSorted(now.map((one) => one[key])));
  return !differs('judge') && differs('question');
}

function uniqueSorted(texts: readonly (string | undefined)[]): string[] {
  return [...new Set(texts.filter((one) => one !== undefined))].sort();
}

function sameTexts(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((one, index) => one === b[index]);
}

function rangeOf(counts: readonly number[]): [number, number] {
  const sorted = [...counts].sort((a, b) => a - b);
  return [sorted[0] ?? 1, sorted.at(-1) ?? 1];
}
