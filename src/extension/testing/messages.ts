import * as vscode from 'vscode';
import { type Turn, textOf } from '../../core/conversation.ts';
import type { Problem } from '../../core/problem.ts';
import type { CaseLine } from '../../core/runRecord.ts';
import { toRange } from '../places.ts';
import { type Failure, failuresOf, problemFailure } from './failures.ts';
import { terminalText } from './terminalText.ts';

/** What is wrong with a finished case. */
export function messagesOf(line: CaseLine): vscode.TestMessage[] {
  return failuresOf(line).map(messageOf);
}

/** What keeps a case from running. */
export function problemMessages(problems: readonly Problem[]): vscode.TestMessage[] {
  return problems.map((problem) => messageOf(problemFailure(problem)));
}

/** Plain text: a judge's words are no Markdown of ours. */
function messageOf({ text, source: { path, range } }: Failure): vscode.TestMessage {
  const message = new vscode.TestMessage(text);
  message.location = new vscode.Location(vscode.Uri.file(path), toRange(range));
  return message;
}

/** A turn for the run's output, as a terminal takes it. */
export function turnOutput(turn: Turn): string {
  const calls = turn.items.flatMap((item) =>
    item.kind === 'tool-call'
      ? [`  → ${item.call.name} ${JSON.stringify(item.call.arguments)}`]
      : [],
  );
  return terminalText([`[${turn.number}, ${turn.side}] ${textOf(turn)}`, ...calls].join('\n'));
}
