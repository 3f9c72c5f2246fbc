import { basename } from 'node:path';
import { notReported } from '../../assertions/caseNeeds.ts';
import {
  type AssertionType,
  asksJudge,
  asksOneQuestion,
  type CaseFacts,
  type ConversationTraits,
} from '../../assertions/contract.ts';
import { assertionMapping, findAssertionType } from '../../assertions/registry.ts';
import { scaleOfGrading, writtenGrading } from '../../assertions/shared/grading.ts';
import { parseAt } from '../../core/at.ts';
import type { Turn } from '../../core/conversation.ts';
import { type Mapping, mappingOf, memoize, valueAt, withValueAt } from '../../core/data/data.ts';
import { isFileKind, isProgramFile } from '../../core/meaning.ts';
import type { Tool } from '../../core/message.ts';
import { type Scale, UNIT_SCALE } from '../../core/scoring.ts';
import {
  type Assertion,
  type At,
  type JudgePrompt,
  type ModelSpec,
  NO_JUDGE,
} from '../../core/suite.ts';
import { meaningOf, mentionsIn } from '../../schema/mentions.ts';
import { fillIn, isUnfilled } from '../case/fillIn.ts';
import { overrideJudge, resolveModel, warnOfUnset } from '../modelsAndTargets.ts';
import { findReferenced } from '../referencedFiles.ts';
import { type Location, report, reportOnKey, sourceOf, within } from '../scope.ts';
import { readThreshold } from '../threshold.ts';
import { type AssertionInput, sharedKeys } from './assertionSchema.ts';
import { checkInstructions, promptOf } from './judgePrompt.ts';
import { checkKeys, nestedKeys, writtenLabel } from './keys.ts';
import { warnOfTools } from './toolNames.ts';

interface AssertionSlot {
  /** Index in the case's list, from 0. */
  readonly index: number;
  readonly key: string;
  /** Index of the scripted turn that contains it, from 0. */
  readonly scriptedTurn?: number | undefined;
  /** The outer assertion's `at`, used if this assertion has none. */
  readonly at?: unknown;
}

/** Prepares an assertion to run and checks everything that can be known beforehand. */
export async function buildAssertion(
  input: AssertionInput,
  { index, key, scriptedTurn, at: outerAt }: AssertionSlot,
  location: Location,
  about: CaseContext,
): Promise<Assertion | undefined> {
  const given = assertionMapping(input);
  const type = findAssertionType(given.type);
  if (!type) return undefined;
  const shared = sharedKeys(type);
  if (typeof input === 'string') warnOfType(input, location);
  const owns = (key: string) => Object.hasOwn(type.params.shape, key);
  const params = Object.fromEntries(
    Object.entries(given).filter(([key]) => owns(key) || (key !== 'type' && !shared.includes(key))),
  );
  const keys = nestedKeys(given, key);
  const paths = keys.map(({ path }) => path);
  const filled = fillParams(
    type,
    // Nested assertions are built separately, because different rules apply to their text.
    mappingOf(paths.reduce<unknown>((own, path) => withValueAt(own, path, () => null), params)),
    typeof input === 'string',
    location,
    about,
  );
  for (const { path, message } of type.faults?.(filled) ?? []) {
    report('bad-value', message, within(location, ...path));
  }
  warnOfTools(type, filled, about.tools, location);
  warnOfUnset(filled, location);
  checkNeeds(type, location, about);
  const idle = type.idle?.(about.facts, about.known);
  if (idle) {
    const message = `This assertion will be skipped: ${idle}.`;
    reportOnKey('nothing-to-judge', message, location, { severity: 'warning' });
  }
  const at = readAt(given.at ?? outerAt, type.side, scriptedTurn, within(location, 'at'), about);
  checkReported(type, { at, params: filled }, location, about);
  const prompt = type.takesPrompt ? await promptOf(filled, location, about.facts) : undefined;
  const own = await resolveModel(given.judge, within(location, 'judge'));
  const judge = await overrideJudge(own ?? prompt?.model ?? about.judge, location.scope);
  if (asksJudge(type) && !judge && given.judge === undefined && !about.judgeNamed) {
    reportOnKey('no-judge', NO_JUDGE, location, {
      severity: 'warning',
      // An included file contains only cases, so it can't have a top-level judge.
      ...(location.document.path === location.scope.document.path && {
        fix: { add: { to: [], key: 'judge' } },
      }),
    });
  }
  const modelKey = modelKeyOf(type);
  const model = modelKey && (await resolveModel(filled[modelKey], within(location, modelKey)));
  const nested = await Promise.all(
    keys.map(async ({ path, key: innerKey }) => {
      const slot = { index, key: innerKey, scriptedTurn, at: given.at };
      const inner = valueAt(params, path) as AssertionInput;
      const assertion = await buildAssertion(inner, slot, within(location, ...path), about);
      return assertion && { path: path.join('.'), assertion };
    }),
  );
  checkKeys(
    keys.map((one) => ({
      key: one.key,
      given: valueAt(params, one.path),
      location: within(location, ...one.path),
    })),
  );
  const { weight, required, negate, temperature, samples, granularity, window, examples } = given;
  const isTogether =
    asksOneQuestion(type) &&
    granularity !== 'turn' &&
    given.examples === undefined &&
    (about.together ?? judge?.params.together === true);
  const threshold = thresholdOf(given.threshold, scaleOf(type, filled, prompt), location);
  return {
    index,
    key,
    type: type.type,
    name: writtenLabel(given) ?? labelOf(type, filled, prompt),
    source: sourceOf(location),
    params: await absolutePaths(type, filled, location),
    threshold: threshold ?? prompt?.threshold ?? type.defaultThreshold,
    weight: typeof weight === 'number' ? weight : 1,
    required: required === true,
    negate: negate === true,
    at,
    ...(prompt && { prompt }),
    ...(judge && asksJudge(type) && { judge }),
    ...(model && { model }),
    ...(paths.length > 0 && { nested: nested.filter((one) => one !== undefined) }),
    ...(typeof temperature === 'number' && { temperature }),
    ...(typeof samples === 'number' && { samples }),
    ...(granularity === 'turn' && { granularity }),
    ...(typeof window === 'number' && { window }),
    ...(examples === 'labels' && { examples }),
    ...(isTogether && { together: true }),
    ...(scriptedTurn !== undefined && { scriptedTurn }),
  };
}

