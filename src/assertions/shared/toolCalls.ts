import * as z from 'zod';
import { agentsIn, type Turn, turnsOf } from '../../core/conversation.ts';
import { isMapping, type Mapping, valueAt } from '../../core/data/data.ts';
import type { ToolCall } from '../../core/message.ts';
import { agentName } from '../../core/presentation/agents.ts';
import { unknownAgentText } from '../../core/presentation/unknownAgent.ts';
import { closest } from '../../core/text/closest.ts';
import type { AssertionInput, Fault } from '../contract.ts';
import { faultOfPattern, findsPattern } from '../types/regex.ts';
import { limitWork } from './timeLimit.ts';

export const agentKey = z.string().min(1).optional().meta({
  description: 'Name of an agent: only its calls count. Default: the calls of all agents.',
  refersTo: 'agent',
});

/** Keys that specify a call's agent and arguments. */
export const callKeys = {
  agent: agentKey,
  args: z
    .record(z.string(), z.unknown())
    .optional()
    .meta({ description: 'Arguments that a call must have to be counted.' }),
  match: z.enum(['exact', 'partial', 'pattern']).default('partial').meta({
    description:
      'How `args` are compared. `exact`: these arguments and no others; `partial`: these arguments, with others allowed; `pattern`: like `partial`, but every string is a regular expression (RE2).',
  }),
};

interface WantedCall {
  /** Default: any tool. */
  readonly name?: string | undefined;
  readonly agent?: string | undefined;
  readonly args?: Readonly<Record<string, unknown>> | undefined;
  readonly match: 'exact' | 'partial' | 'pattern';
}

/** Labels such as `tool-called refund`: the tool's name distinguishes assertions of the same type. */
export function labelWithTool(type: string) {
  return ({ name }: Readonly<Record<string, unknown>>): string | undefined =>
    typeof name === 'string' ? `${type} ${name}` : undefined;
}

/** The calls of a turn, in order. @param agent if given, only this agent's calls are returned */
export function callsOf(turn: Turn, agent?: string): ToolCall[] {
  return turn.items.flatMap((item) =>
    item.kind === 'tool-call' && (agent === undefined || item.agent === agent) ? [item.call] : [],
  );
}

/** Words that follow a verb: ` by “triage”`. */
export function byAgent(
  agent: string | undefined,
  { scrub = String }: Pick<AssertionInput, 'scrub'>,
): string {
  return agent === undefined ? '' : ` by “${agentName(scrub(agent))}”`;
}

/**
 * A note about an agent that isn't in the conversation, possibly because its name is misspelled; empty if the agent is
 * in the conversation.
 *
 * @param passes whether the check passes
 * @throws Error if it passes because the agent does nothing
 */
export function noteOnAgent(
  agent: string | undefined,
  { conversation, scrub = String }: AssertionInput,
  passes: boolean,
): string {
  if (agent === undefined) return '';
  const known = agentsIn(turnsOf(conversation));
  if (known.includes(agent)) return '';
  const text = unknownAgentText(scrub(agent), known.map(scrub));
  if (passes) throw new Error(`Nothing to check: ${text}.`);
  return `; ${text}`;
}

/**
 * What decides whether a turn's calls pass: their names and, if the assertion specifies any, their agents and
 * arguments.
 */
export function decidingCalls(turn: Turn, params: Readonly<Record<string, unknown>>): unknown {
  const { tools, agent } = params;
  const wanted: unknown[] = [params, ...(Array.isArray(tools) ? tools : [])];
  const comparesArguments = wanted.some((one) => isMapping(one) && isMapping(one.args));
  return turn.items.flatMap((item) => {
    if (item.kind !== 'tool-call') return [];
    const by = agent === undefined ? undefined : item.agent;
    return [[comparesArguments ? item.call : item.call.name, by]];
  });
}

/**
 * The wanted calls of each chosen turn. Score: 1 or 0, depending on the number of calls; with `at: each`, turns that
 * pass ÷ chosen turns.
 *
 * @param isEnough whether a number of calls passes
 */
export function countCalls(
  input: AssertionInput,
  wanted: WantedCall,
  isEnough: (count: number) => boolean,
) {
  const { turns, assertion } = input;
  const { negate, at } = assertion;
  const limited = limitWork('Use simpler patterns, or choose fewer turns with `at`.');
  const finds: Finds = (text, pattern) =>
    limited(text.length * pattern.length, () => findsPattern(text, pattern));
  const found = turns.map((turn) => ({
    turn: turn.number,
    calls: callsOf(turn, wanted.agent).filter((call) => callMatches(call, wanted, finds)),
  }));
  const total = found.reduce((sum, { calls }) => sum + calls.length, 0);
  const each = at.kind === 'each';
  const passes = ({ calls }: (typeof found)[number]) =>
    isEnough(each ? calls.length : total) !== negate;
  const score = each
    ? found.filter(passes).length / turns.length
    : Number(isEnough(total) !== negate);
  return { found, total, each, passes, score, note: noteOnAgent(wanted.agent, input, score === 1) };
}

type Finds = (text: string, pattern: string) => boolean;

function callMatches(call: ToolCall, { name, args, match }: WantedCall, finds: Finds): boolean {
  if (name !== undefined && call.name !== name) return false;
  if (args === undefined) return true;
  return same(call.arguments, args, match !== 'exact', match === 'pattern' ? finds : undefined);
}

const ARGUMENTS_MATCHES = ['ignore', 'exact', 'subset', 'superset'] as const;

/** How to compare a call's arguments: all of them, or only the given keys. */
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

/** Keys to compare that aren't in any entry's `args`: comparing them would always succeed. */
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
    const hint =
      meant === undefined ? 'Add it to the `args` of an entry.' : `Did you mean "${meant}"?`;
    return [
      {
        path: [...path, index],
        message: `No entry of \`tools\` has "${key}" in its \`args\`. ${hint}`,
      },
    ];
  });
}

/** Strings in `args` that should be patterns but aren't valid patterns. */
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

/** `lookup_order {"order":"98765"}`; long arguments are truncated. */
export function describeCall(
  { name, arguments: given }: ToolCall,
  scrub: AssertionInput['scrub'] = String,
): string {
  const text = scrub(typeof given === 'string' ? given : (JSON.stringify(given) ?? ''));
  const shown =
    text.length > MAX_ARGUMENTS_LENGTH ? `${text.slice(0, MAX_ARGUMENTS_LENGTH)}…` : text;
  return shown === '' || shown === '{}' ? name : `${name} ${shown}`;
}

/** @param finds if given, wanted strings are patterns, which it matches */
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

/** All strings in a value, at any depth. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}
