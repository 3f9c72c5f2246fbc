import type { CodeAction, Diagnostic, TextEdit } from 'vscode-languageserver-types';
import { valueAt } from '../../core/data/data.ts';
import { overlaps, type Range } from '../../core/problem.ts';
import { judgeChoices } from '../../evalfile/judgeChoices.ts';
import { loadPrompt } from '../../evalfile/prompt.ts';
import { parseYaml } from '../../yaml/yamlDocument.ts';
import type { EvalDocument } from '../ports.ts';
import { type ActionContext, type CodeActionPorts, editsIn } from './actions.ts';
import { extractName } from './extractName.ts';
import { ALL_FIXES, fixesOf, PROMPT_FIXES, TEXT_FIXES } from './fixes.ts';
import { improveJudge, inlinePrompt, toPromptFile } from './judgePrompt.ts';
import { inlineTranscript, toTranscript, toTranscriptFile, toTurns } from './transcript.ts';

export const codeActionKinds = [
  'quickfix',
  'refactor.extract',
  'refactor.inline',
  'refactor.rewrite',
  'source.fixAll.turnlight',
] as const;

/**
 * Fixes for the problems in a range, and refactorings for the code at its start.
 *
 * @param diagnostics the ones in the client's request
 * @param only the requested kinds; all if absent
 */
export async function codeActions(
  document: EvalDocument,
  range: Range,
  diagnostics: readonly Diagnostic[],
  ports: CodeActionPorts,
  only?: readonly string[],
): Promise<CodeAction[]> {
  const { yaml, suite } = document;
  const { uriOf } = ports;
  const uri = uriOf(yaml.path);
  const lacksJudge = diagnostics.some(({ code }) => code === 'no-judge');
  const judges = lacksJudge && (await judgeChoices(valueAt(yaml.value, ['models']), ports));
  const fixes = fixesOf(diagnostics, ALL_FIXES, {
    uri,
    yaml,
    suite,
    uriOf,
    ...(judges && { judges }),
  });
  const context = { document, uri, path: yaml.pathAt(range.start).path, ports };
  const isRefactoring = (kind: string) => kind.startsWith('refactor') && isWanted(kind, only);
  const others = codeActionKinds.some(isRefactoring) ? await refactorings(context) : [];
  return [
    ...wantedFixes(uri, fixes, only),
    ...others.filter(({ kind = '' }) => isRefactoring(kind)),
  ];
}

/** Fixes in a file other than an eval file, such as a judge prompt or a transcript. */
export function codeActionsOfText(
  path: string,
  text: string,
  diagnostics: readonly Diagnostic[],
  { uriOf }: Pick<CodeActionPorts, 'uriOf'>,
  only?: readonly string[],
): CodeAction[] {
  if (diagnostics.length === 0) return [];
  const uri = uriOf(path);
  const fixes = [
    ...fixesOf(diagnostics, TEXT_FIXES, { uri, yaml: parseYaml(text, path), uriOf }),
    ...fixesOf(diagnostics, PROMPT_FIXES, { uri, yaml: loadPrompt(text, path).document, uriOf }),
  ];
  return wantedFixes(uri, fixes, only);
}

function wantedFixes(uri: string, fixes: readonly CodeAction[], only?: readonly string[]) {
  return [
    ...(isWanted('quickfix', only) ? fixes : []),
    ...(isWanted('source.fixAll.turnlight', only) ? fixAll(uri, fixes) : []),
  ];
}

function isWanted(kind: string, only?: readonly string[]): boolean {
  return only === undefined || only.some((one) => kind === one || kind.startsWith(`${one}.`));
}

async function refactorings(context: ActionContext): Promise<CodeAction[]> {
  const found: CodeAction[] = [];
  for (const refactor of REFACTORINGS) found.push(...(await refactor(context)));
  return found;
}

const REFACTORINGS = [
  ...[extractName, toTurns, toTranscript, toTranscriptFile],
  ...[inlineTranscript, toPromptFile, inlinePrompt, improveJudge],
];

/** Combines the preferred fixes. If two of them overlap, includes only the first one. */
function fixAll(uri: string, actions: readonly CodeAction[]): CodeAction[] {
  const applied: TextEdit[] = [];
  const included: CodeAction[] = [];
  for (const action of actions) {
    const edits = action.edit?.changes?.[uri] ?? [];
    if (!action.isPreferred || edits.length === 0) continue;
    if (edits.some((edit) => applied.some(({ range }) => overlaps(edit.range, range)))) continue;
    applied.push(...edits);
    included.push(action);
  }
  if (included.length === 0) return [];
  const title = 'Fix all auto-fixable Turnlight problems';
  const diagnostics = included.flatMap((one) => one.diagnostics ?? []);
  return [{ title, kind: 'source.fixAll.turnlight', diagnostics, edit: editsIn(uri, applied) }];
}
