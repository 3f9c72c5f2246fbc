import { extname } from 'node:path';
import type { CodeAction, TextEdit } from 'vscode-languageserver-types';
import { isNode, isSeq, type Node, visit, type YAMLSeq } from 'yaml';
import { mappingOf, type Path, stringOf, valueAt } from '../../core/data/data.ts';
import { isError } from '../../core/problem.ts';
import { templateVariables } from '../../core/text/template.ts';
import { writtenMessages } from '../../evalfile/savedCase.ts';
import { loadTranscript } from '../../evalfile/transcript.ts';
import {
  addKeys,
  edit,
  fragmentAt,
  removeEntry,
  renameKey,
  replaceValue,
  replaceWith,
} from '../../yaml/edits.ts';
import { endOf, isFlow, nodeAt, startOf } from '../../yaml/nodes.ts';
import { write, writeInline, type YamlFragment } from '../../yaml/quoting.ts';
import { parseYaml, type YamlDocument } from '../../yaml/yamlDocument.ts';
import {
  type ActionContext,
  casePath,
  editsIn,
  freeFile,
  newFileEdit,
  readReferenced,
  refactoring,
  slug,
} from './actions.ts';

/**
 * Keeps only the user's messages, with their formatting, for the target to reply to. Offered only if there is a target.
 */
export function toTurns(context: ActionContext): CodeAction[] {
  const { yaml } = context.document;
  const path = context.path[2] === 'transcript' ? messagesAt(context)?.path : undefined;
  const messages = path && valueAt(yaml.value, path);
  const node = path && nodeAt(yaml.root, path)?.node;
  const target = targetOf(context);
  if (!path || !Array.isArray(messages) || !isSeq(node) || !target) return [];
  const texts = messages.map(userText);
  if (texts.every((text) => text === undefined)) return [];
  // A turn is a template and a single message, so text with template syntax and consecutive messages can't be
  // converted.
  const isUnfit = (text: string | undefined, index: number) =>
    text !== undefined && (templateVariables(text).length > 0 || texts[index - 1] !== undefined);
  if (texts.some(isUnfit)) return [];
  const edits = node.flow
    ? [flowEdit(yaml, node, messages)]
    : messages.flatMap((message, index) => itemEdits(yaml, [...path, index], message));
  const { name } = target;
  const added = name === undefined ? [] : addKeys(yaml, path.slice(0, -1), { target: name });
  const all = [...renameKey(yaml, path, 'turns'), ...edits].concat(added ?? []);
  const left = messages.some(isSystemText) ? 'the replies and system messages' : 'the replies';
  const title = `Convert the transcript to turns, dropping ${left}`;
  return [refactoring(title, 'refactor.rewrite', editsIn(context.uri, all))];
}

/** The target that would reply; `name` is set if the case has to name it. */
function targetOf(context: ActionContext): { readonly name?: string } | undefined {
  const { value } = context.document.yaml;
  const owner = casePath(context);
  if (valueAt(value, [...(owner ?? []), 'target']) !== undefined) return {};
  if (valueAt(value, ['target']) !== undefined) return {};
  const [name] = Object.keys(mappingOf(valueAt(value, ['targets'])));
  return name === undefined ? undefined : { name };
}

function isSystemText(message: unknown): boolean {
  const keys = mappingOf(message);
  return ['system', 'developer'].some((role) => role in keys || keys.role === role);
}

/** The text of a user's message; undefined for other messages. */
function userText(message: unknown): string | undefined {
  const { role, user, content } = mappingOf(message);
  if (typeof user === 'string') return user;
  if (role !== 'user') return undefined;
  if (typeof content === 'string') return content;
  const texts = Array.isArray(content) ? content.map((part) => mappingOf(part).text) : [];
  return texts.every((text) => typeof text === 'string') ? texts.join('\n\n') : undefined;
}

/** Edits that turn a message into a turn; empty for `user: …`, which is already a valid turn. */
function itemEdits(yaml: YamlDocument, path: Path, message: unknown): TextEdit[] {
  const user = userText(message);
  if (user !== undefined) return isTurn(message) ? [] : replaceValue(yaml, path, { user });
  const removed = removeEntry(yaml, path);
  return removed ? [removed] : [];
}

function isTurn(message: unknown): boolean {
  const keys = Object.keys(mappingOf(message));
  return keys.length === 1 && keys[0] === 'user';
}

function flowEdit(yaml: YamlDocument, list: YAMLSeq, messages: readonly unknown[]): TextEdit {
  const { text } = yaml;
  const kept = list.items.flatMap((item, index) => {
    const user = userText(messages[index]);
    if (user === undefined) return [];
    if (isTurn(messages[index])) return [text.slice(startOf(item), endOf(item, text))];
    return [writeInline({ user }, true)];
  });
  return edit(yaml, startOf(list), endOf(list, text), `[${kept.join(', ')}]`);
}

