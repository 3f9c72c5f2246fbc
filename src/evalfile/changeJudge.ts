import { mappingOf, type Path, valueAt } from '../core/data/data.ts';
import type { Range } from '../core/problem.ts';
import { addWritten, replaceValue } from '../yaml/edits.ts';
import { write } from '../yaml/quoting.ts';
import { parseYaml } from '../yaml/yamlDocument.ts';
import { type ChosenModel, modelValue } from './starter.ts';

/**
 * Edits that put another judge in the place of one, wherever the file names it. Where the file names
 * none, the judge is added to it.
 *
 * @param from the judge's id, `provider:model`
 */
export function changeJudge(
  text: string,
  path: string,
  from: string,
  to: ChosenModel,
): { readonly range: Range; readonly newText: string }[] {
  const document = parseYaml(text, path);
  const { models, judge } = mappingOf(document.value);
  const paths = judgesIn(document.value).filter(
    (at) => idOf(valueAt(document.value, at), mappingOf(models)) === from,
  );
  const value = modelValue(to);
  if (paths.length > 0) return paths.flatMap((at) => replaceValue(document, at, value));
  if (judge !== undefined) return [];
  const added = addWritten(document, [], [['judge', write(value)]]);
  return added ? [added] : [];
}

/** Whose words are the user's own. */
const FREE: readonly string[] = ['context', 'transcript'];

/** Every place that names a judge: file, defaults, cases and assertions. */
function judgesIn(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]): Path[] => {
    const at = [...path, Array.isArray(value) ? Number(key) : key];
    if (FREE.includes(key)) return [];
    return key === 'judge' ? [at] : judgesIn(inner, at);
  });
}

function idOf(value: unknown, models: Readonly<Record<string, unknown>>): string | undefined {
  if (typeof value === 'string') {
    return Object.hasOwn(models, value) ? idOf(models[value], {}) : value;
  }
  const { provider, model } = mappingOf(value);
  return typeof provider === 'string' && typeof model === 'string'
    ? `${provider}:${model}`
    : undefined;
}
