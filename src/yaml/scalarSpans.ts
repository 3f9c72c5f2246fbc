import type { Path } from '../core/data/data.ts';
import type { Range } from '../core/problem.ts';
import { escapeRegExp } from '../core/text/format.ts';
import { templateVariables } from '../core/text/template.ts';
import type { Span } from './nodes.ts';
import type { ScalarText, YamlDocument } from './yamlDocument.ts';

/** The span of a scalar's text, without quotes; undefined if the source differs from the text, as with escapes. */
export function wordsSpan(text: string, scalar: ScalarText): Span | undefined {
  const [start, end] = inside(text, scalar);
  const written = text.slice(start, end);
  const trimmed = scalar.style === 'block' ? written.trim() : written;
  // The text of `"a\x62"` is "ab", but the source can't be changed by editing two characters.
  if (trimmed !== scalar.value.trim() || trimmed === '') return undefined;
  const from = start + written.indexOf(trimmed);
  return [from, from + trimmed.length];
}

/**
 * Locates pieces of the text at a path: undefined if an escape or an alias hides a piece.
 *
 * - "It's {{nam}}"      {{nam}} is found
 * - "\x7b{nam}}"        it isn't
 *
 * @returns a function that takes the offset and length of a piece in the scalar's value
 */
export function pieceRanges(
  yaml: YamlDocument,
  path: Path,
): (offset: number, length: number) => Range | undefined {
  const scalar = yaml.scalarAt(path);
  const spanOf = scalar && pieceSpans(yaml.text, scalar);
  return (offset, length) => {
    const span = spanOf?.(offset, length);
    return span && yaml.rangeOfOffsets(...span);
  };
}

interface VariableSpan {
  readonly name: string;
  /** Span of the name within the braces; undefined if escapes hide it. */
  readonly span: Span | undefined;
}

export function variablesIn(text: string, scalar: ScalarText): VariableSpan[] {
  const spanOf = pieceSpans(text, scalar);
  return templateVariables(scalar.value).map(({ name, offset, length }) => {
    const span = spanOf(offset, length);
    if (!span) return { name, span };
    const from = text.indexOf(name, span[0]);
    return { name, span: [from, from + name.length] };
  });
}

/** Maximum characters to search per scalar, in total. */
const MAX_SEARCHED = 10_000_000;

function pieceSpans(
  text: string,
  scalar: ScalarText,
): (offset: number, length: number) => Span | undefined {
  const { value } = scalar;
  const [start, end] = inside(text, scalar);
  const written = text.slice(start, end);
  if (written === value) return (offset, length) => [start + offset, start + offset + length];
  let searched = 0;
  return (offset, length) => {
    searched += value.length;
    if (searched > MAX_SEARCHED) return undefined;
    // In folded text, a space can be written as a line break and indentation.
    const piece = escapeRegExp(value.slice(offset, offset + length)).replace(/\s+/g, '\\s+');
    const pattern = new RegExp(piece, 'g');
    const meant = [...value.matchAll(pattern)];
    const all = [...written.matchAll(pattern)];
    const found = all[meant.findIndex(({ index }) => index === offset)];
    if (!found || all.length !== meant.length) return undefined;
    const from = start + found.index;
    return [from, from + found[0].length];
  };
}

/** The span without quotes, and without a block's header, which may contain a comment. */
function inside(text: string, { style, start, end }: ScalarText): Span {
  if (style === 'plain') return [start, end];
  if (style === 'block') {
    const line = text.indexOf('\n', start);
    return line < 0 || line >= end ? [end, end] : [line + 1, end];
  }
  const closed = end - start > 1 && text[end - 1] === text[start];
  return [start + 1, closed ? end - 1 : end];
}
