import { basename, dirname, resolve } from 'node:path';
import type { CodeAction, TextEdit } from 'vscode-languageserver-types';
import { isScalar } from 'yaml';
import { mappingOf, type Path, valueAt } from '../../../core/data.ts';
import { loadPrompt } from '../../../evalfile/prompt.ts';
import {
  addKeys,
  columnOf,
  edit,
  endOf,
  indented,
  isFlow,
  nodeAt,
  replaceNode,
  scalar,
  startOf,
} from '../../../yaml/yamlEdits.ts';
import { editsIn, refactoring, withNewFile } from './actions.ts';
import { type CursorPlace, freeFile, slug } from './place.ts';

/** Moves a criterion or a judge's instructions into a prompt file. */
export async function toPromptFile(place: CursorPlace): Promise<CodeAction[]> {
  const { yaml } = place.document;
  const path = assertionPath(place);
  const given = path && valueAt(yaml.value, path);
  const prompt = given === undefined ? undefined : promptOf(given);
  if (!path || !prompt || hasHeaderComment(place, path)) return [];
  const file = await freeFile(place, 'judges', prompt.name, '.md');
  const edits =
    typeof given === 'string'
      ? itemEdits(place, path, file.reference)
      : mappingEdits(place, path, file.reference);
  if (!edits) return [];
  const created = { uri: place.ports.uriOf(file.path), text: prompt.text };
  const title = `Move to the prompt file "${file.reference}"`;
  return [refactoring(title, 'refactor.extract', withNewFile(created, place.uri, edits))];
}

/** `instructions: | # why`: the comment would be lost with the block. */
function hasHeaderComment({ document: { yaml } }: CursorPlace, path: Path): boolean {
  return ['instructions', 'criterion'].some((key) => {
    const pair = nodeAt(yaml, [...path, key])?.pair;
    if (!pair) return false;
    const [line = ''] = yaml.text.slice(startOf(pair)).split('\n', 1);
    return /[|>][-+\d]*[ \t]+#/.test(line);
  });
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
    const text = `---\nname: ${JSON.stringify(named ?? 'llm-judge')}\n---\n\n${instructions.trim()}\n`;
    return { name: slug(named ?? instructions, 'judge'), text };
  }
  const words = typeof given === 'string' ? given : type === 'criterion' ? criterion : undefined;
  if (typeof words !== 'string') return undefined;
  // A criterion's variables are the case's own; a prompt has others, and those by another name.
  const asked = words.trim().replace(/\{\{\s*([\w.-]+)\s*\}\}/g, '{{context.$1}}');
  const label = named ?? words.split(/\s+/).slice(0, 8).join(' ');
  const text = `---\nname: ${JSON.stringify(label)}\n---\n\nDoes this hold for the conversation?\n\n${asked}\n\n{{conversation}}\n`;
  return { name: slug(label, 'judge'), text };
}

/** All must hold, as with a criterion; a judge's own threshold is lower. */
const THRESHOLD = 'threshold: 1';

function itemEdits(
  { document: { yaml } }: CursorPlace,
  path: Path,
  reference: string,
): TextEdit[] | undefined {
  const node = nodeAt(yaml, path)?.node;
  if (!isScalar(node)) return undefined;
  const lines = ['type: llm-judge', `prompt: ${reference}`, THRESHOLD];
  const indent = `\n${' '.repeat(columnOf(yaml, startOf(node)))}`;
  const flow = isFlow(nodeAt(yaml, path.slice(0, -1))?.node);
  return [replaceNode(yaml, node, flow ? `{ ${lines.join(', ')} }` : lines.join(indent))];
}

function mappingEdits(
  { document: { yaml } }: CursorPlace,
  path: Path,
  reference: string,
): TextEdit[] | undefined {
  const given = mappingOf(valueAt(yaml.value, path));
  const pair = nodeAt(yaml, [
    ...path,
    given.type === 'criterion' ? 'criterion' : 'instructions',
  ])?.pair;
  if (!pair) return undefined;
  const edits = [edit(yaml, startOf(pair), endOf(pair, yaml.text), `prompt: ${reference}`)];
  if (given.type !== 'criterion') return edits;
  const type = nodeAt(yaml, [...path, 'type'])?.node;
  if (!type) return undefined;
  edits.push(replaceNode(yaml, type, 'llm-judge'));
  const threshold = given.threshold === undefined && addKeys(yaml, path, { threshold: '1' });
  return threshold ? [...edits, threshold] : edits;
}

/** Writes a prompt file's text into the assertion; the file stays, others may use it. */
export async function inlinePrompt(place: CursorPlace): Promise<CodeAction[]> {
  const { yaml } = place.document;
  const path = assertionPath(place);
  const given = mappingOf(path && valueAt(yaml.value, path));
  if (!path || given.type !== 'llm-judge' || typeof given.prompt !== 'string') return [];
  const pair = nodeAt(yaml, [...path, 'prompt'])?.pair;
  const file = resolve(dirname(yaml.path), given.prompt);
  const text = await place.ports.read(file);
  if (!pair || text === undefined) return [];
  const { prompt, document } = loadPrompt(text, file);
  if (!prompt) return [];
  const flow = isFlow(nodeAt(yaml, path)?.node);
  const column = columnOf(yaml, startOf(nodeAt(yaml, path)?.node));
  const words = flow ? JSON.stringify(prompt.body) : blockText(prompt.body, column + 2);
  const edits = [edit(yaml, startOf(pair), endOf(pair, yaml.text), `instructions: ${words}`)];
  const { name, scale, labels, threshold, per_turn, model } = mappingOf(document.value);
  const beside = {
    name: name ?? basename(file, '.md'),
    scale,
    labels,
    threshold,
    per_turn,
    judge: model,
  };
  const missing = Object.entries(beside)
    .filter(([key, value]) => value !== undefined && given[key] === undefined)
    .map(([key, value]) => [
      key,
      typeof value === 'string' ? scalar(value) : JSON.stringify(value),
    ]);
  const added = missing.length > 0 && addKeys(yaml, path, Object.fromEntries(missing));
  if (added) edits.push(added);
  return [
    refactoring('Write the prompt into this file', 'refactor.inline', editsIn(place.uri, edits)),
  ];
}

/** As lines of its own, or in quotes where a character could not stand there. */
function blockText(text: string, column: number): string {
  const printable = !/[^\P{C}\n\r\t\u200d]/u.test(text) && !/^[ \t]/.test(text);
  return printable ? `|-\n${indented(text, column)}` : JSON.stringify(text);
}