/** Warns if a criterion is the name of a type. */
function warnOfType(text: string, location: Location): void {
  const name = text.trim();
  if (!findAssertionType(name)) return;
  const message = `"${name}" is read as a criterion for the judge. For the assertion type of that name, write \`type: ${name}\`.`;
  report('type-as-sentence', message, location, {
    severity: 'warning',
    replacement: `type: ${name}`,
  });
}

/** Matches the key in a message about something missing: "add `topics` to the case or the file". */
const ASKED_KEY = /add `(\w+)`/;

function checkNeeds(type: AssertionType, location: Location, { facts, known }: CaseContext): void {
  const needed = type.needs?.(facts, known);
  if (!needed) return;
  const key = ASKED_KEY.exec(needed)?.[1];
  if (key !== undefined && location.scope.invalidKeys.has(key)) return;
  // The case needs the key; for an assertion under `defaults`, the file does.
  const to = location.path[0] === 'cases' ? location.path.slice(0, 2) : [];
  reportOnKey('missing-need', needed, location, {
    ...(key !== undefined && { fix: { add: { to, key } } }),
  });
}

/** Reports assertions about data that the target doesn't report, before the conversation costs money. */
function checkReported(
  type: AssertionType,
  selection: Pick<Assertion, 'at' | 'params'>,
  location: Location,
  { facts, known, targetAt, historyTurns = 0 }: CaseContext,
): void {
  const { at } = selection;
  const last = at.kind === 'range' ? [at.from, at.to] : at.kind === 'turns' ? at.turns : [Infinity];
  // All turns in a history are in the file.
  if (last.every((turn) => turn > 0 && turn <= historyTurns)) return;
  const hidden = notReported(type, selection, facts, known.reporting);
  if (!hidden) return;
  const { message, key } = hidden;
  // A fix can edit only the problem's own document.
  const fixable = key !== undefined && targetAt?.document === location.document;
  const fix = fixable && { add: { to: targetAt.path, key, value: `/${key}` } };
  reportOnKey('not-reported', message, location, { ...(fix && { fix }) });
}

/** The type's key for a model. */
const modelKeyOf = memoize(({ params }: AssertionType) =>
  Object.keys(params.shape).find((key) => {
    const field = params.shape[key];
    return field !== undefined && meaningOf(field).refersTo === 'model';
  }),
);

/** Makes the paths in a type's keys absolute. */
async function absolutePaths(
  type: AssertionType,
  params: Mapping,
  location: Location,
): Promise<Mapping> {
  let absolute: unknown = params;
  for (const { kind, text, path } of mentionsIn(type.params, params).names) {
    // A judge prompt is read separately.
    if (!isFileKind(kind) || kind === 'prompt' || isUnfilled(text)) continue;
    if (kind === 'program' && !isProgramFile(text)) continue;
    const file = await findReferenced(text, within(location, ...path), kind);
    // A command runs as written, from the file's folder.
    if (file !== undefined && kind !== 'program')
      absolute = withValueAt(absolute, path, () => file);
  }
  return mappingOf(absolute);
}

function scaleOf(
  { scale }: AssertionType,
  params: Mapping,
  prompt: JudgePrompt | undefined,
): Scale {
  if (scale !== 'own') return scale ?? UNIT_SCALE;
  return scaleOfGrading(writtenGrading(params) ?? prompt?.grading);
}

