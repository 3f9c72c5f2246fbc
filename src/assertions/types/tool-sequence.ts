import * as z from 'zod';
import type { Turn } from '../../core/conversation.ts';
import type { ToolCall } from '../../core/message.ts';
import type { TurnVerdict } from '../../core/verdict.ts';
import type { AssertionInput } from '../contract.ts';
import { citing, decidedTurn, scored, turnsText } from '../shared/entries.ts';
import { deterministicType } from '../shared/kinds.ts';
import { limitWork } from '../shared/timeLimit.ts';
import {
  type ArgumentsMatch,
  agentKey,
  argumentsMatch,
  argumentsMatchSchema,
  callsOf,
  decidingCalls,
  describeCall,
  faultsOfKeys,
  noteOnAgent,
} from '../shared/toolCalls.ts';

interface WantedTool {
  readonly name: string;
  /** Default: any arguments. */
  readonly args?: Readonly<Record<string, unknown>> | undefined;
  readonly compare: ArgumentsMatch;
}

interface PlacedCall {
  readonly turn: number;
  readonly call: ToolCall;
  readonly describe: () => string;
}

/** A finding about one turn, or about all of them. */
interface Note {
  readonly turn?: number;
  readonly text: string;
}

type Compare = (wanted: readonly WantedTool[], calls: readonly PlacedCall[]) => Note[];

const COMPARE = {
  exact(wanted, calls) {
    const faults = [...tooFew(wanted, calls), ...tooMany(wanted, calls)];
    return faults.length > 0 ? faults : outOfPlace(wanted, calls);
  },
  'in-order'(wanted, calls) {
    const faults: Note[] = [];
    const used = new Set<PlacedCall>();
    let next = 0;
    wanted.forEach((one, index) => {
      const place = calls.findIndex((placed, at) => at >= next && isCallOf(placed, one));
      const found = calls[place];
      if (found) {
        used.add(found);
        next = place + 1;
        return;
      }
      const early = calls.find((placed) => !used.has(placed) && isCallOf(placed, one));
      const before = wanted[index - 1];
      if (!early || !before) {
        faults.push(...missing([one], calls));
        return;
      }
      used.add(early);
      const text = `called ${nameOf(one)} out of order: expected after ${nameOf(before)}`;
      faults.push({ turn: early.turn, text });
    });
    return faults;
  },
  'any-order': tooFew,
  superset: tooFew,
  subset: tooMany,
  unordered: (wanted, calls) => [...tooFew(wanted, calls), ...tooMany(wanted, calls)],
} as const satisfies Readonly<Record<string, Compare>>;

export type SequenceMatch = keyof typeof COMPARE;

/** Each entry in the list needs a separate call. */
function tooFew(wanted: readonly WantedTool[], calls: readonly PlacedCall[]): Note[] {
  const pairs = pairUp(wanted, calls);
  const unpaired = wanted.filter((_, index) => !pairs.has(index));
  return missing(unpaired, calls);
}

/** Each call needs a separate entry. */
function tooMany(wanted: readonly WantedTool[], calls: readonly PlacedCall[]): Note[] {
  const paired = new Set(pairUp(wanted, calls).values());
  return calls
    .filter((placed) => !paired.has(placed))
    .map((placed) => {
      const isWanted = wanted.some((one) => isCallOf(placed, one));
      const fault = isWanted ? ' more often than expected' : ', which is not expected';
      return { turn: placed.turn, text: `called ${placed.describe()}${fault}` };
    });
}

/**
 * Pairs as many entries as possible with one call each, using shortest augmenting paths. In `[search, {name: search,
 * args: {page: 2}}]`, the first entry must not take the only call that matches the second entry.
 *
 * @returns calls, by the index in `wanted`
 */
