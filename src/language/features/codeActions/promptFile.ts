import { basename, dirname, resolve } from 'node:path';
import type { CodeAction, TextEdit } from 'vscode-languageserver-types';
import { mappingOf, type Path, valueAt } from '../../../core/data.ts';
import { loadPrompt } from '../../../evalfile/prompt.ts';
import { addKeys, replaceEntry, replaceValue } from '../../../yaml/edits.ts';
import { writeWord } from '../../../yaml/write.ts';
import type { YamlDocument } from '../../../yaml/yamlDocument.ts';
import { editsIn, refactoring, withNewFile } from './actions.ts';
import { type CursorPlace, freeFile, slug } from './place.ts';

/** Moves a criterion or a judge's instructions into a prompt file. */
export async function toPromptFile(place: CursorPlace): Promise<CodeAction[]> {
  const { yaml } = place.document;
  const path = assertionPath(place);
  const given = path && valueAt(yaml.value, path);
  const prompt = given === undefined ? undefined : promptOf(given);
  if (!path || !prompt) return [];
  const file = await freeFile(place, 'judges', prompt.name, '.md');
  const edits =
    typeof given === 'string'
      ? replaceValue(yaml, path, {
          type: 'llm-judge',
          prompt: file.reference,
          threshold: THRESHOLD,
        })
      : mappingEdits(yaml, path, file.reference);
  if (edits.length === 0) return [];
  const created = { uri: place.ports.uriOf(file.path), text: prompt.text };
  const title = `Move to the prompt file "${file.reference}"`;
  return [refactoring(title, 'refactor.extract', withNewFile(created, place.uri, edits))];
}

/** The path of the assertion in a list around the cursor, the innermost. */
function assertionPath({ path }: CursorPlace): Path | undefined {
  const at = path.findLastIndex(
    (step, index) => typeof step === 'number' && path[index - 1] === 'assert',
  );
  return at < 0 ? undefined : path.slice(0, at + 1);
}

function promptOf(given: unknown): { readonly name: string; readonly text: string } | undefined {
  const { type, name, criterion, instructions, prompt } = mappingOf(given);
  const named = typeof name === 'string' ? name : undefined;
  if (type === 'llm-judge' && typeof instructions === 'string' && prompt === undefined) {
    const text = `---\nname: ${writeWord(named ?? 'llm-judge')}\n---\n\n${instructions.trim()}\n`;
    return { name: slug(named ?? instructions, 'judge'), text };
  }
  const words = typeof given === 'string' ? given : type === 'criterion' ? criterion : undefined;
  if (typeof words !== 'string') return undefined;
  // A criterion's variables are the case's own; a prompt has others, and those by another name.
  const asked = words.trim().replace(/\{\{\s*([\w.-]+)\s*\}\}/g, '{{context.$1}}');
  const label = named ?? words.split(/\s+/).slice(0, 8).join(' ');
  const text = `---\nname: ${writeWord(label)}\n---\n\nDoes this hold for the conversation?\n\n${asked}\n\n{{conversation}}\n`;
  return { name: slug(label, 'judge'), text };
}

/** All must hold, as with a criterion; a judge's own threshold is lower. */
const THRESHOLD = 1;

function mappingEdits(yaml: YamlDocument, path: Path, reference: string): TextEdit[] {
  const given = mappingOf(valueAt(yaml.value, path));
  if (given.type !== 'criterion') {
    return replaceEntry(yaml, [...path, 'instructions'], 'prompt', reference);
  }
  const own = replaceEntry(yaml, [...path, 'criterion'], 'prompt', reference);
  const type = replaceValue(yaml, [...path, 'type'], 'llm-judge');
  if (own.length === 0 || type.length === 0) return [];
  const threshold =
    given.threshold === undefined ? addKeys(yaml, path, { threshold: THRESHOLD }) : undefined;
  return [...own, ...type, ...(threshold ? [threshold] : [])];
}

/** Writes a prompt file's text into the assertion; the file stays, others may use it. */
export async function inlinePrompt(place: CursorPlace): Promise<CodeAction[]> {
  const { yaml } = place.document;
  const path = assertionPath(place);
  const given = mappingOf(path && valueAt(yaml.value, path));
  if (!path || given.type !== 'llm-judge' || typeof given.prompt !== 'string') return [];
  const file = resolve(dirname(yaml.path), given.prompt);
  const text = await place.ports.read(file);
  if (text === undefined) return [];
  const { prompt, document } = loadPrompt(text, file);
  if (!prompt) return [];
  const edits = replaceEntry(yaml, [...path, 'prompt'], 'instructions', prompt.body);
  if (edits.length === 0) return [];
  const { name, scale, labels, threshold, per_turn, model } = mappingOf(document.value);
  const beside = {
    name: name ?? basename(file, '.md'),
    scale,
    labels,
    threshold,
    per_turn,
    judge: model,
  };
  const missing = Object.entries(beside).filter(
    ([key, value]) => value !== undefined && given[key] === undefined,
  );
  const added = missing.length > 0 ? addKeys(yaml, path, Object.fromEntries(missing)) : undefined;
  if (added) edits.push(added);
  return [
    refactoring('Write the prompt into this file', 'refactor.inline', editsIn(place.uri, edits)),
  ];
}
