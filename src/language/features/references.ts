import type { Location } from 'vscode-languageserver-types';
import { uniqueBy } from '../../core/data/data.ts';
import type { Position } from '../../core/problem.ts';
import { comparePositions } from '../range.ts';
import { type SymbolPorts, sameSymbols, symbolAt } from '../symbols/sameSymbol.ts';

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
