import { basename, dirname, resolve } from 'node:path';
import {
  type AssertionType,
  asksJudge,
  type CaseFacts,
  type Known,
  type Scale,
} from '../assertions/contract.ts';
import { findAssertionType } from '../assertions/registry.ts';
import { scaleSchema } from '../assertions/types/llm-judge.ts';
import { changedAt, type Mapping, mappingOf, valueAt } from '../core/data.ts';
import type { Fix, Problem } from '../core/problem.ts';
import type { Assertion, At, JudgePrompt, ModelSpec } from '../core/suite.ts';
import { templateVariables } from '../core/template.ts';
import { pieceRange } from '../yaml/scalarText.ts';
import { fillIn } from './caseText.ts';
import { FileError } from './files.ts';
import { overrideJudge, resolveModel } from './models.ts';
import { outsideMessage, resolvePath, staysInside } from './paths.ts';
import { bodyProblems, type LoadedPrompt, loadPrompt } from './prompt.ts';
import type { AssertionInput } from './schema.ts';
import { sharedKeys } from './schema.ts';
import { keyPlaceOf, placeOf, type Scope, type Spot, within } from './scope.ts';

/** Prompts are texts for a model: what is larger is a mistake. */
const MAX_PROMPT = 1024 * 1024;

/** What an assertion may know of its case. */
export interface AboutCase {
  readonly facts: CaseFacts;
  readonly known: Known;
  /** Of the whole conversation, where it is known before the run. */
  readonly turnCount: number | undefined;
  /** The side of each turn, from turn 1, where it is known. */
  readonly sides: readonly ('user' | 'assistant')[] | undefined;
  readonly judge: ModelSpec | undefined;
  /** Whether anything names a judge, be it a wrong one. */
  readonly judgeNamed: boolean;
}

/** Where an assertion belongs in its case. */
export interface AssertionPlace {
  /** Place in the case's list, from 0. */
  readonly index: number;
  /** From 0: the scripted turn it stands under. */
  readonly scriptedTurn?: number;
  /** Of the assertion that holds it, where it names no `at` of its own. */
  readonly at?: unknown;
}

