import type { RunLine } from '../core/record/runRecord.ts';
import type { Work } from '../node/cooperative.ts';
import type { ComparisonCase, ComparisonData } from './comparisonData.ts';

/** What the two runs are of. */
export interface Compared {
  readonly run: RunLine;
  readonly data: ComparisonData;
  /** Whether it came to its end. */
  readonly finished: boolean;
}

export interface RunFacts {
  readonly id: string;
  readonly started: string;
  readonly commit?: string;
  readonly finished: boolean;
  readonly cases: number;
  /** `agent (module, 1f2e3d4c)`: each with the beginning of its digest. */
  readonly agents: readonly string[];
  /** `provider:model` of those that gave verdicts. */
  readonly judges: readonly string[];
  /** Fewest and most, of a case. */
  readonly repetitions: readonly [number, number];
  /** Fewest and most, of a judged assertion. */
  readonly samples: readonly [number, number];
}

/** What differs between two runs besides what came out. */
export interface Differences {
  readonly agent: boolean;
  readonly judges: boolean;
  /** Eval files of both with another text, as they are named. */
  readonly files: readonly string[];
  /** Of the cases in both. */
  readonly cases: number;
  /** Of these, those made from something else: script, history, context or target. */
  readonly inputs: number;
  /** Of these, those of which both runs have the same conversations. */
  readonly sameConversations: number;
  /** Assertions of these that ask something else, of the same judge. */
  readonly questions: number;
  readonly assertions: number;
}

export function factsOf({ run, data, finished }: Compared): RunFacts {
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
    agents: named(executions.map(({ target }) => target)),
    judges: named(judged.map(({ judge }) => judge)),
    repetitions: rangeOf(cases.map((one) => one.executions.length)),
    samples: rangeOf(judged.map(({ samples }) => samples)),
  };
}

export function* differencesOf(
  base: Compared,
  head: Compared,
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
      if (asksOtherwise(then.verdicts, now.verdicts)) questions += 1;
    }
    yield;
  }
  return {
    agent: !same(before.agents, after.agents),
    judges: !same(before.judges, after.judges),
    files,
    cases: common.length,
    inputs: common.filter(([a, b]) => !same(inputsOf(a), inputsOf(b))).length,
    sameConversations: common.filter(([a, b]) => same(saidIn(a), saidIn(b))).length,
    questions,
    assertions,
  };
}

interface Asking {
  readonly judge?: string;
  readonly question?: string;
}

/** Whether the same judges were asked something else. */
function asksOtherwise(then: readonly Asking[], now: readonly Asking[]): boolean {
  const differs = (key: keyof Asking) =>
    !same(named(then.map((one) => one[key])), named(now.map((one) => one[key])));
  return !differs('judge') && differs('question');
}

function inputsOf({ executions }: ComparisonCase): string[] {
  return named(executions.map(({ input }) => input));
}

function saidIn({ executions }: ComparisonCase): string[] {
  return named(executions.map(({ conversation }) => conversation));
}

/** Each once, sorted. */
function named(texts: readonly (string | undefined)[]): string[] {
  return [...new Set(texts.filter((one) => one !== undefined))].sort();
}

function same(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((one, index) => one === b[index]);
}

function rangeOf(counts: readonly number[]): [number, number] {
  if (counts.length === 0) return [1, 1];
  return counts.reduce<[number, number]>(
    ([low, high], one) => [Math.min(low, one), Math.max(high, one)],
    [Number.POSITIVE_INFINITY, 0],
  );
}
