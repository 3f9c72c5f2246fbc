import { labelProblemText } from '../../core/presentation/labelProblem.ts';
import { shownPath } from '../../report/shownPath.ts';
import type { LabelProblem } from '../../store/labels.ts';
import type { Shell } from '../shell.ts';

export const NO_LABELS =
  'No labels stand beside these files. They are in NAME.labels/PERSON.jsonl beside NAME.eval.yaml: in VS Code, "Turnlight: Label Conversations" writes them.';

/** `shop.labels/ann.jsonl:3: This line is no JSON.` @returns whether there is one */
export function showLabelProblems(
  problems: readonly LabelProblem[],
  { err, folder }: Pick<Shell, 'err' | 'folder'>,
): boolean {
  for (const one of problems) {
    err.write(`${labelProblemText(shownPath(one.path, folder), one)}\n`);
  }
  return problems.length > 0;
}
