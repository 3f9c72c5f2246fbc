import { groupBy } from '../data/data.ts';
import type { Verdict } from '../verdict.ts';

/** A case's verdicts by the keys of their assertions; records of version 1 have names alone. */
export function keyedVerdicts(verdicts: readonly Verdict[]): [string, Verdict][] {
  const groups = groupBy(verdicts, ({ assertion }) => assertion.key ?? assertion.name);
  return [...groups].flatMap(([key, own]) =>
    own.map((verdict, index): [string, Verdict] => [
      index === 0 ? key : `${key} (${index + 1})`,
      verdict,
    ]),
  );
}

/** Also those that decide others, each behind the one that it decides: all that people can label. */
export function allKeyedVerdicts(verdicts: readonly Verdict[]): [string, Verdict][] {
  return keyedVerdicts(verdicts).flatMap(([key, verdict]): [string, Verdict][] => [
    [key, verdict],
    ...allKeyedVerdicts(verdict.nested ?? []),
  ]);
}
