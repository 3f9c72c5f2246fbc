import * as vscode from 'vscode';
import type { Problem } from '../../core/problem.ts';
import type { CaseLine } from '../../core/runRecord.ts';
import { toRange } from '../locations.ts';
import { type Failure, failuresOf, problemFailure } from './failureText.ts';
import { type Edit, movedSource } from './movedLines.ts';

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
function messageOf({ text, source }: Failure, edits: readonly Edit[]): vscode.TestMessage {
  const { path, range } = movedSource(source, edits);
  const message = new vscode.TestMessage(text);
  message.location = new vscode.Location(vscode.Uri.file(path), toRange(range));
  return message;
}