function pairUp(
  wanted: readonly WantedTool[],
  calls: readonly PlacedCall[],
): ReadonlyMap<number, PlacedCall> {
  const callOf = new Map<number, PlacedCall>();
  const entryOf = new Map<PlacedCall, number>();
  let unpaired = calls;
  let movable = calls;
  for (const start of wanted.keys()) {
    // For each call, the entry that would take it if its current entry gave it up.
    const takers = new Map<PlacedCall, number>();
    let rest = movable;
    const queue = [start];
    for (const index of queue) {
      const one = wanted[index];
      const fits = (placed: PlacedCall) => one !== undefined && isCallOf(placed, one);
      const free = unpaired.find(fits);
      if (free) {
        unpaired = unpaired.filter((placed) => placed !== free);
        takers.set(free, index);
        for (let given: PlacedCall | undefined = free; given; ) {
          const taker: number = takers.get(given) ?? start;
          const before = callOf.get(taker);
          callOf.set(taker, given);
          entryOf.set(given, taker);
          given = before;
        }
        break;
      }
      for (const placed of rest.filter(fits)) {
        takers.set(placed, index);
        queue.push(entryOf.get(placed) ?? start);
      }
      rest = rest.filter((placed) => !takers.has(placed));
    }
    // Calls that couldn't help this entry can't help a later one, either.
    if (!callOf.has(start)) movable = rest;
  }
  return callOf;
}

function isCallOf({ call }: PlacedCall, { name, args, compare }: WantedTool): boolean {
  if (call.name !== name) return false;
  return args === undefined || argumentsMatch(call.arguments, args, compare);
}

function missing(wanted: readonly WantedTool[], calls: readonly PlacedCall[]): Note[] {
  const texts = wanted.map((one) => {
    const isCalled = calls.some((placed) => isCallOf(placed, one));
    return `${nameOf(one)} was not called${isCalled ? ' often enough' : ''}`;
  });
  return [...new Set(texts)].map((text) => ({ text }));
}

function outOfPlace(wanted: readonly WantedTool[], calls: readonly PlacedCall[]): Note[] {
  return calls.flatMap((placed, index) => {
    const one = wanted[index];
    if (!one || isCallOf(placed, one)) return [];
    const text = `called ${placed.call.name} out of order: expected ${nameOf(one)} as call ${index + 1}`;
    return [{ turn: placed.turn, text }];
  });
}

function nameOf({ name, args }: WantedTool): string {
  return args === undefined ? name : `${name} with ${JSON.stringify(args)}`;
}

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
  match: z
    .enum(['exact', 'in-order', 'any-order', 'unordered', 'subset', 'superset'])
    .default('in-order')
    .meta({
      description:
        '`exact`: these calls in this order and no others; `in-order`: in this order, with other calls allowed between them; `any-order` or `superset`: each at least as often as listed; `unordered`: each exactly as often as listed, and no others; `subset`: only these, none more often than listed.',
    }),
  args: argumentsMatchSchema.default('superset').meta({
    description:
      "How to compare a call's arguments with an entry's `args`. `superset`: these, with others allowed; `exact`: these and no others; `subset`: no others, but some may be missing; `ignore`: not at all; or a list of keys to compare, such as `[city, time.start]`.",
  }),
  agent: agentKey,
});

interface SequenceCheck {
  readonly passed: boolean;
  readonly notes: readonly Note[];
  readonly turns: readonly Turn[];
}

