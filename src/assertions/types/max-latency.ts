import * as z from 'zod';
import { checkTurns } from '../shared/deterministic.ts';
import { deterministicType } from '../shared/kinds.ts';

const params = z.strictObject({
  max: z
    .number()
    .positive()
    .meta({ description: 'Maximum time for a reply of the target, in milliseconds.' }),
});

const NOT_MEASURED =
  'Nothing was measured for the chosen turns. A transcript has no timing: run the case against a target, or remove this assertion.';

export const maxLatency = deterministicType({
  type: 'max-latency',
  summary: 'Each chosen reply took at most `max` milliseconds.',
  docs: {
    asks: 'Compares the time of each chosen reply with `max`. Turns without a measured time are skipped. If no turn has one, such as in a transcript, the result is an error, never a pass.',
    score: 'turns that took at most `max` ÷ turns with a measured time.',
    example: 'the replies took 800, 1,200, and 900 milliseconds, with `max: 1000`: 2 ÷ 3 = 0.67.',
    yaml: `
      - type: max-latency
        max: 2000
    `,
  },
  params,
  decidedBy: () => undefined,
  async check(input, { max }) {
    const measured = input.turns.flatMap(({ latency }) => (latency === undefined ? [] : [latency]));
    if (measured.length === 0) throw new Error(NOT_MEASURED);
    const slowest = measured.reduce((most, latency) => Math.max(most, latency));
    const outcome = await checkTurns(
      input,
      ({ latency }) => {
        if (latency === undefined) return { holds: undefined, rationale: 'was not measured' };
        const rationale = `took ${shown(latency)} ms; the limit is ${max} ms`;
        return { holds: latency <= max, rationale };
      },
      {
        claim: (found) => `took ${found ? 'at most' : 'more than'} ${max} ms`,
        undecided: { reason: 'not-measured', rationale: NOT_MEASURED },
      },
      { slowest, measured: measured.length },
    );
    return outcome.kind === 'scored' ? { ...outcome, value: shown(slowest) } : outcome;
  },
});

/** Rounded up, so that 1000.2 isn't shown as 1000, which would be allowed. */
function shown(latency: number): number {
  return Math.ceil(latency);
}
