import * as vscode from 'vscode';
import { type Failure, failuresOf, problemFailure } from '../../core/presentation/failureText.ts';
import type { Problem, Source } from '../../core/problem.ts';
import type { CaseLine } from '../../core/record/runRecord.ts';
import { labelText } from '../../core/text/visibleText.ts';
import { toRange } from '../locations.ts';
import type { ChosenFile } from './chosenFiles.ts';
import { listedCases, unlistedErrors } from './listedCases.ts';
import { type Edit, movedSource } from './movedLines.ts';
import type { TestTree } from './tree.ts';

/** What is wrong with a finished case. @param edits made since its file was read */
export function messagesOf(line: CaseLine, edits: readonly Edit[]): vscode.TestMessage[] {
  return failuresOf(line).map((failure) => messageOf(failure, edits));
}

/** What keeps a case from running. */
export function problemMessages(
  problems: readonly Problem[],
  edits: readonly Edit[],
): vscode.TestMessage[] {
  return problems.map((problem) => messageOf(problemFailure(problem), edits));
}

/** Plain text: a judge's words are no Markdown of ours. */
function messageOf({ text, source, links }: Failure, edits: readonly Edit[]): vscode.TestMessage {
  const message = new vscode.TestMessage(text);
  message.location = locationOf(source, edits);
  const frames = links.flatMap(({ label, source: at, thrown }) => {
    const { uri, range } = locationOf(at, edits);
    // VS Code reads the file of each frame: an error's text must not choose one elsewhere.
    if (thrown && !vscode.workspace.getWorkspaceFolder(uri)) return [];
    return [new vscode.TestMessageStackFrame(labelText(label), uri, range.start)];
  });
  if (frames.length > 0) message.stackTrace = frames;
  return message;
}

function locationOf(source: Source, edits: readonly Edit[]): vscode.Location {
  const { path, range } = movedSource(source, edits);
  return new vscode.Location(vscode.Uri.file(path), toRange(range));
}

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
