import { typeOf } from '../assertions/registry.ts';
import { isMapping, valueAt } from '../core/data/data.ts';
import type { Range } from '../core/problem.ts';
import type { Assertion } from '../core/suite.ts';
import { replaceValue } from '../yaml/edits.ts';
import { parseYaml } from '../yaml/yamlDocument.ts';
import { wordsOf } from './improveJudge.ts';

/** The file that the words of an assertion stand in: its judge prompt, else its eval file. */
export function wordsFile({ prompt, params, source }: Assertion): string {
  return prompt && params.instructions === undefined ? prompt.path : source.path;
}

/**
 * Edits that put other words in the place of those of an assertion; empty where the text has others by now.
 *
 * @param text of `wordsFile`
 */
export function rewordingEdit(
  assertion: Assertion,
  text: string,
  words: string,
): { readonly range: Range; readonly newText: string }[] {
  const { prompt, params, source } = assertion;
  if (prompt && params.instructions === undefined) {
    if (!text.trimEnd().endsWith(prompt.body.trim())) return [];
    return [{ range: prompt.bodyRange, newText: `${words}\n` }];
  }
  const document = parseYaml(text, source.path);
  const { path } = document.pathAt(source.range.start);
  const key = typeOf(assertion).asPrompt?.key ?? '';
  const before = wordsOf(assertion);
  for (let length = path.length; length > 0; length -= 1) {
    const at = path.slice(0, length);
    const value = valueAt(document.value, at);
    const place = isMapping(value) ? [...at, key] : at;
    const found = valueAt(document.value, place);
    if (typeof found !== 'string' || found.trim() !== before) continue;
    return replaceValue(document, place, words);
  }
  return [];
}
