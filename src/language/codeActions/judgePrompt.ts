import { basename } from 'node:path';
import type { CodeAction } from 'vscode-languageserver-types';
import { assertionMapping, findAssertionType } from '../../assertions/registry.ts';
import { llmJudge } from '../../assertions/types/llm-judge.ts';
import { isMapping, mappingOf, type Path, valueAt } from '../../core/data/data.ts';
import { loadPrompt } from '../../evalfile/prompt.ts';
import { labelsFolder } from '../../node/paths.ts';
import { COMMANDS } from '../../protocol/names.ts';
import { addKeys, replaceEntry, replaceValue } from '../../yaml/edits.ts';
import { writeWord } from '../../yaml/quoting.ts';
import type { YamlDocument } from '../../yaml/yamlDocument.ts';
import {
  type ActionContext,
  editsIn,
  freeFile,
  newFileEdit,
  readReferenced,
  refactoring,
  slug,
} from './actions.ts';

/** Moves a criterion or a judge's instructions to a prompt file. */
export async function toPromptFile(context: ActionContext): Promise<CodeAction[]> {
  const { yaml } = context.document;
  const path = assertionPath(context);
  const prompt = path && promptOf(valueAt(yaml.value, path));
  if (!prompt) return [];
  const file = await freeFile(context, 'judges', prompt.name, '.md');
  if (!file) return [];
  const edits = referTo(prompt, yaml, path, file.reference);
  if (edits.length === 0) return [];
  const created = { uri: context.ports.uriOf(file.path), text: prompt.text };
  const title = `Move to the prompt file "${file.reference}"`;
  return [refactoring(title, 'refactor.extract', newFileEdit(created, context.uri, edits))];
}

/** The path of the innermost listed assertion around the cursor. */
function assertionPath({ path }: ActionContext): Path | undefined {
  const at = path.findLastIndex(
    (step, index) => typeof step === 'number' && path[index - 1] === 'assert',
  );
  return at < 0 ? undefined : path.slice(0, at + 1);
}

function promptOf(given: unknown) {
  if (given === undefined) return undefined;
  const mapping = assertionMapping(given);
  const type = findAssertionType(mapping.type);
  if (!type?.asPrompt || mapping.prompt !== undefined) return undefined;
  const { key, body } = type.asPrompt;
  const words = mapping[key];
  if (typeof words !== 'string') return undefined;
  const named = typeof mapping.name === 'string' ? mapping.name : undefined;
  const label = named ?? type.label?.(mapping) ?? type.type;
  const text = `---\nname: ${writeWord(label)}\n---\n\n${body(words)}\n`;
  return { type, key, name: slug(named ?? words, 'judge'), text };
}

type InlinePrompt = NonNullable<ReturnType<typeof promptOf>>;

function referTo({ type, key }: InlinePrompt, yaml: YamlDocument, path: Path, prompt: string) {
  const given = valueAt(yaml.value, path);
  // Keeps the criterion's threshold, because the default threshold of `llm-judge` is lower.
  const threshold = type.defaultThreshold;
  if (!isMapping(given)) {
    return replaceValue(yaml, path, { type: llmJudge.type, prompt, threshold });
  }
  const own = replaceEntry(yaml, [...path, key], 'prompt', prompt);
  if (type.takesPrompt) return own;
  const judge = replaceValue(yaml, [...path, 'type'], llmJudge.type);
  if (own.length === 0 || judge.length === 0) return [];
  const added = given.threshold === undefined ? addKeys(yaml, path, { threshold }) : undefined;
  return [...own, ...judge].concat(added ?? []);
}

/** Copies a prompt file into the assertion. Keeps the file, because other assertions may use it. */
export async function inlinePrompt(context: ActionContext): Promise<CodeAction[]> {
  const { yaml } = context.document;
  const path = assertionPath(context);
  const given = mappingOf(path && valueAt(yaml.value, path));
  if (!path || !findAssertionType(given.type)?.takesPrompt) return [];
  if (typeof given.prompt !== 'string') return [];
  const file = await readReferenced(context, given.prompt);
  if (!file) return [];
  const { prompt, document } = loadPrompt(file.text, file.path);
  if (!prompt) return [];
  const edits = replaceEntry(yaml, [...path, 'prompt'], 'instructions', prompt.body);
  if (edits.length === 0) return [];
  const matter = mappingOf(document.value);
  const { name = basename(file.path, '.md'), scale, labels, details, threshold, per_turn } = matter;
  const options = { name, scale, labels, details, threshold, per_turn, judge: matter.model };
  const missing = Object.entries(options).filter(
    ([key, value]) => value !== undefined && given[key] === undefined,
  );
  const added = missing.length > 0 ? addKeys(yaml, path, Object.fromEntries(missing)) : undefined;
  const all = editsIn(context.uri, edits.concat(added ?? []));
  return [refactoring('Inline the prompt', 'refactor.inline', all)];
}

/** Offered only if there are labels. */
export async function improveJudge(context: ActionContext): Promise<CodeAction[]> {
  const { document, uri, ports } = context;
  const path = assertionPath(context);
  const given = path && valueAt(document.yaml.value, path);
  const type = given === undefined ? undefined : findAssertionType(assertionMapping(given).type);
  if (!type?.asPrompt) return [];
  const entries = await ports.listFolder(labelsFolder(document.suite.path)).catch(() => []);
  if (!entries.some(({ name }) => name.endsWith('.jsonl'))) return [];
  const title = 'Improve this judge with labels';
  const command = { title, command: COMMANDS.improveJudge, arguments: [uri] };
  return [{ title, kind: 'refactor.rewrite', command }];
}
