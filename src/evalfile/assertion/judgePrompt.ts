import { dirname, resolve } from 'node:path';
import type { CaseFacts } from '../../assertions/contract.ts';
import { contextKey } from '../../assertions/shared/promptVariables.ts';
import type { Mapping } from '../../core/data.ts';
import { type Problem, START } from '../../core/problem.ts';
import type { JudgePrompt } from '../../core/suite.ts';
import { templateVariables } from '../../core/template.ts';
import { pieceRange } from '../../yaml/scalarText.ts';
import { FileError } from '../files.ts';
import { resolveModel } from '../models.ts';
import { resolvePath } from '../paths.ts';
import { bodyProblems, type LoadedPrompt, loadPrompt } from '../prompt.ts';
import { keyPlaceOf, placeOf, type Scope, type Spot, within } from '../scope.ts';

/** Prompts are texts for a model: what is larger is a mistake. */
const MAX_PROMPT = 1024 * 1024;

/** The judge prompt that an assertion names; undefined where it has its own `instructions` or none. */
export async function promptOf(
  params: Mapping,
  spot: Spot,
  facts: CaseFacts,
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
      const { reason, message } = error;
      return { code: `file-${reason}`, message, severity: 'error', path, range: START };
    },
  );
  prompts.set(path, reading);
  return reading;
}

/** The rules of a prompt's text, of `instructions` that stand in the case. */
export function checkInstructions(
  instructions: string,
  spot: Spot,
  { context }: CaseFacts,
  { reporter }: Scope,
): void {
  const { document, path, owner } = spot;
  const placed = (start: number, length: number) => {
    const range = pieceRange(document, path, start, length);
    return range ? { path: document.path, range } : { ...placeOf(spot), whole: true };
  };
  const problems = bodyProblems(instructions, (start, end) => placed(start, end - start));
  for (const problem of problems) reporter.add(problem, owner);
  for (const { name, offset, length } of templateVariables(instructions)) {
    const key = contextKey(name);
    if (key === undefined || Object.hasOwn(context, key)) continue;
    const message = `The case's \`context\` has no \`${key}\`.`;
    reporter.say('missing-context', message, placed(offset, length), owner);
  }
}
