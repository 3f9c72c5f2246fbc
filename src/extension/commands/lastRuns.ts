import * as vscode from 'vscode';
import { pushAll } from '../../core/data/data.ts';
import { caseName, STATUS_ICONS, STATUS_WORDS } from '../../core/presentation/words.ts';
import { isError } from '../../core/problem.ts';
import { worstFirst } from '../../core/record/caseHistory.ts';
import type { ExpandedCase } from '../../core/suite.ts';
import { labelText } from '../../core/text/visibleText.ts';
import { type SaveAs, type SavedCase, SaveError, savedCase } from '../../evalfile/savedCase.ts';
import { LatestRuns } from '../../store/records/latest.ts';
import { hasFinished, lastRun, runIn } from '../../store/records/list.ts';
import type { TestRunner } from '../testing/runner.ts';
import type { TestTree } from '../testing/tree.ts';
import {
  applyEdits,
  findEvalFiles,
  inform,
  mayRun,
  readSuite,
  reportError,
  reveal,
} from '../workspace.ts';
import type { CaseLocation } from './caseLocation.ts';

/**
 * Judges a recorded conversation again with the current file's assertions, without calling its target.
 *
 * @param given the path of its record; default: the record of the last run
 */
export async function judgeAgain(
  { uri, id, variant }: CaseLocation,
  given: unknown,
  tree: TestTree,
  runner: TestRunner,
): Promise<void> {
  const [last] = await new LatestRuns().find(uri.fsPath, id, { variant });
  const record = typeof given === 'string' ? given : last?.record;
  const run = record === undefined ? undefined : await runIn([record]);
  await tree.refresh(uri);
  const item = tree.find(uri, { id, variant });
  if (!run || !item) {
    inform(`There is no finished run of ${caseName({ id, variant })}. Run it first.`);
    return;
  }
  await runner.run(new vscode.TestRunRequest([item]), { previous: { judgeAgain: run } });
}

/** Resumes a run that was canceled or killed. @param records absolute paths; default: the last run's records */
export async function resumeRun(
  tree: TestTree,
  runner: TestRunner,
  records?: readonly string[],
): Promise<void> {
  if (!mayRun()) return;
  const last = records
    ? await runIn(records)
    : await lastRun((await findEvalFiles()).map(({ fsPath }) => fsPath));
  if (!last || (await hasFinished(last))) {
    inform(last ? 'The run finished. There is nothing to resume.' : 'Nothing has run yet.');
    return;
  }
  const items: vscode.TestItem[] = [];
  for (const { path, cases } of last.run.files) {
    const uri = vscode.Uri.file(path);
    // Resuming would discard the recorded results of a case with errors.
    const { problems, suite } = await readSuite(uri);
    const wrong = problems.find(isError);
    if (wrong) {
      inform(`Fix the errors in ${vscode.workspace.asRelativePath(uri)} first: ${wrong.message}`);
      return;
    }
    await tree.refresh(uri);
    for (const one of suite?.cases ?? []) {
      const expanded =
        cases?.some((name) => name.startsWith(`${one.id}/`)) && (await one.expand?.());
      if (expanded) tree.showVariants(uri, one.id, expanded);
    }
    const found = cases?.map((name) => tree.find(uri, idAndVariant(name))) ?? [tree.find(uri)];
    pushAll(
      items,
      found.filter((item) => item !== undefined),
    );
  }
  await runner.run(new vscode.TestRunRequest(items), { previous: { resume: last } });
}

/** Splits `id/variant`; an id contains no slash. */
function idAndVariant(name: string): { id: string; variant: string | undefined } {
  const [id = '', ...rest] = name.split('/');
  return { id, variant: rest.length > 0 ? rest.join('/') : undefined };
}

export const SAVE_CHOICES: readonly (vscode.QuickPickItem & { readonly as: SaveAs })[] = [
  {
    label: 'Scripted turns',
    detail: "The user's messages. The target answers again in each run.",
    as: 'turns',
  },
  { label: 'Transcript', detail: 'The whole conversation, judged as is.', as: 'transcript' },
];

/** Adds a case's last simulated conversation as a new case after it, and shows the new case. */
export async function saveConversation({
  uri,
  id,
  variant,
  repetition = 1,
}: CaseLocation): Promise<void> {
  const suite = await readSuite(uri);
  const runs = await new LatestRuns().find(uri.fsPath, id, { variant });
  const line = runs.find((one) => one.line.repetition === repetition)?.line;
  const found = suite.outline.find((one) => one.id === id);
  if (!line || !found) {
    inform(`There is no finished run of ${caseName({ id, variant })}. Run it first.`);
    return;
  }
  const placeHolder = `Save the conversation of ${caseName(line)} as`;
  const picked = await vscode.window.showQuickPick(SAVE_CHOICES, { placeHolder });
  if (!picked) return;
  const document = await vscode.workspace.openTextDocument(vscode.Uri.file(found.path));
  let saved: SavedCase;
  try {
    const ids = suite.outline.map((one) => one.id);
    saved = savedCase(document.getText(), found.path, line, picked.as, ids);
  } catch (error) {
    if (!(error instanceof SaveError)) throw error;
    inform(error.message);
    return;
  }
  const { position, newText } = saved;
  await applyEdits(document.uri, [{ range: { start: position, end: position }, newText }]);
  const start = { line: position.line + 2, character: 0 };
  await reveal(found.path, { start, end: start });
}

/** Asks which of a case's conversations to use. Those that didn't pass are listed first. */
export async function pickVariant(
  uri: vscode.Uri,
  id: string,
  { cases, problems }: ExpandedCase,
): Promise<string | undefined> {
  const problem = problems.find(isError);
  if (problem) {
    reportError(problem.message);
    return undefined;
  }
  const names = new Set(cases.flatMap(({ variant }) => variant ?? []));
  const outcomes = await new LatestRuns().variants(uri.fsPath, id);
  const known = worstFirst(outcomes.filter(({ variant }) => names.has(variant)));
  for (const { variant } of known) names.delete(variant);
  const choices = [
    ...known.map(({ variant, status }) => ({
      label: `${STATUS_ICONS[status]} ${labelText(variant)}`,
      description: STATUS_WORDS[status],
      variant,
    })),
    ...[...names].map((variant) => ({ label: labelText(variant), description: '', variant })),
  ];
  const placeHolder = 'Select a conversation';
  return (await vscode.window.showQuickPick(choices, { placeHolder }))?.variant;
}
