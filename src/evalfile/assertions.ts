import { basename, dirname } from 'node:path';
import type { Problem } from '../core/problem.ts';
import type { Assertion, At, JudgePrompt, ModelSpec } from '../core/suite.ts';
import type { CaseFacts } from '../metrics/assertionType.ts';
import { findAssertionType } from '../metrics/registry.ts';
import { fillIn } from './caseText.ts';
import { FileError } from './files.ts';
import { overrideJudge, resolveModel } from './models.ts';
import { resolvePath } from './paths.ts';
import { bodyProblems, type LoadedPrompt, loadPrompt } from './prompt.ts';
import type { AssertionInput } from './schema.ts';
import { sharedKeys } from './schema.ts';
import { keyPlaceOf, placeOf, type Scope, type Spot, within } from './scope.ts';

/** Prompts are texts for a model: what is larger is a mistake. */
const MAX_PROMPT = 1024 * 1024;

const LABEL_WORDS = 8;

/** What an assertion may know of its case. */
export interface AboutCase {
  readonly facts: CaseFacts;
  readonly hasSystemText: boolean | undefined;
  /** Of the whole conversation, where it is known before the run. */
  readonly turnCount: number | undefined;
  /** The side of each turn, from turn 1, where it is known. */
  readonly sides: readonly ('user' | 'assistant')[] | undefined;
  readonly judge: ModelSpec | undefined;
  /** Whether anything names a judge, be it a wrong one. */
  readonly judgeNamed: boolean;
}

/** Makes an assertion ready to run and checks all that can be known before. */
export async function buildAssertion(
  input: AssertionInput,
  index: number,
  scriptedTurn: number | undefined,
  spot: Spot,
  about: AboutCase,
  scope: Scope,
): Promise<Assertion | undefined> {
  const given: Readonly<Record<string, unknown>> =
    typeof input === 'string' ? { type: 'criterion', criterion: input } : { ...input };
  const type = findAssertionType(String(given.type));
  if (!type) return undefined;
  const { reporter } = scope;
  const shared = sharedKeys(type.judged);
  const owns = (key: string) => Object.hasOwn(type.params.shape, key);
  const params = Object.fromEntries(
    Object.entries(given).filter(([key]) => owns(key) || (key !== 'type' && !shared.includes(key))),
  );
  const filled = fillParams(type.type, params, typeof input === 'string', spot, about, scope);

  const fault = type.fault?.(filled);
  if (fault) {
    reporter.say('bad-value', fault.message, placeOf(within(spot, fault.key)), spot.owner);
  }
  const needed = type.needs?.(about.facts, about.hasSystemText);
  if (needed) reporter.say('missing-need', needed, keyPlaceOf(spot), spot.owner);
  const at = parseAt(given.at);
  checkAt(at, type.side, scriptedTurn, within(spot, 'at'), about, scope);
  const prompt = type.type === 'llm-judge' ? await promptOf(filled, spot, about, scope) : undefined;
  const own =
    given.judge === undefined ? undefined : resolveModel(given.judge, within(spot, 'judge'), scope);
  const judge = overrideJudge(own ?? prompt?.model ?? about.judge, scope);
  if (type.judged && !judge && given.judge === undefined && !about.judgeNamed) {
    const message =
      'No judge is configured: add `judge: openai:gpt-5-mini` to the file, or set TURNLIGHT_JUDGE or the setting turnlight.judge. Without one this is an error when it runs.';
    reporter.say('no-judge', message, keyPlaceOf(spot), spot.owner, { severity: 'warning' });
  }
  const { name, threshold, weight, required, negate, temperature } = given;
  return {
    index,
    type: type.type,
    name: typeof name === 'string' && !owns('name') ? name : labelOf(type.type, filled, prompt),
    source: { path: spot.document.path, range: spot.document.entryRangeOf(spot.path) },
    params: filled,
    weight: typeof weight === 'number' ? weight : 1,
    required: required === true,
    negate: negate === true,
    at,
    ...(prompt && { prompt }),
    ...(typeof threshold === 'number' && { threshold }),
    ...(judge && { judge }),
    ...(typeof temperature === 'number' && { temperature }),
    ...(scriptedTurn !== undefined && { scriptedTurn }),
  };
}

/** Texts of an assertion are the case's own, but a judge prompt has variables of its own. */
function fillParams(
  type: string,
  params: Record<string, unknown>,
  plain: boolean,
  spot: Spot,
  { facts }: AboutCase,
  scope: Scope,
): Record<string, unknown> {
  const { instructions, ...rest } = params;
  const filled = plain
    ? { criterion: fillIn(params.criterion, facts.context, spot, scope) }
    : fillIn(rest, facts.context, spot, scope);
  if (type !== 'llm-judge' || typeof instructions !== 'string') {
    return instructions === undefined ? filled : { ...filled, instructions };
  }
  const place = within(spot, 'instructions');
  for (const problem of bodyProblems(instructions, () => placeOf(place))) {
    scope.reporter.add(problem, spot.owner);
  }
  return { ...filled, instructions };
}

function labelOf(
  type: string,
  params: Readonly<Record<string, unknown>>,
  prompt: JudgePrompt | undefined,
): string {
  if (prompt) return prompt.name ?? basename(prompt.path, '.md');
  // The tool of `tool-called`: two of them are told apart.
  if (typeof params.name === 'string') return `${type} ${params.name}`;
  if (type !== 'criterion') return type;
  const words = String(params.criterion).split(/\s+/);
  return words.length <= LABEL_WORDS
    ? words.join(' ')
    : `${words.slice(0, LABEL_WORDS).join(' ')} …`;
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
  params: Readonly<Record<string, unknown>>,
  spot: Spot,
  { facts }: AboutCase,
  scope: Scope,
): Promise<JudgePrompt | undefined> {
  const { prompt: reference, instructions } = params;
  const { reporter } = scope;
  if ((reference === undefined) === (instructions === undefined)) {
    const message = 'Give either `prompt`, the path of a judge prompt, or `instructions`.';
    reporter.say('prompt-or-instructions', message, keyPlaceOf(spot), spot.owner);
    return undefined;
  }
  if (typeof reference !== 'string') return undefined;
  const place = within(spot, 'prompt');
  const folder = dirname(spot.document.path);
  const { options, files } = scope;
  const resolved = await resolvePath(reference, folder, options.workspace, files);
  if (!('path' in resolved)) {
    reporter.say(resolved.code, resolved.message, placeOf(place), spot.owner);
    return undefined;
  }
  scope.dependencies.add(resolved.path);
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
