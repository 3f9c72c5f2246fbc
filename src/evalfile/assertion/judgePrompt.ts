import type { CaseFacts } from '../../assertions/contract.ts';
import { contextKey, knownLengths, missingFact } from '../../assertions/shared/promptVariables.ts';
import type { Mapping } from '../../core/data/data.ts';
import { LIMITS } from '../../core/limits.ts';
import type { Range } from '../../core/problem.ts';
import type { JudgePrompt } from '../../core/suite.ts';
import { renderedLength, templateVariables, tooLong } from '../../core/text/template.ts';
import { pieceRanges } from '../../yaml/scalarSpans.ts';
import { isUnfilled } from '../case/fillIn.ts';
import { resolveModel } from '../modelsAndTargets.ts';
import { bodyProblems } from '../prompt.ts';
import { readReferenced } from '../referencedFiles.ts';
import { type Location, report, reportOnKey, type Scope, within } from '../scope.ts';

/** The judge prompt that an assertion refers to; undefined if it refers to none or has its own `instructions`. */
export async function promptOf(
  params: Mapping,
  location: Location,
  facts: CaseFacts,
): Promise<JudgePrompt | undefined> {
  const { prompt: reference, instructions } = params;
  const { owner, scope } = location;
  if ((reference === undefined) === (instructions === undefined)) {
    const message = 'Set either `prompt`, the path of a judge prompt, or `instructions`.';
    reportOnKey('prompt-or-instructions', message, location, {
      ...(reference === undefined && { fix: { add: { to: location.path, key: 'instructions' } } }),
    });
    return undefined;
  }
  if (typeof reference !== 'string' || isUnfilled(reference)) return undefined;
  const promptLocation = within(location, 'prompt');
  const found = await readReferenced(reference, promptLocation, 'prompt');
  if (!found) return undefined;
  const loaded = scope.loadPrompt(found.text, found.path);
  for (const problem of loaded.problems) scope.reporter.add(problem, owner);
  for (const name of loaded.needs) {
    if (!lacks(facts, name, scope)) continue;
    const message = `The prompt needs \`context.${name}\`. Add \`${name}\` to the case's \`context\`.`;
    report('missing-context', message, promptLocation);
  }
  for (const { name } of loaded.variables) reportMissingFact(name, promptLocation, facts);
  if (!loaded.prompt) return undefined;
  reportTooLong(loaded.prompt.body, promptLocation, facts);
  const own: Location = { scope, document: loaded.document, path: ['model'], owner };
  const model = await resolveModel(loaded.model, own);
  return { ...loaded.prompt, ...(model && { model }) };
}

/** Checks a case's `instructions` like the text of a judge prompt. */
export function checkInstructions(
  instructions: string,
  location: Location,
  facts: CaseFacts,
): void {
  const { document, path, owner, scope } = location;
  const pieceAt = pieceRanges(document, path);
  const problems = bodyProblems(instructions, document.path, (start, end) => {
    const range = pieceAt(start, end - start);
    return { range: range ?? document.rangeOf(path), whole: !range };
  });
  for (const problem of problems) scope.reporter.add(problem, owner);
  for (const { name, offset, length } of templateVariables(instructions)) {
    const range = pieceAt(offset, length);
    reportMissingFact(name, location, facts, range);
    const key = contextKey(name);
    if (key === undefined || !lacks(facts, key, scope)) continue;
    const message = `The case's \`context\` has no \`${key}\`.`;
    report('missing-context', message, location, { ...(range && { range }) });
  }
  reportTooLong(instructions, location, facts);
}

/** Reports a prompt that is too long even without the conversation. */
function reportTooLong(prompt: string, location: Location, facts: CaseFacts): void {
  const length = renderedLength(prompt, knownLengths(facts));
  if (length <= LIMITS.filled) return;
  report('text-too-large', tooLong(length, LIMITS.filled), location);
}

/** Reports a variable if the part of the case that it needs is missing. @param range the variable's range */
function reportMissingFact(
  variable: string,
  location: Location,
  facts: CaseFacts,
  range?: Range,
): void {
  const missing = missingFact(variable, facts);
  if (!missing || location.scope.invalidKeys.has(missing.fact)) return;
  const { fact, message } = missing;
  const shared = fact === 'expectations' ? ['defaults'] : [];
  const { path } = location;
  const to = path[0] === 'cases' ? path.slice(0, 2) : shared;
  const fix = { add: { to, key: fact } };
  report('missing-fact', message, location, { fix, ...(range && { range }) });
}

function lacks({ context }: CaseFacts, key: string, { invalidKeys }: Scope): boolean {
  return !Object.hasOwn(context, key) && !invalidKeys.has('context');
}
