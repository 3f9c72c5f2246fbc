import { isUnfinished, type PlacedMessage, toConversation } from '../core/conversation.ts';
import type { Problem } from '../core/problem.ts';
import { readMessages } from '../dialects/readMessages.ts';
import { type Path, parseYaml, type YamlDocument } from './yamlDocument.ts';

export interface LoadedTranscript {
  readonly messages: readonly PlacedMessage[];
  readonly notes: readonly string[];
  readonly problems: readonly Problem[];
}

/** Reads the messages that stand at `base` in a document. */
export function readTranscript(
  list: unknown,
  document: YamlDocument,
  base: Path,
): LoadedTranscript {
  const read = readMessages(list);
  const problems: Problem[] = read.problems.map(({ path, code, message, onKey, replacement }) => ({
    code,
    message,
    severity: 'error',
    path: document.path,
    range: onKey
      ? document.keyRangeOf([...base, ...path])
      : path.length <= 1
        ? document.keyRangeOf([...base, ...path])
        : document.rangeOf([...base, ...path]),
    ...(replacement !== undefined && { replacement }),
  }));
  const messages = read.messages.map(({ message, index }) => ({
    message,
    source: { path: document.path, range: document.entryRangeOf([...base, index]) },
  }));
  if (problems.length === 0 && isUnfinished(toConversation(messages))) {
    problems.push({
      code: 'conversation-unfinished',
      message: 'The conversation does not end with the assistant; judges are told so.',
      severity: 'warning',
      path: document.path,
      range: document.keyRangeOf([...base, messages.length - 1]),
    });
  }
  return { messages, notes: read.notes, problems };
}

/** Reads a transcript file: a list in `.json` or `.yaml`, or a message a line in `.jsonl`. */
export function loadTranscript(text: string, path: string): LoadedTranscript {
  if (path.endsWith('.jsonl')) return loadLines(text, path);
  const strict = path.endsWith('.json') ? jsonFault(text) : undefined;
  const document = parseYaml(text, path);
  if (strict !== undefined || document.problems.length > 0) {
    const problems = document.problems.length > 0 ? document.problems : [];
    const first = document.rangeOfOffsets(strict?.offset ?? 0, (strict?.offset ?? 0) + 1);
    const message = `This is not valid JSON: ${strict?.message}`;
    const fault: Problem = { code: 'json-syntax', message, severity: 'error', path, range: first };
    return { messages: [], notes: [], problems: strict ? [fault] : problems };
  }
  return readTranscript(document.value, document, []);
}

function loadLines(text: string, path: string): LoadedTranscript {
  const lines = text.split(/\r?\n/);
  const items: string[] = [];
  const problems: Problem[] = [];
  for (const [line, content] of lines.entries()) {
    const fault = content.trim() === '' ? undefined : jsonFault(content);
    if (fault) {
      const at = { line, character: fault.offset };
      problems.push({
        code: 'json-syntax',
        message: `This line is not valid JSON: ${fault.message}`,
        severity: 'error',
        path,
        range: { start: at, end: { line, character: content.length } },
      });
    }
    items.push(content.trim() === '' ? '' : `- ${content}`);
  }
  if (problems.length > 0) return { messages: [], notes: [], problems };
  // Each line becomes an item of one list: places are right but for the two characters in front.
  const document = shifted(parseYaml(items.join('\n'), path), 2);
  return readTranscript(document.value ?? [], document, []);
}

function shifted(document: YamlDocument, characters: number): YamlDocument {
  const move = (range: Problem['range']) => {
    const shift = ({ line, character }: Problem['range']['start']) => ({
      line,
      character: Math.max(0, character - characters),
    });
    return { start: shift(range.start), end: shift(range.end) };
  };
  return {
    ...document,
    rangeOf: (path) => move(document.rangeOf(path)),
    keyRangeOf: (path) => move(document.keyRangeOf(path)),
    entryRangeOf: (path) => move(document.entryRangeOf(path)),
  };
}

function jsonFault(
  text: string,
): { readonly message: string; readonly offset: number } | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const position = /position (\d+)/.exec(message)?.[1];
    return { message, offset: position === undefined ? text.length : Number(position) };
  }
}
