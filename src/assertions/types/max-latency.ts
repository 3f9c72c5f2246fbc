import * as z from 'zod';
import type { ToolCallItem, Turn } from '../../core/conversation.ts';
import { isMapping } from '../../core/data/data.ts';
import { checkTurns } from '../shared/deterministic.ts';
import { deterministicType } from '../shared/kinds.ts';

const ofSchema = z.union([
  z.literal('reply').describe('The whole reply.'),
  z.literal('first-token').describe('The time until the first text of the reply.'),
  z.strictObject({
    tool: z
      .string()
      .min(1)
      .meta({ description: 'The slowest call of this tool in the turn.', refersTo: 'tool' }),
  }),
]);

const params = z.strictObject({
  max: z.number().positive().meta({ description: 'Maximum time in milliseconds.' }),
  of: ofSchema.optional().meta({
    description:
      'What is measured: the `reply`, the time until its `first-token`, or the calls of a `tool`. The time of a tool is known only from `traces`, and the first token only from them or from a streamed reply.',
    default: 'reply',
  }),
});

type Of = z.infer<typeof ofSchema>;

const TRACED = 'Set `traces: true` on a target that exports spans.';

const NOT_MEASURED: Readonly<Record<'reply' | 'first-token' | 'tool', string>> = {
  reply:
    'Nothing was measured for the chosen turns. A transcript has no timing: run the case against a target, or remove this assertion.',
  'first-token':
    "The first token wasn't measured in the chosen turns. Stream the replies, or set `traces: true` on a target whose spans have the time.",
  tool: `No call of the tool was measured in the chosen turns. ${TRACED}`,
};

export const maxLatency = deterministicType({
  type: 'max-latency',
  summary: 'Each chosen reply took at most `max` milliseconds.',
  docs: {
    asks: 'Compares the time of each chosen reply with `max`, or the time until its first token, or of the calls of a tool. Turns without a measured time are skipped. If no turn has one, such as in a transcript, the result is an error, never a pass.',
    score: 'turns that took at most `max` ÷ turns with a measured time.',
    example: 'the replies took 800, 1,200, and 900 milliseconds, with `max: 1000`: 2 ÷ 3 = 0.67.',
    yaml: `
      - type: max-latency
        max: 2000
      - type: max-latency
        of: { tool: find_order }
        max: 500
    `,
  },
  params,
  label: ({ of }) => {
    if (of === undefined || of === 'reply') return undefined;
    return `max-latency ${isMapping(of) ? String(of.tool) : String(of)}`;
  },
  decidedBy: () => undefined,
  sees: (_facts, { of }) => (isMapping(of) ? ['tool_calls'] : []),
  timesFirstToken: ({ of }) => of === 'first-token',
  async check(input, { max, of = 'reply' }) {
    const kind = typeof of === 'string' ? of : 'tool';
    const cut = input.turns.find((turn) => turn.traceFault !== undefined);
    if (kind === 'first-token' && cut && cut.firstToken === undefined) {
      throw new Error(`The trace of turn ${cut.number} is incomplete. ${cut.traceFault}`);
    }
    const untimed = input.turns.find((turn) =>
      callsOf(turn, of).some(({ latency }) => latency === undefined),
    );
    if (untimed) {
      throw new Error(`A call of the tool in turn ${untimed.number} wasn't measured. ${TRACED}`);
    }
    const measured = input.turns.flatMap((turn) => latencyOf(turn, of) ?? []);
    if (measured.length === 0) throw new Error(NOT_MEASURED[kind]);
    const slowest = measured.reduce((most, latency) => Math.max(most, latency));
    const outcome = await checkTurns(
      input,
      (turn) => {
        const latency = latencyOf(turn, of);
        if (latency === undefined) return { holds: undefined, rationale: 'was not measured' };
        const rationale = `${SUBJECTS[kind]} ${shown(latency)} ms; the limit is ${max} ms`;
        return { holds: latency <= max, rationale };
      },
      {
        claim: (found) => `${SUBJECTS[kind]} ${found ? 'at most' : 'more than'} ${max} ms`,
        undecided: { reason: 'not-measured', rationale: NOT_MEASURED[kind] },
      },
      { slowest, measured: measured.length },
    );
    return outcome.kind === 'scored' ? { ...outcome, value: shown(slowest) } : outcome;
  },
});

const SUBJECTS: Readonly<Record<'reply' | 'first-token' | 'tool', string>> = {
  reply: 'took',
  'first-token': 'began after',
  tool: 'the tool took',
};

function latencyOf(turn: Turn, of: Of): number | undefined {
  if (of === 'reply') return turn.latency;
  if (of === 'first-token') return turn.firstToken;
  const times = callsOf(turn, of).flatMap(({ latency }) => latency ?? []);
  return times.length === 0 ? undefined : times.reduce((most, time) => Math.max(most, time));
}

function callsOf({ items }: Turn, of: Of): ToolCallItem[] {
  if (typeof of === 'string') return [];
  return items
    .filter((item) => item.kind === 'tool-call')
    .filter(({ call }) => call.name === of.tool);
}

/** The latency rounded up: 1000.2 must not be shown as 1000, which may be within the limit. */
function shown(latency: number): number {
  return Math.ceil(latency);
}
