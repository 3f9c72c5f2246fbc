import * as z from 'zod';
import type { Turn } from '../../core/conversation.ts';
import type { TurnVerdict } from '../../core/verdict.ts';
import {
  compareCalls,
  type PlacedCall,
  SEQUENCE_MATCHES,
  type WantedTool,
} from '../calls/compareCalls.ts';
import { argumentsMatchSchema, callsOf } from '../calls/toolCalls.ts';
import type { Finding } from '../contract.ts';
import { checkedType } from '../shared/checkedType.ts';
import { citing, decidedTurn, numbersOf } from '../shared/entries.ts';

const params = z.strictObject({
  tools: z
    .array(
      z.union([
        z.string().min(1).meta({ refersTo: 'tool' }),
        z.strictObject({
          name: z.string().min(1).meta({ description: 'Name of the tool.', refersTo: 'tool' }),
          args: z.record(z.string(), z.unknown()).optional().meta({
            description: 'Arguments to compare the call with. Default: any.',
          }),
          compare: argumentsMatchSchema.optional().meta({
            description: "How to compare this entry's `args`. Default: the assertion's `args`.",
          }),
        }),
      ]),
    )
    .min(1)
    .meta({ description: 'The expected calls: tool names, or a name with `args`.' }),
  match: z.enum(SEQUENCE_MATCHES).default('in-order').meta({
    description:
      '`exact`: these calls in this order and no others; `in-order`: in this order, others allowed between; `any-order` or `superset`: each at least as often as listed; `unordered`: each exactly as often as listed and no others; `subset`: none unlisted or more often than listed.',
  }),
  args: argumentsMatchSchema.default('superset').meta({
    description:
      "How to compare a call's arguments with an entry's `args`: `superset`: these, others allowed; `exact`: these and no others; `subset`: no others, some may be missing; `ignore`: not at all; or a list of keys to compare, such as `[city, time.start]`.",
  }),
});

/** What is to be told of one run of turns; without `turn` it is about all of them. */
interface Note {
  readonly turn?: number;
  readonly text: string;
}

interface Checked {
  readonly passed: boolean;
  readonly notes: readonly Note[];
  readonly turns: readonly Turn[];
}

export const toolSequence = checkedType({
  type: 'tool-sequence',
  summary: 'The assistant called these tools, in this order or any order.',
  docs: {
    asks: `
      Compares the tool calls of the chosen turns, in order, with \`tools\`; each call matches at most one entry. \`match\` sets how strict the comparison is:

      - \`exact\`: these calls in this order and no others
      - \`in-order\` (default): these in this order; other calls may come between
      - \`any-order\`, also called \`superset\`: each of these at least as often as it is listed, in any order; other calls are allowed
      - \`unordered\`: each of these just as often as it is listed, in any order, and no other call
      - \`subset\`: no call that is not listed, and none more often than it is listed; some may be missing

      An entry without \`args\` matches any arguments. Otherwise the assertion's \`args\`, or the entry's \`compare\`, sets how they are compared: \`superset\` (default), \`exact\`, \`subset\`, \`ignore\`, or a list of keys, with dots for nested ones.
    `,
    score: '1 if the calls match, else 0; with `at: each`, turns whose calls match ÷ chosen turns.',
    example:
      'the calls `search`, `log`, `book` for `tools: [search, book]`: 1 with `in-order`, `any-order` and `superset`, 0 with `exact`, `unordered` and `subset`, since `log` is not listed.',
    yaml: `
      - type: tool-sequence
        tools:
          - search_flights
          - name: book_flight
            args: { seats: 2 }
        match: in-order
    `,
  },
  params,
  sees: () => ['tool_calls'],
  check({ turns, assertion }, { tools, match, args }) {
    const wanted = tools.map(
      (tool): WantedTool =>
        typeof tool === 'string'
          ? { name: tool, compare: args }
          : { ...tool, compare: tool.compare ?? args },
    );
    const each = assertion.at.kind === 'each';
    const checked = (each ? turns.map((turn) => [turn]) : [turns]).map((run): Checked => {
      const calls = placedCalls(run);
      const faults = compareCalls(wanted, calls, match);
      const found = faults.length === 0;
      return {
        passed: found !== assertion.negate,
        notes: found ? madeCalls(run) : faults,
        turns: run,
      };
    });
    return {
      ...concluded(checked),
      details: { match, calls: placedCalls(turns).map(({ call }) => call.name) },
    };
  },
});

function placedCalls(turns: readonly Turn[]): PlacedCall[] {
  return turns.flatMap((turn) => callsOf(turn).map((call) => ({ turn: turn.number, call })));
}

function madeCalls(turns: readonly Turn[]): Note[] {
  const notes = turns.flatMap((turn): Note[] => {
    const names = callsOf(turn).map(({ name }) => name);
    return names.length === 0 ? [] : [{ turn: turn.number, text: `called ${names.join(', ')}` }];
  });
  return notes.length === 0 ? [{ text: 'no tool was called' }] : notes;
}

function concluded(checked: readonly Checked[]): Omit<Finding, 'details'> {
  const passing = checked.filter(({ passed }) => passed);
  const cite = (ones: readonly Checked[]) => ones.flatMap(cited);
  const [hits, misses] = [cite(passing), cite(checked.filter(({ passed }) => !passed))];
  const [only, ...more] = checked;
  return {
    kind: 'scored',
    score: passing.length / checked.length,
    rationale:
      only && more.length === 0
        ? `${cited(only).join('. ')}.`
        : `${passing.length} of ${checked.length} turns pass.`,
    turns: checked.flatMap(entries),
    hits,
    misses,
  };
}

function cited({ notes, turns }: Checked): string[] {
  const where = `Turn${turns.length === 1 ? '' : 's'} ${numbersOf(turns)}`;
  return notes.map(({ turn, text }) =>
    turn === undefined ? `${where}: ${text}` : citing(turn, text),
  );
}

/** What several turns lack together, none of them lacks in particular. */
function entries({ passed, notes, turns }: Checked): TurnVerdict[] {
  return turns.flatMap((turn): TurnVerdict[] => {
    const own = turns.length === 1 ? notes : notes.filter((note) => note.turn === turn.number);
    if (own.length === 0) return [];
    return [decidedTurn(turn.number, passed, own.map(({ text }) => text).join('; '))];
  });
}
