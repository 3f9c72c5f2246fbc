import * as vscode from 'vscode';
import { STATUS_ICONS, STATUS_WORDS } from '../../core/presentation/words.ts';
import { isError } from '../../core/problem.ts';
import { worstFirst } from '../../core/record/caseHistory.ts';
import type { ExpandedCase } from '../../core/suite.ts';
import { labelText, noticeText } from '../../core/text/visibleText.ts';
import { LatestRuns } from '../../store/records/latest.ts';

/** Lets one choose a conversation of a case that stands for several: those first that did not pass. */
export async function pickVariant(
  uri: vscode.Uri,
  id: string,
  { cases, problems }: ExpandedCase,
): Promise<string | undefined> {
  const problem = problems.find(isError);
  if (problem) {
    void vscode.window.showErrorMessage(noticeText(problem.message));
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
