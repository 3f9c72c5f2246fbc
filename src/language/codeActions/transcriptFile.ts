import { extname } from 'node:path';
import type { CodeAction } from 'vscode-languageserver-types';
import { isSeq } from 'yaml';
import { type Path, valueAt } from '../../core/data/data.ts';
import { isError } from '../../core/problem.ts';
import { loadTranscript } from '../../evalfile/transcript.ts';
import { cutOut } from '../../yaml/cutOut.ts';
import { replaceValue, replaceWith } from '../../yaml/edits.ts';
import { isFlow } from '../../yaml/nodes.ts';
import { type Written, write } from '../../yaml/quoting.ts';
import { parseYaml } from '../../yaml/yamlDocument.ts';
import {
  type ActionContext,
  casePath,
  editsIn,
  freeFile,
  newFileEdit,
  refactoring,
  slug,
  textOfNamed,
} from './actions.ts';

export function transcriptPath(context: ActionContext): Path | undefined {
  const owner = casePath(context);
  return owner && context.path[2] === 'transcript' ? [...owner, 'transcript'] : undefined;
}

/** Where messages stand: a transcript, or a history. */
function messagesPath(context: ActionContext): Path | undefined {
  const owner = casePath(context);
  return owner && context.path[2] === 'history' ? [...owner, 'history'] : transcriptPath(context);
}

/** Moves messages into a file of their own, as they are written. */
export async function toTranscriptFile(context: ActionContext): Promise<CodeAction[]> {
  const { yaml } = context.document;
  const path = messagesPath(context);
  if (!path || !Array.isArray(valueAt(yaml.value, path))) return [];
  const moved = cutOut(yaml, path);
  if (!moved) return [];
  const id = String(valueAt(yaml.value, [...path.slice(0, 2), 'id']) ?? '');
  const name = nameOf(path);
  const file = await freeFile(context, FOLDERS[name], slug(id, name), '.yaml');
  if (!file) return [];
  const created = { uri: context.ports.uriOf(file.path), text: `${moved.text}\n` };
  const edits = replaceValue(yaml, path, file.reference);
  const changed = newFileEdit(created, context.uri, edits);
  return [refactoring(`Move the ${name} to "${file.reference}"`, 'refactor.extract', changed)];
}

const FOLDERS = { transcript: 'transcripts', history: 'histories' } as const;

function nameOf(path: Path): keyof typeof FOLDERS {
  return path.at(-1) === 'history' ? 'history' : 'transcript';
}

/** Writes the messages of a file into the case; the file stays, others may use it. */
export async function inlineTranscript(context: ActionContext): Promise<CodeAction[]> {
  const { yaml } = context.document;
  const path = messagesPath(context);
  const reference = path && valueAt(yaml.value, path);
  if (!path || typeof reference !== 'string') return [];
  const named = await textOfNamed(context, reference);
  if (!named || loadTranscript(named.text, named.path).problems.some(isError)) return [];
  const edits = replaceWith(yaml, path, messagesOf(named.text, named.path));
  if (edits.length === 0) return [];
  return [
    refactoring(`Inline the ${nameOf(path)}`, 'refactor.inline', editsIn(context.uri, edits)),
  ];
}

/** A file of messages as a list in YAML; YAML itself as it is written. */
function messagesOf(text: string, file: string): Written {
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
