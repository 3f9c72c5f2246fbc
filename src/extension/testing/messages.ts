import * as vscode from 'vscode';
import { type Turn, textOf, turnsOf } from '../../core/conversation.ts';
import type { CaseLine } from '../../core/runRecord.ts';
import type { Verdict } from '../../core/verdict.ts';
import { toRange } from '../places.ts';
import { terminalText } from './terminalText.ts';

/** What is wrong with a finished case: a message for each failing turn, at the turn's line. */
export function messagesOf(line: CaseLine): vscode.TestMessage[] {
  const messages = line.verdicts
    .filter(({ status }) => status === 'fail' || status === 'error')
    .flatMap((verdict) => verdictMessages(verdict, line));
  if (line.status === 'error' && line.reason !== undefined) {
    messages.unshift(at(message(line.reason), line.source.path, line.source.range.start.line));
  }
  if (messages.length > 0) return messages;
  const score = line.score === null ? 'no score' : line.score.toFixed(2);
  const text = `The case came to ${score}; it needs ${line.threshold?.toFixed(2) ?? 'every verdict to pass'}.`;
  return [at(message(text), line.source.path, line.source.range.start.line)];
}

function verdictMessages(verdict: Verdict, line: CaseLine): vscode.TestMessage[] {
  const { assertion, status, label, score, threshold, rationale, reason } = verdict;
  const value = label ?? (score === null ? status : score.toFixed(2));
  const heading = `${assertion.name}: ${value}${score === null ? '' : ` (score ${score.toFixed(2)}, needs ${threshold.toFixed(2)})`}`;
  if (status === 'error') {
    const text = `${assertion.name} could not be judged${reason ? ` (${reason})` : ''}: ${rationale}`;
    return [at(message(text), assertion.path, assertion.line - 1)];
  }
  const failing = verdict.turns.filter((entry) => entry.status === 'fail');
  const atTurns = failing.flatMap((entry) => {
    const turn = turnsOf(line.conversation).find(({ number }) => number === entry.turn);
    if (!turn?.source) return [];
    const quote = entry.evidence?.verified ? `\nQuote: “${entry.evidence.text}”` : '';
    const text = `Turn ${entry.turn}: ${entry.rationale}${quote}\n\n${heading}\n${rationale}`;
    return [placed(message(text), turn)];
  });
  if (atTurns.length > 0) return atTurns;
  const misses = verdict.misses.map((miss) => `\n${miss}`).join('');
  return [at(message(`${heading}\n${rationale}${misses}`), assertion.path, assertion.line - 1)];
}

/** Plain text: a judge's words are no Markdown of ours. */
function message(text: string): vscode.TestMessage {
  return new vscode.TestMessage(text);
}

function at(one: vscode.TestMessage, path: string, line: number): vscode.TestMessage {
  one.location = new vscode.Location(vscode.Uri.file(path), new vscode.Position(line, 0));
  return one;
}

function placed(one: vscode.TestMessage, { source }: Turn): vscode.TestMessage {
  if (source)
    one.location = new vscode.Location(vscode.Uri.file(source.path), toRange(source.range));
  return one;
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
