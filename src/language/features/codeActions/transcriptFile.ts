import { dirname, extname, resolve } from 'node:path';
import type { CodeAction } from 'vscode-languageserver-types';
import { isSeq } from 'yaml';
import { type Path, valueAt } from '../../../core/data.ts';
import { isError } from '../../../core/problem.ts';
import { loadTranscript } from '../../../evalfile/transcript.ts';
import { cutOut } from '../../../yaml/cutOut.ts';
import { replaceWith } from '../../../yaml/edits.ts';
import { isFlow } from '../../../yaml/nodes.ts';
import { type Written, write } from '../../../yaml/write.ts';
import { parseYaml } from '../../../yaml/yamlDocument.ts';
import { editsIn, refactoring, withNewFile } from './actions.ts';
import { type CursorPlace, casePath, freeFile, slug } from './place.ts';

/** The path of the transcript that the cursor is on. */
export function transcriptPath(place: CursorPlace): Path | undefined {
  const owner = casePath(place);
  return owner && place.path[2] === 'transcript' ? [...owner, 'transcript'] : undefined;
}

/** Moves a transcript into a file of its own, as it is written. */
export async function toTranscriptFile(place: CursorPlace): Promise<CodeAction[]> {
  const { yaml } = place.document;
  const path = transcriptPath(place);
  if (!path || !Array.isArray(valueAt(yaml.value, path))) return [];
  const moved = cutOut(yaml, path);
  if (!moved) return [];
  const id = String(valueAt(yaml.value, [...path.slice(0, 2), 'id']) ?? '');
  const file = await freeFile(place, 'transcripts', slug(id, 'transcript'), '.yaml');
  const created = { uri: place.ports.uriOf(file.path), text: `${moved.text}\n` };
  const changed = withNewFile(created, place.uri, moved.replaceBy(file.reference));
  return [refactoring(`Move the transcript to "${file.reference}"`, 'refactor.extract', changed)];
}

/** Writes the messages of a transcript file into the case; the file stays, others may use it. */
export async function inlineTranscript(place: CursorPlace): Promise<CodeAction[]> {
  const { yaml } = place.document;
  const path = transcriptPath(place);
  const reference = path && valueAt(yaml.value, path);
  if (!path || typeof reference !== 'string') return [];
  const file = resolve(dirname(yaml.path), reference);
  const text = await place.ports.read(file);
  if (text === undefined || loadTranscript(text, file).problems.some(isError)) return [];
  const edits = replaceWith(yaml, path, messagesOf(text, file));
  if (edits.length === 0) return [];
  const title = 'Write the transcript into this file';
  return [refactoring(title, 'refactor.inline', editsIn(place.uri, edits))];
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
