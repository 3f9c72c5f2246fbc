import type { Path } from '../core/data.ts';
import type { Range } from '../core/problem.ts';
import type { YamlDocument } from './yamlDocument.ts';

/**
 * The places of a piece of a scalar's text, in order; undefined where the piece cannot be found as it
 * is, because an escape, a line break or an alias hides it.
 *
 *     - "It's {{nam}}"      {{nam}} stands as it is
 *     - "\x7b{nam}}"        it does not
 */
export function piecesOf(
  document: YamlDocument,
  path: Path,
  piece: string,
): readonly Range[] | undefined {
  const scalar = document.scalarAt(path);
  if (!scalar) return undefined;
  const written = offsetsOf(piece, document.text.slice(scalar.start, scalar.end));
  if (written.length !== offsetsOf(piece, scalar.value).length) return undefined;
  return written.map((offset) => {
    const start = scalar.start + offset;
    return document.rangeOfOffsets(start, start + piece.length);
  });
}

/** The place of the piece that begins at an offset of the scalar's text. */
export function pieceAt(
  document: YamlDocument,
  path: Path,
  text: string,
  offset: number,
  length: number,
): Range | undefined {
  const piece = text.slice(offset, offset + length);
  const before = offsetsOf(piece, text).indexOf(offset);
  return piecesOf(document, path, piece)?.[before];
}

function offsetsOf(piece: string, text: string): number[] {
  const found: number[] = [];
  for (let at = text.indexOf(piece); at >= 0; at = text.indexOf(piece, at + piece.length)) {
    found.push(at);
  }
  return found;
}
