import { dirname, resolve } from 'node:path';
import { contextKey } from '../assertions/shared/promptVariables.ts';
import { valueAt } from '../core/data.ts';
import { loadPrompt } from '../evalfile/prompt.ts';
import type { YamlDocument } from '../yaml/yamlDocument.ts';
import { collectNames } from './collectNames.ts';
import { GatheredNames } from './gatheredNames.ts';
import type { FileNames, Place } from './name.ts';

const KNOWN = new WeakMap<YamlDocument, FileNames>();

/** All names of an eval file, gathered once for each version of its text. */
export function namesOf(yaml: YamlDocument): FileNames {
  const known = KNOWN.get(yaml);
  if (known) return known;
  const folder = dirname(yaml.path);
  const gathered = new GatheredNames(yaml.path, (reference) => resolve(folder, reference));
  collectNames(yaml, gathered);
  KNOWN.set(yaml, gathered);
  return gathered;
}

/** The names of a judge prompt: its model, and the keys of `context` that it uses. */
export function promptNames(text: string, path: string): FileNames {
  const { document, variables } = loadPrompt(text, path);
  const gathered = new GatheredNames(path, (reference) => reference);
  const listed = valueAt(document.value, ['variables']);
  for (const index of Array.isArray(listed) ? listed.keys() : []) {
    gathered.addScalar(document, 'variable', '', 'declaration', ['variables', index]);
  }
  // `provider:model` is no name of the file's.
  if (!document.scalarAt(['model'])?.value.includes(':')) {
    gathered.addScalar(document, 'model', '', 'use', ['model']);
  }
  for (const { name, range } of variables) {
    const key = contextKey(name);
    if (key === undefined) continue;
    const start = { line: range.end.line, character: range.end.character - key.length };
    const place: Place = { range: { start, end: range.end }, style: 'text', text: key, path: [] };
    gathered.add('variable', key, '', 'use', place);
  }
  return gathered;
}
