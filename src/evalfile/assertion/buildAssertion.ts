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
import { type Location, type Scope, within } from '../scope.ts';
import { readThreshold } from '../threshold.ts';
import { type AssertionInput, sharedKeys } from './assertionSchema.ts';
import { checkInstructions, promptOf } from './judgePrompt.ts';
import { checkKeys, nestedKeys, writtenLabel } from './keys.ts';

interface AssertionSlot {
  /** Index in the case's list, from 0. */
  readonly index: number;
  readonly key: string;
  /** From 0: the scripted turn that contains it. */
  readonly scriptedTurn?: number | undefined;
  /** The `at` of the outer assertion, which applies if it has none. */
  readonly at?: unknown;
}

/** Prepares an assertion to run and checks everything that can be known beforehand. */
export async function buildAssertion(
  input: AssertionInput,
  { index, key, scriptedTurn, at: outerAt }: AssertionSlot,
  location: Location,
  about: CaseContext,
  scope: Scope,
): Promise<Assertion | undefined> {
  const given = assertionMapping(input);
  const type = findAssertionType(given.type);
  if (!type) return undefined;
  const { reporter } = scope;
  const shared = sharedKeys(type);
  if (typeof input === 'string') warnOfType(input, location, scope);
  const owns = (key: string) => Object.hasOwn(type.params.shape, key);
  const params = Object.fromEntries(
    Object.entries(given).filter(([key]) => owns(key) || (key !== 'type' && !shared.includes(key))),
  );
  const keys = nestedKeys(given, key);
  const paths = keys.map(({ path }) => path);
  const filled = fillParams(
    type,
    // Nested assertions are built separately: their texts have their own rules.
    mappingOf(paths.reduce<unknown>((own, path) => withValueAt(own, path, () => null), params)),
    typeof input === 'string',
    location,
    about,
    scope,
  );
  for (const { path, message } of type.faults?.(filled) ?? []) {
    reporter.report('bad-value', message, within(location, ...path));
  }
  warnOfUnset(filled, location, scope);
  checkNeeds(type, location, about, scope);
  const idle = type.idle?.(about.facts, about.known);
  if (idle) {
    const message = `This assertion will be skipped: ${idle}.`;
    reporter.reportOnKey('nothing-to-judge', message, location, { severity: 'warning' });
  }
  const at = readAt(
    given.at ?? outerAt,
    type.side,
    scriptedTurn,
    within(location, 'at'),
    about,
    scope,
  );
  checkReported(type, at, location, about, scope);
  const prompt = type.takesPrompt
    ? await promptOf(filled, location, about.facts, scope)
    : undefined;
  const own = await resolveModel(given.judge, within(location, 'judge'), scope);
  const judge = await overrideJudge(own ?? prompt?.model ?? about.judge, scope);
  if (asksJudge(type) && !judge && given.judge === undefined && !about.judgeNamed) {
    reporter.reportOnKey('no-judge', NO_JUDGE, location, {
      severity: 'warning',
      // An included file contains only cases: it can't have a top-level judge.
      ...(location.document.path === scope.document.path && {
        fix: { add: { to: [], key: 'judge' } },
      }),
    });
  }
  const modelKey = modelKeyOf(type);
  const model =
    modelKey && (await resolveModel(filled[modelKey], within(location, modelKey), scope));
  const nested = await Promise.all(
    keys.map(async ({ path, key: innerKey }) => {
      const slot = { index, key: innerKey, scriptedTurn, at: given.at };
      const inner = valueAt(params, path) as AssertionInput;
      const assertion = await buildAssertion(inner, slot, within(location, ...path), about, scope);
      return assertion && { path: path.join('.'), assertion };
    }),
  );
  const held = keys.map((one) => ({
    key: one.key,
    given: valueAt(params, one.path),
    location: within(location, ...one.path),
  }));
  checkKeys(held, reporter);
  const { weight, required, negate, temperature, samples, granularity, window, examples } = given;
  const isTogether =
    asksOneQuestion(type) &&
    granularity !== 'turn' &&
    given.examples === undefined &&
    (about.together ?? judge?.params.together === true);
  const threshold = thresholdOf(given.threshold, scaleOf(type, filled, prompt), location, scope);
  return {
    index,
    key,
    type: type.type,
    name: writtenLabel(given) ?? labelOf(type, filled, prompt),
    source: { path: location.document.path, range: location.document.entryRangeOf(location.path) },
    params: await absolutePaths(type, filled, location, scope),
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
function warnOfType(text: string, location: Location, { reporter }: Scope): void {
  const name = text.trim();
  if (!findAssertionType(name)) return;
  const message = `The judge takes "${name}" for a sentence to check. For the assertion of that type, write \`type: ${name}\`.`;
  reporter.report('type-as-sentence', message, location, {
    severity: 'warning',
    replacement: `type: ${name}`,
  });
}

/** A sentence about a missing need names the key: "add `topics` to the case or the file". */
const ASKED_KEY = /add `(\w+)`/;

function checkNeeds(
  type: AssertionType,
  location: Location,
  { facts, known }: CaseContext,
  { reporter, invalidKeys }: Scope,
): void {
  const needed = type.needs?.(facts, known);
  if (!needed) return;
  const key = ASKED_KEY.exec(needed)?.[1];
  if (key !== undefined && invalidKeys.has(key)) return;
  // Under `defaults` the file needs it, else the case: `cases` and its place.
  const to = location.path[0] === 'cases' ? location.path.slice(0, 2) : [];
  reporter.reportOnKey('missing-need', needed, location, {
    ...(key !== undefined && { fix: { add: { to, key } } }),
  });
}

/** Reports assertions on something that the target is known not to report, before the conversation costs money. */
function checkReported(
  type: AssertionType,
  at: At,
  location: Location,
  { facts, known, targetAt, historyTurns = 0 }: CaseContext,
  { reporter }: Scope,
): void {
  const last = at.kind === 'range' ? [at.from, at.to] : at.kind === 'turns' ? at.turns : [Infinity];
  // A history is in the file, whole.
  if (last.every((turn) => turn > 0 && turn <= historyTurns)) return;
  const hidden = notReported(type, facts, known.reporting);
  if (!hidden) return;
  const { message, key } = hidden;
  // A fix is an edit of the problem's own document.
  const fixable = key !== undefined && targetAt?.document === location.document;
  reporter.reportOnKey('not-reported', message, location, {
    ...(fixable && {
      // An example of a pointer.
      fix: { add: { to: targetAt.path, key, value: `/${key}` } },
    }),
  });
}

/** The type's key for a model. */
const modelKeyOf = memoize(({ params }: AssertionType) =>
  Object.keys(params.shape).find((key) => {
    const field = params.shape[key];
    return field !== undefined && meaningOf(field).refersTo === 'model';
  }),
);

/** The type's keys with absolute paths of the files that they name. */
async function absolutePaths(
  type: AssertionType,
  params: Mapping,
  location: Location,
  scope: Scope,
): Promise<Mapping> {
  let absolute: unknown = params;
  for (const { kind, text, path } of mentionsIn(type.params, params).names) {
    // A judge prompt is read with its variables and its model.
    if (!isFileKind(kind) || kind === 'prompt' || isUnfilled(text)) continue;
    if (kind === 'program' && !isProgramFile(text)) continue;
    const file = await findReferenced(text, within(location, ...path), kind, scope);
    // A command is run as it is written, in the folder of the file.
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

function thresholdOf(
  given: unknown,
  scale: Scale,
  location: Location,
  { reporter }: Scope,
): number | undefined {
  if (typeof given !== 'number') return undefined;
  const { share, problem } = readThreshold(given, scale);
  if (problem)
    reporter.report(problem.code, problem.message, within(location, 'threshold'), problem);
  return share;
}

/** Texts of an assertion are the case's own, but a judge prompt has variables of its own. */
function fillParams(
  { takesPrompt }: AssertionType,
  { instructions, ...rest }: Mapping,
  plain: boolean,
  location: Location,
  { facts }: CaseContext,
  scope: Scope,
): Mapping {
  // A criterion has no key of its own in the file.
  const filled = plain
    ? Object.fromEntries(
        Object.entries(rest).map(([key, text]) => [
          key,
          fillIn(text, facts.context, location, scope),
        ]),
      )
    : fillIn(rest, facts.context, location, scope);
  if (takesPrompt && typeof instructions === 'string') {
    checkInstructions(instructions, within(location, 'instructions'), facts, scope);
  }
  return instructions === undefined ? filled : { ...filled, instructions };
}

function labelOf(type: AssertionType, params: Mapping, prompt: JudgePrompt | undefined): string {
  if (prompt) return prompt.name ?? basename(prompt.path, '.md');
  return type.label?.(params) ?? type.type;
}

/** What an assertion can use of its case while it's built. */
export interface CaseContext {
  readonly facts: CaseFacts;
  readonly known: ConversationTraits;
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
  { reporter }: Scope,
): At {
  const at = parseAt(given ?? (scriptedTurn === undefined ? defaultAt(about) : undefined));
  const fault =
    scriptedTurn !== undefined && at.kind !== 'all'
      ? 'An assertion under a turn checks the reply to that turn. Remove `at`.'
      : faultOf(at, side, about);
  if (fault !== undefined) reporter.report('bad-at', fault, location);
  return at;
}

/** The `at` of an assertion that has none. */
function defaultAt({ historyTurns }: CaseContext): 'all' | 'live' {
  return historyTurns === undefined ? 'all' : 'live';
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
  if (at.kind !== 'turns') return undefined;
  for (const number of at.turns) {
    if (number === 0) return 'Turns are numbered from 1. Use -1 for the last turn.';
    const counted = number > 0 ? sides : sides?.slice(historyTurns);
    if (counted && Math.abs(number) > counted.length) return tooFar(number, counted.length);
    const found = counted?.at(number > 0 ? number - 1 : number);
    if (found && side !== 'both' && found !== side) {
      return `Turn ${number} is the ${found}'s, but this looks only at the ${side}'s turns.`;
    }
  }
  return undefined;
}

function tooFar(number: number, count: number): string {
  const live = number < 0 ? ' live' : '';
  return `There is no turn ${number}: the conversation has ${count}${live} turns.`;
}
