import { cohenKappa, type Kappa } from './kappa.ts';

/** How often each of two outcomes was given where it, or the other, was right. */
export interface Confusion {
  /** Both say fail. */
  readonly failFail: number;
  /** The judge says fail and the people pass. */
  readonly failPass: number;
  readonly passFail: number;
  readonly passPass: number;
}

export interface Rates {
  /** Agreed ÷ all; null of nothing. */
  readonly accuracy: number | null;
  /** Of what the judge failed, the share that people fail too; null where it failed nothing. */
  readonly precision: number | null;
  /** Of what people fail, the share that the judge failed too; null where they fail nothing. */
  readonly recall: number | null;
}

/** @param pairs what the judge says and what is right */
export function confusionOf(
  pairs: Iterable<{ readonly judge: 'pass' | 'fail'; readonly people: 'pass' | 'fail' }>,
): Confusion {
  const counts = { failFail: 0, failPass: 0, passFail: 0, passPass: 0 };
  for (const { judge, people } of pairs) {
    counts[`${judge}${people === 'pass' ? 'Pass' : 'Fail'}`] += 1;
  }
  return counts;
}

/** Of fail, which is what a judge is asked to find. */
export function ratesOf({ failFail, failPass, passFail, passPass }: Confusion): Rates {
  const share = (part: number, whole: number) => (whole === 0 ? null : part / whole);
  return {
    accuracy: share(failFail + passPass, failFail + failPass + passFail + passPass),
    precision: share(failFail, failFail + failPass),
    recall: share(failFail, failFail + passFail),
  };
}

/** Cohen's kappa of the judge and the people; undefined as of `cohenKappa`. */
export function kappaOf({ failFail, failPass, passFail, passPass }: Confusion): Kappa | undefined {
  return cohenKappa([
    [failFail, failPass],
    [passFail, passPass],
  ]);
}
