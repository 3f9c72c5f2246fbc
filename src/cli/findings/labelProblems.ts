import { visibleLine } from '../../core/presentation/visibleText.ts';
import { shownPath } from '../../report/shownPath.ts';
import type { LabelProblem } from '../../store/labels.ts';
import type { Shell } from '../shell.ts';

/** `shop.labels/ann.jsonl:3: This line is no JSON.` @returns whether there is one */
export function showLabelProblems(
  problems: readonly LabelProblem[],
  { err, folder }: Pick<Shell, 'err' | 'folder'>,
): boolean {
  for (const { path, line, message } of problems) {
    const place = [shownPath(path, folder), ...(line === undefined ? [] : [line])];
    err.write(`${place.join(':')}: ${visibleLine(message)}\n`);
  }
  return problems.length > 0;
}
