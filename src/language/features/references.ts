import type { Location } from 'vscode-languageserver-types';
import { uniqueBy } from '../../core/data/data.ts';
import { isFileKind } from '../../core/meaning.ts';
import { comparePositions, contains, type Position, START } from '../../core/problem.ts';
import {
  type FoundSymbol,
  type SymbolPorts,
  sameSymbols,
  symbolAt,
} from '../symbols/sameSymbol.ts';
import { linkedFile } from './documentLinks.ts';

/**
 * Where the symbol at a position is declared; of a path, the file. On a declaration itself: the others
 * that stand for the same, as the keys of `context` do for a prompt's `variables`.
 *
 * @param path of an eval file or of a prompt
 */
export async function definition(
  path: string,
  position: Position,
  ports: SymbolPorts,
): Promise<Location[]> {
  const found = await symbolAt(path, position, ports);
  if (!found) return [];
  if (isFileKind(found.symbol.kind)) {
    const file = await linkedFile(found.occurrence.text, path, ports);
    return file?.exists ? [{ uri: ports.uriOf(file.path), range: START }] : [];
  }
  const elsewhere = (one: FoundSymbol): Location[] =>
    one.symbol.declarations
      .filter(({ range }) => one.table.path !== path || !contains(range, position))
      .map(({ range }) => ({ uri: ports.uriOf(one.table.path), range }));
  const own = elsewhere(found);
  if (own.length > 0) return own;
  const others = (await sameSymbols(found, ports)).flatMap(elsewhere);
  if (others.length > 0) return others;
  return found.symbol.declarations.map(({ range }) => ({
    uri: ports.uriOf(found.table.path),
    range,
  }));
}

/**
 * All places that mean the same as the symbol at a position, over all files, in their order.
 *
 * @param path of an eval file or of a prompt
 */
export async function references(
  path: string,
  position: Position,
  includeDeclaration: boolean,
  ports: SymbolPorts,
): Promise<Location[]> {
  const found = await symbolAt(path, position, ports);
  if (!found) return [];
  const all = (await sameSymbols(found, ports)).flatMap((one) =>
    [...(includeDeclaration ? one.symbol.declarations : []), ...one.symbol.references].map(
      ({ range }) => ({ uri: ports.uriOf(one.table.path), range }),
    ),
  );
  return uniqueBy(all, (one) => JSON.stringify(one)).sort(
    (a, b) =>
      (a.uri < b.uri ? -1 : a.uri > b.uri ? 1 : 0) ||
      comparePositions(a.range.start, b.range.start),
  );
}
