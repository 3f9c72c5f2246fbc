import type * as vscode from 'vscode';
import type { ChosenFile } from './chosenFiles.ts';
import { listedCases, unlistedErrors } from './listedCases.ts';
import { problemMessages } from './messages.ts';
import type { Edit } from './movedLines.ts';
import type { TestTree } from './tree.ts';

/**
 * Reports why cases cannot run, where the error is; the others go on. If a whole file is run, it also
 * tells of what has no item of its own: cases without an id, a file that is not YAML.
 *
 * @returns the items that cannot run
 */
export function reportInvalid(
  { uri, suite, items, whole }: ChosenFile,
  run: vscode.TestRun,
  tree: TestTree,
  edits: readonly Edit[],
): vscode.TestItem[] {
  const errorsOf = new Map(listedCases(suite.outline).map(({ id, errors }) => [id, errors]));
  const invalid: vscode.TestItem[] = [];
  for (const item of items) {
    const data = tree.dataOf(item);
    const errors = (data && data.kind !== 'file' && errorsOf.get(data.id)) || [];
    if (errors.length === 0) continue;
    invalid.push(item);
    run.errored(tree.firstOf(item), problemMessages(errors, edits));
  }
  const file = tree.find(uri);
  const rest = whole ? unlistedErrors(suite) : [];
  if (file && rest.length > 0) run.errored(file, problemMessages(rest, edits));
  return invalid;
}
