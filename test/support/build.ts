import {
  NO_USAGE,
  type Status,
  statusWithScore,
  type TurnVerdict,
  type Verdict,
} from '../../src/core/verdict.ts';

/** Builders of test data: pass what matters to the test; everything else has plain defaults. */
export function buildVerdict(
  given: Partial<Omit<Verdict, 'assertion' | 'turns' | 'reason'>> & {
    readonly status: Status;
    readonly score: number | null;
    readonly reason?: string;
    readonly type?: string;
    readonly name?: string;
    readonly weight?: number;
    readonly required?: boolean;
    readonly index?: number;
    readonly key?: string;
    readonly line?: number;
    readonly path?: string;
    readonly turns?: TurnVerdict[];
  },
): Verdict {
  const { status, score, reason, type, name, weight, required, index, key, line, path, ...rest } =
    given;
  const common = {
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
      ...(key !== undefined && { key }),
      type: type ?? 'criterion',
      name: name ?? type ?? 'criterion',
      path: path ?? '/suite.eval.yaml',
      line: line ?? 1,
      required: required ?? false,
      weight: weight ?? 1,
    },
  };
  const outcome = statusWithScore(status, score);
  return outcome.score === null
    ? { ...common, ...outcome, reason: reason ?? 'judge-failed' }
    : { ...common, ...outcome };
}

/** An assertion's verdict on one turn. */
export function buildTurnVerdict(
  turn: number,
  status: Status,
  score: number | null,
  rest: Partial<Pick<TurnVerdict, 'rationale' | 'evidence'>> = {},
): TurnVerdict {
  return { turn, ...statusWithScore(status, score), rationale: '', ...rest };
}
