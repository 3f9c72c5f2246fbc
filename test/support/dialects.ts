import assert from 'node:assert/strict';
import { deepFreeze } from '../../src/core/data/data.ts';
import type { Message } from '../../src/core/message.ts';
import { loadTranscript } from '../../src/evalfile/transcript.ts';
import { readMessages } from '../../src/messages/readMessages.ts';

/** Reads a list without problems into canonical messages. The list is frozen first. */
export function canonical(list: readonly unknown[]): Message[] {
  const { messages, problems } = readMessages(deepFreeze(list));
  assert.deepEqual(problems, []);
  return messages.map(({ message }) => message);
}

/** The notes about a list without problems. */
export function notesOf(list: readonly unknown[]): readonly string[] {
  const { notes, problems } = readMessages(deepFreeze(list));
  assert.deepEqual(problems, []);
  return notes;
}

/** Errors in a transcript file as `line:column code`, counted from 1. */
export function placesIn(text: string, path = '/a.yaml'): string[] {
  return loadTranscript(text, path)
    .problems.filter(({ severity }) => severity === 'error')
    .map(({ code, range: { start } }) => `${start.line + 1}:${start.character + 1} ${code}`);
}

/** The text that the first problem refers to, and its suggested replacement. */
export function firstPlaced(text: string, path = '/a.yaml') {
  const [problem] = loadTranscript(text, path).problems;
  assert.ok(problem);
  const { start, end } = problem.range;
  const line = text.split('\n')[start.line] ?? '';
  const until = end.line === start.line ? end.character : line.length;
  return { at: line.slice(start.character, until), replacement: problem.replacement };
}
