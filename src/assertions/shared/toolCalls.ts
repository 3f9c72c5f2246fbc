import * as z from 'zod';
import type { Turn } from '../../core/conversation.ts';
import { isMapping, type Mapping, valueAt } from '../../core/data/data.ts';
import type { ToolCall } from '../../core/message.ts';
import { closest } from '../../core/text/closest.ts';
import type { AssertionInput, Fault } from '../contract.ts';
import { faultOfPattern, findsPattern } from '../types/regex.ts';
import { limitWork } from './timeLimit.ts';

/** Keys for the arguments of a call. */
export const argumentKeys = {
  args: z
    .record(z.string(), z.unknown())
    .optional()
    .meta({ description: 'Arguments a call must have to count.' }),
  match: z.enum(['exact', 'partial', 'pattern']).default('partial').meta({
    description:
      'How `args` are compared: `exact` the same and no others, `partial` these among others, `pattern` as partial with every text a regular expression (RE2).',
  }),
};

interface WantedCall {
  /** Default: any tool. */
  readonly name?: string | undefined;
  readonly args?: Readonly<Record<string, unknown>> | undefined;
  readonly match: 'exact' | 'partial' | 'pattern';
}

/** `tool-called refund`: the tool distinguishes assertions of the same type. */
export function labelWithTool(type: string) {
  return ({ name }: Readonly<Record<string, unknown>>): string | undefined =>
    typeof name === 'string' ? `${type} ${name}` : undefined;
}

/** The calls of a turn, in order. */
export function callsOf(turn: Turn): ToolCall[] {
  return turn.items.flatMap((item) => (item.kind === 'tool-call' ? [item.call] : []));
}

/** What decides whether a turn's calls pass: their names and, if the assertion has any, their arguments. */
export function decidingCalls(turn: Turn, params: Readonly<Record<string, unknown>>): unknown {
  const { tools } = params;
  const wanted: unknown[] = [params, ...(Array.isArray(tools) ? tools : [])];
  const comparesArguments = wanted.some((one) => isMapping(one) && isMapping(one.args));
  return callsOf(turn).map((call) => (comparesArguments ? call : call.name));
}

/**
 * The wanted calls of each chosen turn. Score: 1 or 0, depending on their number; with `at: each`, turns that pass ÷
 * chosen turns.
 *
 * @param isEnough whether a number of calls passes
 */
export function countCalls(
  { turns, assertion: { negate, at } }: AssertionInput,
  wanted: WantedCall,
  isEnough: (count: number) => boolean,
) {
  const limited = limitWork('Use simpler patterns, or choose fewer turns with `at`.');
  const finds: Finds = (text, pattern) =>
    limited(text.length * pattern.length, () => findsPattern(text, pattern));
  const found = turns.map((turn) => ({
    turn: turn.number,
    calls: callsOf(turn).filter((call) => callMatches(call, wanted, finds)),
  }));
  const total = found.reduce((sum, { calls }) => sum + calls.length, 0);
  const each = at.kind === 'each';
  const passes = ({ calls }: (typeof found)[number]) =>
    isEnough(each ? calls.length : total) !== negate;
  const passing = each
    ? found.filter(passes).length / turns.length
    : Number(isEnough(total) !== negate);
  return { found, total, each, passes, score: passing };
}

type Finds = (text: string, pattern: string) => boolean;

function callMatches(call: ToolCall, { name, args, match }: WantedCall, finds: Finds): boolean {
  if (name !== undefined && call.name !== name) return false;
  if (args === undefined) return true;
  return same(call.arguments, args, match !== 'exact', match === 'pattern' ? finds : undefined);
}

const ARGUMENTS_MATCHES = ['ignore', 'exact', 'subset', 'superset'] as const;

/** How to compare a call's arguments: all of them, or only these keys. */
export const argumentsMatchSchema = z.union([
  z.enum(ARGUMENTS_MATCHES),
  z.array(z.string().min(1)).min(1),
]);

export type ArgumentsMatch = z.infer<typeof argumentsMatchSchema>;

export function argumentsMatch(given: unknown, wanted: Mapping, compare: ArgumentsMatch): boolean {
  switch (compare) {
    case 'ignore':
      return true;
    case 'exact':
      return same(given, wanted, false);
    case 'superset':
      return same(given, wanted, true);
    case 'subset':
      return same(wanted, given, true);
    default:
      return compare.every((key) =>
        same(valueAt(given, key.split('.')), valueAt(wanted, key.split('.')), false),
      );
  }
}

/** Keys to compare that are in no entry's `args`: comparing them would always succeed. */
export function faultsOfKeys(
  compare: ArgumentsMatch | undefined,
  entries: readonly { readonly args?: Mapping | undefined }[],
  path: Fault['path'],
): Fault[] {
  if (!Array.isArray(compare)) return [];
  return [...compare.entries()].flatMap(([index, key]) => {
    if (entries.some(({ args }) => valueAt(args, key.split('.')) !== undefined)) return [];
    const meant = closest(
      key,
      entries.flatMap(({ args = {} }) => Object.keys(args)),
    );
    const hint = meant === undefined ? 'Add it to `args` of a tool.' : `Did you mean "${meant}"?`;
    return [{ path: [...path, index], message: `No \`args\` of a tool have "${key}". ${hint}` }];
  });
}

/** Strings in `args` that should be patterns but aren't valid. */
export function faultsOfArguments({ args, match }: WantedCall): Fault[] {
  if (match !== 'pattern') return [];
  return textsIn(args).flatMap((text) => {
    const message = faultOfPattern(text);
    return message === undefined
      ? []
      : [{ path: ['args'], message: `${JSON.stringify(text)}: ${message}` }];
  });
}

const MAX_ARGUMENTS_LENGTH = 200;

/** `lookup_order {"order":"98765"}`; long arguments are cut. */
export function describeCall(
  { name, arguments: given }: ToolCall,
  scrub: AssertionInput['scrub'] = String,
): string {
  const text = scrub(typeof given === 'string' ? given : (JSON.stringify(given) ?? ''));
  const shown =
    text.length > MAX_ARGUMENTS_LENGTH ? `${text.slice(0, MAX_ARGUMENTS_LENGTH)}…` : text;
  return shown === '' || shown === '{}' ? name : `${name} ${shown}`;
}

/** @param finds if given, wanted strings are patterns */
function same(actual: unknown, wanted: unknown, partial: boolean, finds?: Finds): boolean {
  if (finds && typeof wanted === 'string') {
    const text = typeof actual === 'string' ? actual : JSON.stringify(actual);
    return text !== undefined && finds(text, wanted);
  }
  if (Array.isArray(wanted)) {
    return (
      Array.isArray(actual) &&
      actual.length === wanted.length &&
      wanted.every((value, index) => same(actual[index], value, partial, finds))
    );
  }
  if (!isMapping(wanted)) return actual === wanted;
  if (!isMapping(actual)) return false;
  const keys = Object.keys(wanted);
  if (!partial && Object.keys(actual).length !== keys.length) return false;
  return keys.every(
    (key) => Object.hasOwn(actual, key) && same(actual[key], wanted[key], partial, finds),
  );
}

/** Every string, at any depth. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
