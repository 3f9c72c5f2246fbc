import type { ToolCall } from '../../core/message.ts';
import { type ArgumentsMatch, argumentsMatch, describeCall } from './toolCalls.ts';

export const SEQUENCE_MATCHES = [
  'exact',
  'in-order',
  'any-order',
  'unordered',
  'subset',
  'superset',
] as const;

export type SequenceMatch = (typeof SEQUENCE_MATCHES)[number];

export interface WantedTool {
  readonly name: string;
  /** Any arguments where it is absent. */
  readonly args?: Readonly<Record<string, unknown>> | undefined;
  readonly compare: ArgumentsMatch;
}

export interface PlacedCall {
  readonly turn: number;
  readonly call: ToolCall;
}

/** Why calls do not match; `turn` is absent if a call was not made at all. */
export interface SequenceFault {
  readonly turn?: number;
  readonly text: string;
}

type Compare = (wanted: readonly WantedTool[], calls: readonly PlacedCall[]) => SequenceFault[];

const COMPARE: Readonly<Record<SequenceMatch, Compare>> = {
  exact(wanted, calls) {
    const faults = [...tooFew(wanted, calls), ...tooMany(wanted, calls)];
    return faults.length > 0 ? faults : outOfPlace(wanted, calls);
  },
  'in-order'(wanted, calls) {
    const faults: SequenceFault[] = [];
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
};

/** Each entry of the list needs a call of its own. */
function tooFew(wanted: readonly WantedTool[], calls: readonly PlacedCall[]): SequenceFault[] {
  const partners = pairUp(wanted, calls);
  return missing(
    wanted.filter((_, index) => partners[index] === undefined),
    calls,
  );
}

/** Each call needs an entry of its own. */
function tooMany(wanted: readonly WantedTool[], calls: readonly PlacedCall[]): SequenceFault[] {
  const paired = new Set(pairUp(wanted, calls));
  return calls
    .filter((_, index) => !paired.has(index))
    .map((placed) =>
      wanted.some((one) => isCallOf(placed, one))
        ? {
            turn: placed.turn,
            text: `called ${describeCall(placed.call)} more often than expected`,
          }
        : notWanted(placed),
    );
}

/** What keeps the calls from matching the list; nothing where they match. */
export function compareCalls(
  wanted: readonly WantedTool[],
  calls: readonly PlacedCall[],
  match: SequenceMatch,
): SequenceFault[] {
  return COMPARE[match](wanted, calls);
}

/**
 * The call that stands for each wanted one, each call for one at most, as many as can be. A list of
 * `[search, {name: search, args: {page: 2}}]` needs its second entry served before its first takes
 * the only call that fits both: Kuhn's augmenting paths.
 */
function pairUp(
  wanted: readonly WantedTool[],
  calls: readonly PlacedCall[],
): (number | undefined)[] {
  const owners: (number | undefined)[] = calls.map(() => undefined);
  const serve = (index: number, tried: Set<number>): boolean =>
    calls.some((placed, place) => {
      const one = wanted[index];
      if (!one || tried.has(place) || !isCallOf(placed, one)) return false;
      tried.add(place);
      const owner = owners[place];
      if (owner !== undefined && !serve(owner, tried)) return false;
      owners[place] = index;
      return true;
    });
  wanted.forEach((_, index) => {
    serve(index, new Set());
  });
  return wanted.map((_, index) => {
    const place = owners.indexOf(index);
    return place < 0 ? undefined : place;
  });
}

function isCallOf({ call }: PlacedCall, { name, args, compare }: WantedTool): boolean {
  if (call.name !== name) return false;
  return args === undefined || argumentsMatch(call.arguments, args, compare);
}

function missing(wanted: readonly WantedTool[], calls: readonly PlacedCall[]): SequenceFault[] {
  const texts = wanted.map((one) =>
    calls.some((placed) => isCallOf(placed, one))
      ? `${nameOf(one)} was not called often enough`
      : `${nameOf(one)} was not called`,
  );
  return [...new Set(texts)].map((text) => ({ text }));
}

function notWanted({ turn, call }: PlacedCall): SequenceFault {
  return { turn, text: `called ${describeCall(call)}, which is not wanted` };
}

function outOfPlace(wanted: readonly WantedTool[], calls: readonly PlacedCall[]): SequenceFault[] {
  return calls.flatMap((placed, index) => {
    const one = wanted[index];
    if (!one || isCallOf(placed, one)) return [];
    return [
      {
        turn: placed.turn,
        text: `called ${placed.call.name} out of order: expected ${nameOf(one)} as call ${index + 1}`,
      },
    ];
  });
}

function nameOf({ name, args }: WantedTool): string {
  return args === undefined ? name : `${name} with ${JSON.stringify(args)}`;
}
