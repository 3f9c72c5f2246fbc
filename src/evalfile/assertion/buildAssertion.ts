import { basename, dirname, resolve } from 'node:path';
import { type AssertionType, asksJudge } from '../../assertions/contract.ts';
import { assertionMapping, findAssertionType } from '../../assertions/registry.ts';
import { scaleSchema } from '../../assertions/types/llm-judge.ts';
import { changedAt, type Mapping, mappingOf, valueAt } from '../../core/data.ts';
import type { Fix } from '../../core/problem.ts';
import type { Scale } from '../../core/scoring.ts';
import type { Assertion, JudgePrompt } from '../../core/suite.ts';
import { fillIn } from '../case/caseText.ts';
import { overrideJudge, resolveModel } from '../models.ts';
import { outsideMessage, staysInside } from '../paths.ts';
import { type AssertionInput, sharedKeys } from '../schema.ts';
import { keyPlaceOf, placeOf, type Scope, type Spot, within } from '../scope.ts';
import { readThreshold } from '../threshold.ts';
import type { AboutCase } from './aboutCase.ts';
import { readAt } from './at.ts';
import { checkKeys } from './checkKeys.ts';
import { checkInstructions, promptOf } from './judgePrompt.ts';
import { nestedKeys, writtenLabel } from './key.ts';

/** Where an assertion belongs in its case. */
export interface AssertionPlace {
  /** Place in the case's list, from 0. */
  readonly index: number;
  /** Its identity in the case. */
  readonly key: string;
  /** From 0: the scripted turn it stands under. */
  readonly scriptedTurn?: number;
  /** Of the assertion that holds it, where it names no `at` of its own. */
  readonly at?: unknown;
}

/** Makes an assertion ready to run and checks all that can be known before. */
export async function buildAssertion(
  input: AssertionInput,
  { index, key, scriptedTurn, at: outerAt }: AssertionPlace,
  spot: Spot,
  about: AboutCase,
  scope: Scope,
): Promise<Assertion | undefined> {
  const given = assertionMapping(input);
  const type = findAssertionType(given.type);
  if (!type) return undefined;
  const { reporter } = scope;
  const shared = sharedKeys(type);
  const owns = (key: string) => Object.hasOwn(type.params.shape, key);
  const params = Object.fromEntries(
    Object.entries(given).filter(([key]) => owns(key) || (key !== 'type' && !shared.includes(key))),
  );
  const keys = nestedKeys(given, key);
  const places = keys.map(({ place }) => place);
  const filled = fillParams(
    type,
    // Nested assertions are made by themselves: their texts have rules of their own.
    mappingOf(places.reduce<unknown>((own, path) => changedAt(own, path, () => null), params)),
    typeof input === 'string',
    spot,
    about,
    scope,
  );
  for (const { path, message } of type.faults?.(filled) ?? []) {
    reporter.say('bad-value', message, placeOf(within(spot, ...path)), spot.owner);
  }
  checkNeeds(type, spot, about, scope);
  const idle = type.idle?.(about.facts, about.known);
  if (idle) {
    const message = `This will be skipped: ${idle}.`;
    reporter.say('nothing-to-judge', message, keyPlaceOf(spot), spot.owner, {
      severity: 'warning',
    });
  }
  const at = readAt(given.at ?? outerAt, type.side, scriptedTurn, within(spot, 'at'), about, scope);
  const prompt = type.takesPrompt ? await promptOf(filled, spot, about.facts, scope) : undefined;
  const own =
    given.judge === undefined ? undefined : resolveModel(given.judge, within(spot, 'judge'), scope);
  const judge = overrideJudge(own ?? prompt?.model ?? about.judge, scope);
  if (asksJudge(type) && !judge && given.judge === undefined && !about.judgeNamed) {
    const message =
      'No judge is configured: add `judge: openai:gpt-5-mini` to the file, or set TURNLIGHT_JUDGE or the setting turnlight.judge. Without one this is an error when it runs.';
    reporter.say('no-judge', message, keyPlaceOf(spot), spot.owner, {
      severity: 'warning',
      // An included file holds cases only: there the judge cannot stand at the top.
      ...(spot.document.path === scope.document.path && {
        fix: { add: { to: [], key: 'judge' } },
      }),
    });
  }
  const model =
    owns('model') && filled.model !== undefined
      ? resolveModel(filled.model, within(spot, 'model'), scope)
      : undefined;
  const nested = await Promise.all(
    keys.map(async ({ place, key: innerKey }) => {
      const belongs = {
        index,
        key: innerKey,
        ...(scriptedTurn !== undefined && { scriptedTurn }),
        at: given.at,
      };
      const inner = valueAt(params, place) as AssertionInput;
      const assertion = await buildAssertion(inner, belongs, within(spot, ...place), about, scope);
      return assertion && { place: place.join('.'), assertion };
    }),
  );
  const held = keys.map((one) => ({
    key: one.key,
    given: valueAt(params, one.place),
    spot: within(spot, ...one.place),
  }));
  checkKeys(held, reporter);
  const { weight, required, negate, temperature, samples, granularity, window } = given;
  const threshold = thresholdOf(given.threshold, scaleOf(type, filled, prompt), spot, scope);
  return {
    index,
    key,
    type: type.type,
    name: writtenLabel(given) ?? labelOf(type, filled, prompt),
    source: { path: spot.document.path, range: spot.document.entryRangeOf(spot.path) },
    params: await withAbsolutePath(filled, spot, scope),
    threshold: threshold ?? prompt?.threshold ?? type.defaultThreshold,
    weight: typeof weight === 'number' ? weight : 1,
    required: required === true,
    negate: negate === true,
    at,
    ...(prompt && { prompt }),
    ...(judge && asksJudge(type) && { judge }),
    ...(model && { model }),
    ...(places.length > 0 && { nested: nested.filter((one) => one !== undefined) }),
    ...(typeof temperature === 'number' && { temperature }),
    ...(typeof samples === 'number' && { samples }),
    ...(granularity === 'turn' && { granularity }),
    ...(typeof window === 'number' && { window }),
    ...(scriptedTurn !== undefined && { scriptedTurn }),
  };
}

