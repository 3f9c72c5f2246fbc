import * as z from 'zod';
import { agentsIn, type HandoffItem, type Turn, turnsOf } from '../../core/conversation.ts';
import { endsText, handoffText } from '../../core/presentation/agents.ts';
import { unknownAgentText } from '../../core/presentation/unknownAgent.ts';
import { counted } from '../../core/text/format.ts';
import { allOrNothing, decidedTurn, hitsAndMisses, scored, turnsText } from '../shared/entries.ts';
import { deterministicType } from '../shared/kinds.ts';
import { noteOnAgent } from '../shared/toolCalls.ts';

const params = z.strictObject({
  to: z
    .string()
    .min(1)
    .meta({ description: 'Name of the agent that takes over.', refersTo: 'agent' }),
  from: z.string().min(1).optional().meta({
    description: 'Name of the agent that hands over. Default: any agent.',
    refersTo: 'agent',
  }),
});

export const handoff = deterministicType({
  type: 'handoff',
  summary: 'One agent handed over to another.',
  docs: {
    asks: `
      Looks for a handoff to the agent in the chosen turns. If another agent continues a turn, that is a handoff, whether or not a tool call triggers it. A call such as \`transfer_to_refunds\` is also a handoff if its result names the agent in the words of the OpenAI Agents SDK or of LangGraph, even if that agent then says nothing. An agent that is called as a tool takes nothing over.

      Names must be equal. If the conversation has no agent with a name, the result says so and lists the agents.
    `,
    score:
      '1 if there is such a handoff, else 0; with `at: each`, turns with one ÷ chosen turns. `negate` reverses this.',
    example:
      'in one of two turns, `triage` hands over to `refunds`: 1 with `to: refunds`; 1 ÷ 2 = 0.5 with `at: each`; 0 with `from: billing`.',
    yaml: `
      - type: handoff
        from: triage
        to: refunds
    `,
  },
  params,
  decidedBy: handoffsOf,
  sees: () => ['agents'],
  label: ({ to }) => (typeof to === 'string' ? `handoff to ${to}` : undefined),
  check(input, wanted) {
    const { turns, assertion, conversation, scrub = String } = input;
    const { negate, at } = assertion;
    const each = at.kind === 'each';
    /** Names get truncated, so their secrets must be hidden first. */
    const hide = ({ from, to }: Ends): Ends => ({
      ...(from !== undefined && { from: scrub(from) }),
      to: scrub(to),
    });
    const noneOf = (made: readonly Ends[]) =>
      `no ${handoffText(hide(wanted))}${insteadOf(made.map(hide))}`;
    const found = turns.map((turn) => {
      const made = handoffsOf(turn);
      return { turn: turn.number, made, matching: made.filter((one) => isWanted(one, wanted)) };
    });
    const total = found.reduce((sum, { matching }) => sum + matching.length, 0);
    const all = found.flatMap(({ made }) => made);
    if (total === 0 && all.some(({ from, to }) => from === undefined && to === wanted.to)) {
      throw new Error(
        `There is a ${handoffText(hide({ to: wanted.to }))}, but the messages don't say who hands over. Remove \`from\`.`,
      );
    }
    const passes = (count: number) => count > 0 !== negate;
    const passing = found.filter(({ matching }) => passes(matching.length));
    const score = each ? passing.length / found.length : Number(passes(total));
    // If several turns lack something together, no single turn is to blame.
    const shown = each ? found : found.filter(({ matching }) => matching.length > 0);
    const entries = shown.map(({ turn, made, matching }) => {
      const text = matching.length > 0 ? textOf(matching.map(hide)) : noneOf(made);
      return decidedTurn(turn, passes(matching.length), text);
    });
    const known = agentsIn(turnsOf(conversation));
    const noteOnTo = known.includes(wanted.to)
      ? ''
      : `; ${unknownAgentText(scrub(wanted.to), known.map(scrub))}`;
    const note = `${noteOnTo}${noteOnAgent(wanted.from, input, score === 1)}`;
    const what =
      total === 0 ? noneOf(all) : `${counted(total, 'handoff')} ${endsText(hide(wanted))}`;
    const summary = `${turnsText(turns)}: ${what}${note}`;
    return scored(`${summary}.`, entries, {
      score,
      value: total,
      ...(entries.length === 0 ? allOrNothing(score === 1, [summary]) : hitsAndMisses(entries)),
      details: { handoffs: all.map(({ from, to }) => ({ from, to })) },
    });
  },
});

type Ends = Pick<HandoffItem, 'from' | 'to'>;

function handoffsOf({ items }: Turn): HandoffItem[] {
  return items.filter((item) => item.kind === 'handoff');
}

function isWanted({ from, to }: Ends, wanted: Ends): boolean {
  return to === wanted.to && (wanted.from === undefined || from === wanted.from);
}

/** Describes the handoffs that were made instead: `, but a handoff from “triage” to “billing”`. */
function insteadOf(made: readonly Ends[]): string {
  return made.length === 0 ? '' : `, but a ${textOf(made)}`;
}

function textOf(made: readonly Ends[]): string {
  return [...new Set(made.map(handoffText))].join('; ');
}