/** Makes an assertion ready to run and checks all that can be known before. */
export async function buildAssertion(
  input: AssertionInput,
  { index, scriptedTurn, at: outerAt }: AssertionPlace,
  spot: Spot,
  about: AboutCase,
  scope: Scope,
): Promise<Assertion | undefined> {
  const given: Mapping =
    typeof input === 'string' ? { type: 'criterion', criterion: input } : { ...input };
  const type = findAssertionType(given.type);
  if (!type) return undefined;
  const { reporter } = scope;
  const shared = sharedKeys(type);
  const owns = (key: string) => Object.hasOwn(type.params.shape, key);
  const params = Object.fromEntries(
    Object.entries(given).filter(([key]) => owns(key) || (key !== 'type' && !shared.includes(key))),
  );
  const places = type.nesting?.places(params) ?? [];
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
  const at = parseAt(given.at ?? outerAt);
  checkAt(at, type.side, scriptedTurn, within(spot, 'at'), about, scope);
  const prompt = type.takesPrompt ? await promptOf(filled, spot, about, scope) : undefined;
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
    places.map(async (path) => {
      const place = { index, ...(scriptedTurn !== undefined && { scriptedTurn }), at: given.at };
      const inner = valueAt(params, path);
      const at = within(spot, ...path);
      const assertion = await buildAssertion(inner as AssertionInput, place, at, about, scope);
      return assertion && { key: path.join('.'), assertion };
    }),
  );
  const { name, weight, required, negate, temperature, samples, granularity, window } = given;
  const threshold = thresholdOf(given.threshold, scaleOf(type, filled, prompt), spot, scope);
  return {
    index,
    type: type.type,
    name: typeof name === 'string' && !owns('name') ? name : labelOf(type, filled, prompt),
    source: { path: spot.document.path, range: spot.document.entryRangeOf(spot.path) },
    params: await withAbsolutePath(filled, spot, scope),
    weight: typeof weight === 'number' ? weight : 1,
    required: required === true,
    negate: negate === true,
    at,
    ...(prompt && { prompt }),
    ...(threshold !== undefined && { threshold }),
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

/** In 0..1. What is greater than 1 can only be meant in the scale of the values. */
function thresholdOf(
  given: unknown,
  [low, high]: Scale,
  spot: Spot,
  { reporter }: Scope,
): number | undefined {
  if (typeof given !== 'number') return undefined;
  // A scale that goes below 0 leaves no room for shares.
  if (given <= 1 && given >= 0 && low >= 0) {
    if (given === 1 && low < 1 && high > 1) {
      const message = `The threshold 1 is read as a share, which is ${high} of ${low}..${high}. Write a greater one, or a share below 1.`;
      reporter.say('ambiguous-threshold', message, placeOf(within(spot, 'threshold')), spot.owner, {
        severity: 'warning',
      });
    }
    return given;
  }
  if (given <= high && given >= low) return (given - low) / (high - low);
  const message = `The threshold ${given} is outside of 0..1${high > 1 || low < 0 ? ` and of the scale, ${low}..${high}` : ''}.`;
  reporter.say('out-of-range', message, placeOf(within(spot, 'threshold')), spot.owner);
  return undefined;
}

/** Texts of an assertion are the case's own, but a judge prompt has variables of its own. */
function fillParams(
  { takesPrompt }: AssertionType,
  params: Mapping,
  plain: boolean,
  spot: Spot,
  { facts }: AboutCase,
  scope: Scope,
): Record<string, unknown> {
  const { instructions, ...rest } = params;
  const filled = plain
    ? { criterion: fillIn(params.criterion, facts.context, spot, scope) }
    : fillIn(rest, facts.context, spot, scope);
  if (!takesPrompt || typeof instructions !== 'string') {
    return instructions === undefined ? filled : { ...filled, instructions };
  }
  const place = within(spot, 'instructions');
  const { document } = spot;
  const found = bodyProblems(instructions, (start, end) => {
    const range = pieceRange(document, place.path, start, end - start);
    return range ? { path: document.path, range } : { ...placeOf(place), whole: true };
  });
  for (const problem of found) scope.reporter.add(problem, spot.owner);
  for (const { name, offset, length } of templateVariables(instructions)) {
    const key = name.startsWith('context.') ? name.slice('context.'.length) : undefined;
    if (key === undefined || Object.hasOwn(facts.context, key)) continue;
    const range = pieceRange(document, place.path, offset, length);
    const at = range ? { path: document.path, range } : placeOf(place);
    const message = `The case's \`context\` has no \`${key}\`.`;
    scope.reporter.say('missing-context', message, at, spot.owner);
  }
  return { ...filled, instructions };
}

function labelOf(type: AssertionType, params: Mapping, prompt: JudgePrompt | undefined): string {
  if (prompt) return prompt.name ?? basename(prompt.path, '.md');
  return type.label?.(params) ?? type.type;
}

function parseAt(value: unknown): At {
  if (value === undefined) return { kind: 'all' };
  if (typeof value === 'number') return { kind: 'turns', turns: [value] };
  if (Array.isArray(value)) return { kind: 'turns', turns: value.map(Number) };
  if (value === 'all' || value === 'last' || value === 'first' || value === 'each') {
    return { kind: value };
  }
  const [from, to] = String(value).split('-').map(Number);
  return { kind: 'range', from: from ?? 1, to: to ?? 1 };
}

function checkAt(
  at: At,
  side: 'user' | 'assistant' | 'both',
  scriptedTurn: number | undefined,
  spot: Spot,
  about: AboutCase,
  { reporter }: Scope,
): void {
  const fault =
    scriptedTurn !== undefined && at.kind !== 'all'
      ? 'An assertion under a turn is about the reply to it; `at` cannot choose another.'
      : faultOfAt(at, side, about);
  if (fault !== undefined) reporter.say('bad-at', fault, placeOf(spot), spot.owner);
}

function faultOfAt(
  at: At,
  side: 'user' | 'assistant' | 'both',
  { turnCount, sides }: AboutCase,
): string | undefined {
  if (at.kind === 'range') {
    if (at.from > at.to) return `The range goes backwards: ${at.from} is after ${at.to}.`;
    return turnCount !== undefined && at.to > turnCount ? tooFar(at.to, turnCount) : undefined;
  }
  if (at.kind !== 'turns') return undefined;
  for (const number of at.turns) {
    if (number === 0) return 'Turns are numbered from 1; -1 is the last.';
    if (turnCount !== undefined && Math.abs(number) > turnCount) return tooFar(number, turnCount);
    const found = sides?.at(number > 0 ? number - 1 : number);
    if (found && side !== 'both' && found !== side) {
      return `Turn ${number} is the ${found}'s, and this looks at the ${side}'s turns.`;
    }
  }
  return undefined;
}

function tooFar(number: number, count: number): string {
  return `There is no turn ${number}: the conversation has ${count} turns.`;
}

async function promptOf(
  params: Mapping,
  spot: Spot,
  { facts }: AboutCase,
  scope: Scope,
): Promise<JudgePrompt | undefined> {
  const { prompt: reference, instructions } = params;
  const { reporter } = scope;
  if ((reference === undefined) === (instructions === undefined)) {
    const message = 'Give either `prompt`, the path of a judge prompt, or `instructions`.';
    reporter.say('prompt-or-instructions', message, keyPlaceOf(spot), spot.owner, {
      ...(reference === undefined && { fix: { add: { to: spot.path, key: 'instructions' } } }),
    });
    return undefined;
  }
  if (typeof reference !== 'string') return undefined;
  const place = within(spot, 'prompt');
  const folder = dirname(spot.document.path);
  const { options, files } = scope;
  const resolved = await resolvePath(reference, folder, options.workspace, files);
  // One that is not there may come.
  scope.dependencies.add(resolve(folder, reference));
  if (!('path' in resolved)) {
    reporter.say(resolved.code, resolved.message, placeOf(place), spot.owner, {
      ...(resolved.code === 'file-missing' && {
        fix: { create: { path: resolve(folder, reference), kind: 'prompt' } },
      }),
    });
    return undefined;
  }
  const loaded = await readPrompt(resolved.path, scope);
  if ('code' in loaded) {
    reporter.say(loaded.code, loaded.message, placeOf(place), spot.owner);
    return undefined;
  }
  for (const problem of loaded.problems) reporter.add(problem, spot.owner);
  for (const name of loaded.needs) {
    if (Object.hasOwn(facts.context, name)) continue;
    const message = `The prompt needs \`context.${name}\`, which the case does not have.`;
    reporter.say('missing-context', message, placeOf(place), spot.owner);
  }
  if (!loaded.prompt) return undefined;
  const model =
    loaded.model === undefined
      ? undefined
      : resolveModel(loaded.model, promptSpot(loaded, spot), scope);
  return { ...loaded.prompt, ...(model && { model }) };
}

function promptSpot({ document }: LoadedPrompt, { owner }: Spot): Spot {
  return { document, path: ['model'], ...(owner !== undefined && { owner }) };
}

function readPrompt(path: string, { prompts, files }: Scope): Promise<LoadedPrompt | Problem> {
  const known = prompts.get(path);
  if (known) return known;
  const reading = files.read(path, MAX_PROMPT).then(
    (text) => loadPrompt(text, path),
    (error: unknown): Problem => {
      if (!(error instanceof FileError)) throw error;
      const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } };
      return {
        code: `file-${error.reason}`,
        message: error.message,
        severity: 'error',
        path,
        range,
      };
    },
  );
  prompts.set(path, reading);
  return reading;
}