export const toolSequence = deterministicType({
  type: 'tool-sequence',
  summary: 'The assistant called these tools, in this order or any order.',
  docs: {
    asks: `
      Compares the tool calls of the chosen turns, in order, with \`tools\`; each call matches at most one entry. \`match\` sets how strict the comparison is:

      - \`exact\`: these calls in this order and no others
      - \`in-order\` (default): these calls in this order; other calls may come between them
      - \`any-order\`, also called \`superset\`: each of these calls at least as often as listed, in any order; other calls are allowed
      - \`unordered\`: each of these calls exactly as often as listed, in any order, and no other calls
      - \`subset\`: only these calls, none of them more often than listed; some may be missing

      An entry without \`args\` matches any arguments. Otherwise the assertion's \`args\`, or the entry's \`compare\`, sets how they are compared: \`superset\` (default), \`exact\`, \`subset\`, \`ignore\`, or a list of keys, with dots for nested keys.
    `,
    score: '1 if the calls match, else 0; with `at: each`, turns whose calls match ÷ chosen turns.',
    example:
      "with `tools: [search, book]`, the calls are `search`, `log`, and `book`: 1 with `in-order`, `any-order`, and `superset`; 0 with `exact`, `unordered`, and `subset`, because `log` isn't listed.",
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
  decidedBy: decidingCalls,
  sees: () => ['tool_calls'],
  faults({ tools, args }) {
    const entries = tools.map((tool) => (typeof tool === 'string' ? { name: tool } : tool));
    return [
      ...faultsOfKeys(args, entries, ['args']),
      ...entries.flatMap((entry, index) =>
        faultsOfKeys(entry.compare, [entry], ['tools', index, 'compare']),
      ),
    ];
  },
  check(input, { agent, tools, match, args }) {
    const { turns, assertion, scrub } = input;
    const wanted = tools.map(
      (tool): WantedTool =>
        typeof tool === 'string'
          ? { name: tool, compare: args }
          : { ...tool, compare: tool.compare ?? args },
    );
    const each = assertion.at.kind === 'each';
    const limited = limitWork('List fewer tools, or choose fewer turns with `at`.');
    const checked = (each ? turns.map((turn) => [turn]) : [turns]).map((run): SequenceCheck => {
      const calls = placedCalls(run, agent, scrub);
      const faults = limited(calls.length * wanted.length, () => COMPARE[match](wanted, calls));
      const found = faults.length === 0;
      const notes = found ? madeCalls(run, agent) : faults;
      return { passed: found !== assertion.negate, notes, turns: run };
    });
    const passing = checked.filter(({ passed }) => passed);
    const note = noteOnAgent(agent, input, passing.length === checked.length);
    const summary =
      checked.length > 1
        ? `${passing.length} of ${checked.length} turns pass`
        : checked.flatMap(cited).join('. ');
    return scored(`${summary}${note}.`, checked.flatMap(entries), {
      score: passing.length / checked.length,
      hits: passing.flatMap(cited),
      misses: checked.filter(({ passed }) => !passed).flatMap(cited),
      details: {
        match,
        calls: turns.flatMap((turn) => callsOf(turn, agent)).map(({ name }) => name),
      },
    });
  },
});

function placedCalls(
  turns: readonly Turn[],
  agent: string | undefined,
  scrub: AssertionInput['scrub'],
): PlacedCall[] {
  return turns.flatMap((turn) =>
    callsOf(turn, agent).map((call) => ({
      turn: turn.number,
      call,
      describe: () => describeCall(call, scrub),
    })),
  );
}

function madeCalls(turns: readonly Turn[], agent: string | undefined): Note[] {
  const notes = turns.flatMap((turn): Note[] => {
    const names = callsOf(turn, agent).map(({ name }) => name);
    return names.length === 0 ? [] : [{ turn: turn.number, text: `called ${names.join(', ')}` }];
  });
  return notes.length === 0 ? [{ text: 'no tool was called' }] : notes;
}

function cited({ notes, turns }: SequenceCheck): string[] {
  return notes.map(({ turn, text }) =>
    turn === undefined ? `${turnsText(turns)}: ${text}` : citing(turn, text),
  );
}

/** If several turns lack something together, no single turn is to blame. */
function entries({ passed, notes, turns }: SequenceCheck): TurnVerdict[] {
  return turns.flatMap((turn): TurnVerdict[] => {
    const own = turns.length === 1 ? notes : notes.filter((note) => note.turn === turn.number);
    if (own.length === 0) return [];
    return [decidedTurn(turn.number, passed, own.map(({ text }) => text).join('; '))];
  });
}
