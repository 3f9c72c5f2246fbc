import { NO_USAGE, type Status, type TurnVerdict, type Verdict } from '../../src/core/verdict.ts';

/** Builders of test data: say what matters to the test, the rest is plain. */
export function buildVerdict(
  given: Partial<Omit<Verdict, 'assertion' | 'turns'>> & {
    readonly status: Status;
    readonly score: number | null;
    readonly type?: string;
    readonly name?: string;
    readonly weight?: number;
    readonly required?: boolean;
    readonly index?: number;
    readonly line?: number;
    readonly path?: string;
    readonly turns?: TurnVerdict[];
  },
): Verdict {
  const { type, name, weight, required, index, line, path, ...rest } = given;
  return {
    threshold: 0.5,
    rationale: '',
    turns: [],
    hits: [],
    misses: [],
    details: {},
    usage: NO_USAGE,
    ...rest,
    assertion: {
      index: index ?? 0,
      type: type ?? 'criterion',
      name: name ?? type ?? 'criterion',
      path: path ?? '/suite.eval.yaml',
      line: line ?? 1,
      required: required ?? false,
      weight: weight ?? 1,
    },
  };
}