function thresholdOf(given: unknown, scale: Scale, location: Location): number | undefined {
  if (typeof given !== 'number') return undefined;
  const { share, problem } = readThreshold(given, scale);
  if (problem) report(problem.code, problem.message, within(location, 'threshold'), problem);
  return share;
}

/** Fills in the case's variables, but not those of a judge prompt. */
function fillParams(
  { takesPrompt }: AssertionType,
  { instructions, ...rest }: Mapping,
  plain: boolean,
  location: Location,
  { facts }: CaseContext,
): Mapping {
  // In the file, a plain criterion has no key.
  const filled = plain
    ? { criterion: fillIn(rest.criterion, facts.context, location) }
    : fillIn(rest, facts.context, location);
  if (takesPrompt && typeof instructions === 'string') {
    checkInstructions(instructions, within(location, 'instructions'), facts);
  }
  return instructions === undefined ? filled : { ...filled, instructions };
}

function labelOf(type: AssertionType, params: Mapping, prompt: JudgePrompt | undefined): string {
  if (prompt) return prompt.name ?? basename(prompt.path, '.md');
  return type.label?.(params) ?? type.type;
}

/** The parts of a case that its assertions depend on. */
export interface CaseContext {
  readonly facts: CaseFacts;
  readonly known: ConversationTraits;
  /** The tools of the case and of its target. */
  readonly tools: readonly Tool[];
  readonly targetAt: Location | undefined;
  /** The side of each turn, from turn 1, if known before the run. */
  readonly sides: readonly Turn['side'][] | undefined;
  /** Number of turns before the first live one; undefined without a history. */
  readonly historyTurns: number | undefined;
  readonly judge: ModelSpec | undefined;
  /** Whether a judge is set, even an invalid one. */
  readonly judgeNamed: boolean;
  readonly together: boolean | undefined;
}

/** Parses a valid `at` and reports turns that don't exist. */
function readAt(
  given: unknown,
  side: AssertionType['side'],
  scriptedTurn: number | undefined,
  location: Location,
  about: CaseContext,
): At {
  const defaultAt = about.historyTurns === undefined ? 'all' : 'live';
  const at = parseAt(given ?? (scriptedTurn === undefined ? defaultAt : undefined));
  if (scriptedTurn !== undefined && at.kind !== 'all') {
    const message = 'An assertion under a turn checks the reply to that turn. Remove `at`.';
    report('bad-at', message, location, {
      ...(given !== undefined && { fix: { remove: location.path } }),
    });
    return at;
  }
  const fault = faultOf(at, side, about);
  if (fault === undefined) return at;
  const meant = fittingAt(at, side, about.sides ?? []);
  const instead = { path: location.path, keys: { at: meant }, guessed: true } as const;
  report('bad-at', fault, location, { ...(meant !== undefined && { fix: { instead } }) });
  return at;
}

/** A value that selects existing turns instead of a missing one. */
function fittingAt(
  at: At,
  side: AssertionType['side'],
  sides: readonly Turn['side'][],
): number | string | undefined {
  if (at.kind === 'range') {
    const [from, to] = [Math.min(at.from, at.to), Math.max(at.from, at.to)];
    const last = Math.min(to, sides.length || to);
    return from <= last ? `${from}-${last}` : undefined;
  }
  if (at.kind !== 'turns' || at.turns.length > 1) return undefined;
  const [turn = 0] = at.turns;
  if (turn <= 0) return turn === 0 ? 'last' : 'first';
  const away = (number: number) => Math.abs(number - turn);
  const own = sides.flatMap((one, index) => (side === 'both' || one === side ? index + 1 : []));
  return own.sort((a, b) => away(a) - away(b) || b - a)[0];
}

function faultOf(
  at: At,
  side: AssertionType['side'],
  { sides, historyTurns = 0 }: CaseContext,
): string | undefined {
  const turnCount = sides?.length;
  if (at.kind === 'range') {
    if (at.from > at.to) return `The range goes backwards: ${at.from} is after ${at.to}.`;
    return turnCount !== undefined && at.to > turnCount ? tooFar(at.to, turnCount) : undefined;
  }
  if (at.kind === 'agent' && side === 'user') {
    return "Only the assistant's turns have agents, but this looks only at the user's turns.";
  }
  if (at.kind !== 'turns') return undefined;
  for (const number of at.turns) {
    if (number === 0) return 'Turns are numbered from 1. Use -1 for the last turn.';
    const counted = number > 0 ? sides : sides?.slice(historyTurns);
    if (counted && Math.abs(number) > counted.length) return tooFar(number, counted.length);
    const found = counted?.at(number > 0 ? number - 1 : number);
    if (found && side !== 'both' && found !== side) {
      return `Turn ${number} is the ${found}'s, but this assertion checks only the ${side}'s turns.`;
    }
  }
  return undefined;
}

function tooFar(number: number, count: number): string {
  const live = number < 0 ? ' live' : '';
  return `There is no turn ${number}: the conversation has ${count}${live} turns.`;
}
