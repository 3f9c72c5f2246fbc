import type { CompletionItem } from 'vscode-languageserver-types';
import { valueAt } from '../../core/data.ts';
import type { Position } from '../../core/problem.ts';
import { frontMatterSchema } from '../../evalfile/prompt.ts';
import { readTolerantly } from '../../yaml/markedYaml.ts';
import { type Choice, fits, KINDS, valueItems } from './completion/items.ts';
import { keyItems, rootItems } from './completion/keys.ts';
import { shortForms } from './completion/names.ts';
import { offerAt } from './completion/options.ts';
import { markedPlace, type Place, variableIn } from './completion/place.ts';
import { enumerated, listed } from './completion/values.ts';
import { promptVariables, variableItems } from './completion/variables.ts';

/** What a prompt may know of the eval files that use it; what is absent is not offered. */
export interface PromptContext {
  readonly snippets?: boolean;
  /** Names in their `models`. */
  readonly models?: readonly string[];
  /** Keys of their cases' `context`. */
  readonly variables?: readonly string[];
  /** Labels of other prompts. */
  readonly labels?: readonly string[];
}

/** What can be written at a place of a judge prompt: in its front matter, and within `{{`. */
export function promptCompletion(
  text: string,
  _path: string,
  position: Position,
  context: PromptContext = {},
): CompletionItem[] {
  const lines = text.split('\n');
  const end = matterEnd(lines);
  if (end === undefined || position.line === 0 || position.line >= end) {
    const inMatter = end !== undefined && (position.line === 0 || position.line === end);
    return inMatter ? [] : bodyItems(lines, end, position, context);
  }
  // The front matter alone, its lines where they are in the file.
  const matter = ['', ...lines.slice(1, end)].join('\n');
  const place = markedPlace(matter, position);
  if (!place || place.style === 'block' || place.variable) return [];
  const { snippets = false } = context;
  const { root, path } = place;
  if (place.onKey) {
    const owner = path.slice(0, -1);
    const offer = offerAt(root, owner, valueAt(root, owner), frontMatterSchema);
    return keyItems(place, snippets, offer);
  }
  if (path.length === 0) {
    return rootItems(place, snippets, offerAt(root, [], {}, frontMatterSchema));
  }
  const choices = [...enumerated(place, frontMatterSchema), ...namesAt(place, context)];
  return valueItems(
    choices.filter(({ label }) => fits(label, place.typed)),
    place,
    snippets,
  );
}

/** The line that closes the front matter; where none does yet, all is front matter. */
function matterEnd(lines: readonly string[]): number | undefined {
  const isFence = (line = '') => /^\uFEFF?---[ \t]*\r?$/.test(line);
  if (!isFence(lines[0])) return undefined;
  const end = lines.findIndex((line, index) => index > 0 && isFence(line));
  return end < 0 ? lines.length : end;
}

function namesAt(place: Place, context: PromptContext): Choice[] {
  const [key, index] = place.path;
  const named = (names: readonly string[] = [], detail: string) =>
    names.map((label) => ({ label, kind: KINDS.reference, detail, rank: 4 }));
  if (key === 'model') return [...named(context.models, 'model'), ...shortForms({})];
  if (index === undefined) return [];
  const there = listed(place.root, [String(key)]);
  const free = (choices: Choice[]) => choices.filter(({ label }) => !there.includes(label));
  if (key === 'variables') return free(named(context.variables, 'context'));
  return key === 'labels' ? free(named(context.labels, 'label')) : [];
}

function bodyItems(
  lines: readonly string[],
  end: number | undefined,
  position: Position,
  context: PromptContext,
): CompletionItem[] {
  const line = (lines[position.line] ?? '').replace(/\r$/, '');
  const variable = variableIn(line, position);
  if (!variable) return [];
  const matter = end === undefined ? undefined : readTolerantly(lines.slice(1, end).join('\n'));
  const names = new Set([...listed(matter, ['variables']), ...(context.variables ?? [])]);
  const keys = [...names].map((name) => ({ name, detail: "of the case's context" }));
  return variableItems(promptVariables(keys), variable, 'plain');
}