/** Replaces the turns with the last run's conversation. */
export async function toTranscript(context: ActionContext): Promise<CodeAction[]> {
  const { document, ports, uri } = context;
  const { yaml } = document;
  const owner = casePath(context);
  if (!owner || context.path[2] !== 'turns') return [];
  const { turns, id, ...given } = mappingOf(valueAt(yaml.value, owner));
  const path = [...owner, 'turns'];
  const node = nodeAt(yaml.root, path)?.node;
  if (!Array.isArray(turns) || !node || typeof id !== 'string') return [];
  // Each variant has its own conversation.
  if ('matrix' in given) return [];
  // A transcript can't contain a turn's assertions.
  if (turns.some((turn) => 'assert' in mappingOf(turn) || 'expected' in mappingOf(turn))) return [];
  const [last] = await ports.lastRuns(document.suite.path, id);
  const messages = last ? writtenMessages(last.conversation) : [];
  if (!messages.some((message) => 'assistant' in message)) return [];
  const written = write(messages);
  const transcript = { ...written, text: [...commentsIn(node), written.text].join('\n') };
  const edits = replaceWith(yaml, path, transcript);
  if (edits.length === 0) return [];
  edits.push(...renameKey(yaml, path, 'transcript'));
  // The conversation already includes the history.
  const unused = ['stop_on_failure', 'history'].filter((key) => key in given);
  edits.push(...unused.flatMap((key) => removeEntry(yaml, [...owner, key]) ?? []));
  const title = 'Convert the turns to the transcript of the last run';
  return [refactoring(title, 'refactor.rewrite', editsIn(uri, edits))];
}

function commentsIn(node: Node): string[] {
  const comments: string[] = [];
  visit(node, (_key, inner) => {
    if (!isNode(inner)) return;
    for (const comment of [inner.commentBefore, inner.comment]) {
      if (comment) comments.push(...comment.split('\n').map((line) => `#${line}`));
    }
  });
  return comments;
}

const FOLDERS = { transcript: 'transcripts', history: 'histories' } as const;

/** The transcript or the history around the cursor. */
function messagesAt(context: ActionContext) {
  const owner = casePath(context);
  const name = context.path[2];
  if (!owner || (name !== 'transcript' && name !== 'history')) return undefined;
  return { name, path: [...owner, name] } as const;
}

/** Moves messages to a new file, with their formatting. */
export async function toTranscriptFile(context: ActionContext): Promise<CodeAction[]> {
  const { yaml } = context.document;
  const found = messagesAt(context);
  if (!found || !Array.isArray(valueAt(yaml.value, found.path))) return [];
  const { name, path } = found;
  const moved = fragmentAt(yaml, path);
  if (!moved) return [];
  const id = stringOf(valueAt(yaml.value, [...path.slice(0, 2), 'id']) ?? '');
  const file = await freeFile(context, FOLDERS[name], slug(id, name), '.yaml');
  if (!file) return [];
  const created = { uri: context.ports.uriOf(file.path), text: `${moved.text}\n` };
  const edits = replaceValue(yaml, path, file.reference);
  const changed = newFileEdit(created, context.uri, edits);
  return [refactoring(`Move the ${name} to "${file.reference}"`, 'refactor.extract', changed)];
}

/** Copies a file's messages into the case. Keeps the file, because other cases may use it. */
export async function inlineTranscript(context: ActionContext): Promise<CodeAction[]> {
  const { yaml } = context.document;
  const { name, path } = messagesAt(context) ?? {};
  const reference = path && valueAt(yaml.value, path);
  if (!path || typeof reference !== 'string') return [];
  const file = await readReferenced(context, reference);
  if (!file || loadTranscript(file.text, file.path).problems.some(isError)) return [];
  const edits = replaceWith(yaml, path, messagesOf(file.text, file.path));
  if (edits.length === 0) return [];
  return [refactoring(`Inline the ${name}`, 'refactor.inline', editsIn(context.uri, edits))];
}

/** A file's messages as a YAML list. A YAML file's formatting is kept. */
function messagesOf(text: string, file: string): YamlFragment {
  switch (extname(file)) {
    case '.json':
      return write(JSON.parse(text));
    case '.jsonl': {
      const lines = text.split('\n').filter((line) => line.trim() !== '');
      return write(lines.map((line): unknown => JSON.parse(line)));
    }
    default: {
      const { value, root } = parseYaml(text, file);
      const plain = isSeq(root) && !isFlow(root) && !/^(---|\.\.\.|%)/m.test(text);
      const own = text.replace(/^\uFEFF/, '').replace(/\n$/, '');
      return plain ? { value, text: own, below: true } : write(value);
    }
  }
}
