import * as vscode from 'vscode';
import { caseName } from '../../core/presentation/words.ts';
import { isError } from '../../core/problem.ts';
import { noticeText } from '../../core/text/visibleText.ts';
import { LatestRuns } from '../../store/records/latest.ts';
import { hasFinished, lastRun, runIn } from '../../store/records/list.ts';
import { findEvalFiles, readSuite } from '../suites.ts';
import type { TestRunner } from '../testing/runner.ts';
import type { TestTree } from '../testing/tree.ts';
import { mayRun } from '../trust.ts';
import type { CaseLocation } from './caseAtCursor.ts';

/**
 * Judges what a case said as its file now says, without asking its target.
 *
 * @param given the record that holds it; that of its last run by default
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
  const item = tree.find(uri, id, undefined, variant);
  if (!run || !item) {
    say(`There is no finished run of ${caseName({ id, variant })}. Run it first.`);
    return;
  }
  await runner.run(new vscode.TestRunRequest([item]), { back: { judgeAgain: run } });
}

/**
 * Continues a run that was cancelled or killed, with its cases.
 *
 * @param records of the run, absolute; those of the last one by default
 */
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
    say(last ? 'The run finished. There is nothing to resume.' : 'Nothing has run yet.');
    return;
  }
  const items: vscode.TestItem[] = [];
  for (const { path, cases } of last.run.files) {
    const uri = vscode.Uri.file(path);
    // A case with errors would lose what was found of it.
    const { problems, suite } = await readSuite(uri);
    const wrong = problems.find(isError);
    if (wrong) {
      say(`Fix the errors in ${vscode.workspace.asRelativePath(uri)} first: ${wrong.message}`);
      return;
    }
    await tree.refresh(uri);
    for (const one of suite?.cases ?? []) {
      const expanded =
        cases?.some((name) => name.startsWith(`${one.id}/`)) && (await one.expand?.());
      if (expanded) tree.showVariants(uri, one.id, expanded);
    }
    const names = cases?.map((name) => tree.find(uri, ...idAndVariant(name))) ?? [tree.find(uri)];
    items.push(...names.filter((item) => item !== undefined));
  }
  await runner.run(new vscode.TestRunRequest(items), { back: { resume: last } });
}

/** Of `id/variant`; an id has no slash. */
function idAndVariant(name: string): [id: string, repetition: undefined, variant?: string] {
  const [id = '', ...rest] = name.split('/');
  return rest.length > 0 ? [id, undefined, rest.join('/')] : [id, undefined];
}

function say(message: string): void {
  void vscode.window.showInformationMessage(noticeText(message));
}
