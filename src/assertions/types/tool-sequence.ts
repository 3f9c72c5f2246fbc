import * as z from 'zod';
import type { Turn } from '../../core/conversation.ts';
import type { TurnVerdict } from '../../core/verdict.ts';
import type { DeterministicType, Finding } from '../contract.ts';
import {
  compareCalls,
  type PlacedCall,
  SEQUENCE_MATCHES,
  type WantedTool,
} from '../shared/compareCalls.ts';
import { citing, decidedTurn, numbersOf } from '../shared/entries.ts';
import { callsOf } from '../shared/toolCalls.ts';

const params = z.strictObject({
  tools: z
    .array(
      z.union([
        z.string().min(1),
        z.strictObject({
          name: z.string().min(1).meta({ description: 'Name of the tool.' }),
          args: z.record(z.string(), z.unknown()).optional().meta({
            description: 'Arguments that the call must have, among others.',
          }),
        }),
      ]),
    )
    .min(1)
    .meta({ description: 'The calls that are wanted: names, or a name with `args`.' }),
  match: z.enum(SEQUENCE_MATCHES).default('in-order').meta({
    description:
      '`exact` these calls in this order and no others, `in-order` these in this order with others between, `any-order` each at least as often as listed, `subset` no call that is not listed, `superset` each at least once.',
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

export const toolSequence: DeterministicType = {
  kind: 'deterministic',
  type: 'tool-sequence',
  summary: 'The assistant called these tools, in this order or in any.',
  docs: {
    asks: `
      Compares the tool calls of the chosen turns, one after another, with \`tools\`. \`args\` of an entry are arguments that the call must have among others. \`match\` says how strict it is:

      - \`exact\`: these calls in this order and no others
      - \`in-order\` (unless given): these in this order; other calls may stand between
      - \`any-order\`: each of these at least as often as it is listed, in any order; other calls are allowed
      - \`subset\`: no call that is not listed, however often
      - \`superset\`: each of these at least once, in any order; other calls are allowed
    `,
    score:
      '1 when the calls match, else 0; with `at: each` turns whose calls match ÷ chosen turns.',
    example:
      'the calls `search`, `log`, `book` for `tools: [search, book]`: 1 with `in-order`, `any-order` and `superset`, 0 with `exact` and `subset`, since `log` is not listed.',
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
  defaultThreshold: 1,
  side: 'assistant',
  check({ turns, assertion }) {
    const { tools, match } = params.parse(assertion.params);
    const wanted = tools.map(
      (tool): WantedTool => (typeof tool === 'string' ? { name: tool } : tool),
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
};

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