/** A need's sentence names the key that it asks for: "add `topics` to the case or the file". */
const ASKED_KEY = /add `(\w+)`/;

function checkNeeds(
  type: AssertionType,
  spot: Spot,
  { facts, known }: AboutCase,
  { reporter, unsound }: Scope,
): void {
  const needed = type.needs?.(facts, known);
  if (!needed) return;
  const key = ASKED_KEY.exec(needed)?.[1];
  if (key !== undefined && unsound.has(key)) return;
  // Under `defaults` the file needs it, else the case: `cases` and its place.
  const to = spot.path[0] === 'cases' ? spot.path.slice(0, 2) : [];
  reporter.say('missing-need', needed, keyPlaceOf(spot), spot.owner, {
    ...(key !== undefined && { fix: { add: { to, key } } }),
  });
}

/** A script's path, absolute once it is read, names a file inside the workspace. */
async function withAbsolutePath(
  params: Mapping,
  spot: Spot,
  { options, files, reporter, dependencies }: Scope,
): Promise<Mapping> {
  if (typeof params.path !== 'string') return params;
  const folder = dirname(spot.document.path);
  const path = resolve(folder, params.path);
  dependencies.add(path);
  const say = (code: string, message: string, fix?: Fix) =>
    reporter.say(code, message, placeOf(within(spot, 'path')), spot.owner, fix && { fix });
  if (!staysInside(params.path, folder, options.workspace)) {
    say('path-outside', outsideMessage(params.path));
  } else if (!/\.(?:[cm]?js|m?ts)$/.test(path)) {
    say('unknown-file-type', 'A script is a .js, .mjs or .ts file.');
  } else if (!(await files.exists(path))) {
    const message = `There is no file "${params.path}". Paths start from this file's folder.`;
    say('file-missing', message, { create: { path, kind: 'script' } });
  }
  return { ...params, path };
}

/** Lowest and highest value of the assertion. */
function scaleOf(
  { scale }: AssertionType,
  params: Mapping,
  prompt: JudgePrompt | undefined,
): Scale {
  if (scale !== 'own') return scale ?? [0, 1];
  const own = scaleSchema.safeParse(params.scale);
  return own.success ? own.data : (prompt?.scale ?? [0, 1]);
}

function thresholdOf(
  given: unknown,
  scale: Scale,
  spot: Spot,
  { reporter }: Scope,
): number | undefined {
  if (typeof given !== 'number') return undefined;
  const { share, problem } = readThreshold(given, scale);
  if (problem) reporter.add({ ...problem, ...placeOf(within(spot, 'threshold')) }, spot.owner);
  return share;
}

/** Texts of an assertion are the case's own, but a judge prompt has variables of its own. */
function fillParams(
  { takesPrompt }: AssertionType,
  { instructions, ...rest }: Mapping,
  plain: boolean,
  spot: Spot,
  { facts }: AboutCase,
  scope: Scope,
): Mapping {
  const filled = plain
    ? { criterion: fillIn(rest.criterion, facts.context, spot, scope) }
    : fillIn(rest, facts.context, spot, scope);
  if (takesPrompt && typeof instructions === 'string') {
    checkInstructions(instructions, within(spot, 'instructions'), facts, scope);
  }
  return instructions === undefined ? filled : { ...filled, instructions };
}

function labelOf(type: AssertionType, params: Mapping, prompt: JudgePrompt | undefined): string {
  if (prompt) return prompt.name ?? basename(prompt.path, '.md');
  return type.label?.(params) ?? type.type;
}
