import type { Range } from '../core/problem.ts';
import { templateVariables } from '../core/template.ts';
import type { ScalarText, YamlDocument } from './yamlDocument.ts';

/** The place of a whole scalar's words, without quotes; undefined where they are not written as they are. */
export function wordsRange(yaml: YamlDocument, scalar: ScalarText): Range | undefined {
  const [start, end] = inner(yaml.text, scalar);
  const written = yaml.text.slice(start, end);
  const trimmed = scalar.style === 'block' ? written.trim() : written;
  // `"a\x62"` is "ab", but no edit of two characters makes it something else.
  if (trimmed !== scalar.value.trim() || trimmed === '') return undefined;
  const from = start + written.indexOf(trimmed);
  return yaml.rangeOfOffsets(from, from + trimmed.length);
}

export interface PlacedVariable {
  readonly name: string;
  /** The name within the braces; undefined where escapes hide it. */
  readonly range: Range | undefined;
}

/** The variables in a scalar's text, in order. */
export function variablesIn(yaml: YamlDocument, scalar: ScalarText): PlacedVariable[] {
  const [start, end] = inner(yaml.text, scalar);
  const written = yaml.text.slice(start, end);
  const meant = templateVariables(scalar.value);
  const seen = templateVariables(written);
  // `"\x7b{a}} {{b}}"` shows one of its two: nobody can tell which.
  const same = meant.length === seen.length && meant.every(({ name }, i) => seen[i]?.name === name);
  return meant.map(({ name }, index) => {
    const at = seen[index]?.offset;
    if (!same || at === undefined) return { name, range: undefined };
    const from = start + written.indexOf(name, at);
    return { name, range: yaml.rangeOfOffsets(from, from + name.length) };
  });
}

/** Offsets without quotes and without the header of a block, which may hold a comment. */
function inner(text: string, { style, start, end }: ScalarText): [number, number] {
  if (style === 'plain') return [start, end];
  if (style === 'block') {
    const line = text.indexOf('\n', start);
    return line < 0 || line >= end ? [end, end] : [line + 1, end];
  }
  const closed = end - start > 1 && text[end - 1] === text[start];
  return [start + 1, closed ? end - 1 : end];
}
