import type { CodeAction, Diagnostic } from 'vscode-languageserver-types';
import type { Range } from '../../../core/problem.ts';
import type { EvalDocument } from '../../ports.ts';
import type { CodeActionPorts } from './actions.ts';
import { addMissingKey } from './addKey.ts';
import { toTranscript, toTurns } from './conversation.ts';
import { createFile } from './createFile.ts';
import { didYouMean, didYouMeanIn } from './didYouMean.ts';
import { extractName } from './extractName.ts';
import { fixAll } from './fixAll.ts';
import type { CursorPlace } from './place.ts';
import { inlinePrompt, toPromptFile } from './promptFile.ts';
import { putInQuotes } from './quotes.ts';
import { remove } from './remove.ts';
import { indentWithSpaces } from './tabs.ts';
import { inlineTranscript, toTranscriptFile } from './transcriptFile.ts';

/** LSP's kinds of code actions that are offered here. */
export const codeActionKinds = [
  'quickfix',
  'refactor.extract',
  'refactor.inline',
  'refactor.rewrite',
  'source.fixAll.turnlight',
] as const;

/**
 * Fixes of the problems at a range, and what can be done with the thing that stands there.
 *
 * @param diagnostics those of the client's request
 * @param only kinds that are asked for; all unless given
 */
export async function codeActions(
  document: EvalDocument,
  range: Range,
  diagnostics: readonly Diagnostic[],
  ports: CodeActionPorts,
  only?: readonly string[],
): Promise<CodeAction[]> {
  const { yaml } = document;
  const uri = ports.uriOf(yaml.path);
  const { path } = yaml.pathAt(range.start);
  const wanted = (kind: string) =>
    only === undefined || only.some((one) => kind === one || kind.startsWith(`${one}.`));
  const fixes = diagnostics.flatMap((one) => [
    ...didYouMean(uri, yaml, one),
    ...indentWithSpaces(uri, yaml.text, one),
    ...putInQuotes(uri, yaml, one),
    ...addMissingKey(uri, document, one),
    ...createFile(one, ports),
    ...remove(uri, yaml, one),
  ]);
  return [
    ...(wanted('quickfix') ? fixes : []),
    ...(codeActionKinds.some((kind) => kind.startsWith('refactor') && wanted(kind))
      ? (await refactorings({ document, uri, path, ports })).filter(({ kind = '' }) => wanted(kind))
      : []),
    ...(wanted('source.fixAll.turnlight') ? fixAll(uri, fixes) : []),
  ];
}

async function refactorings(place: CursorPlace): Promise<CodeAction[]> {
  return [
    ...extractName(place),
    ...toTurns(place),
    ...(await toTranscript(place)),
    ...(await toTranscriptFile(place)),
    ...(await inlineTranscript(place)),
    ...(await toPromptFile(place)),
    ...(await inlinePrompt(place)),
  ];
}

/** Fixes in a file that is no eval file, such as a judge prompt or a transcript. */
export function codeActionsOfText(
  uri: string,
  text: string,
  diagnostics: readonly Diagnostic[],
  only?: readonly string[],
): CodeAction[] {
  const fixes = diagnostics.flatMap((one) => [
    ...didYouMeanIn(uri, text, one),
    ...indentWithSpaces(uri, text, one),
  ]);
  const wanted = (kind: string) =>
    only === undefined || only.some((one) => kind === one || kind.startsWith(`${one}.`));
  return [
    ...(wanted('quickfix') ? fixes : []),
    ...(wanted('source.fixAll.turnlight') ? fixAll(uri, fixes) : []),
  ];
}
