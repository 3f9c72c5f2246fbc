import { dirname } from 'node:path';
import type { DocumentLink, Location } from 'vscode-languageserver-types';
import { groupBy, uniqueBy } from '../../core/data/data.ts';
import { isFileKind } from '../../core/meaning.ts';
import { comparePositions, contains, type Position, START } from '../../core/problem.ts';
import { resolveReference } from '../../evalfile/files.ts';
import type { EvalDocument, LanguagePorts } from '../ports.ts';
import {
  type FoundSymbol,
  type SymbolPorts,
  sameSymbols,
  symbolAt,
} from '../symbols/sameSymbol.ts';
import { symbolsOf } from '../symbols/symbolTable.ts';

/**
 * For a path, returns the file. For a declaration, returns the symbol's other declarations, such as a key of `context`
 * that a prompt uses.
 *
 * @param path path of an eval file or a prompt
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
  const locations = ({ table, symbol }: FoundSymbol): Location[] => {
    const uri = ports.uriOf(table.path);
    return symbol.declarations.map(({ range }) => ({ uri, range }));
  };
  const uri = ports.uriOf(path);
  const isElsewhere = (one: Location) => one.uri !== uri || !contains(one.range, position);
  const own = locations(found).filter(isElsewhere);
  if (own.length > 0) return own;
  const others = (await sameSymbols(found, ports)).flatMap(locations).filter(isElsewhere);
  return others.length > 0 ? others : locations(found);
}

/** References in all files, in order. @param path path of an eval file or a prompt */
export async function references(
  path: string,
  position: Position,
  includeDeclaration: boolean,
  ports: SymbolPorts,
): Promise<Location[]> {
  const found = await symbolAt(path, position, ports);
  if (!found) return [];
  const all = (await sameSymbols(found, ports)).flatMap(({ table, symbol }) => {
    const declarations = includeDeclaration ? symbol.declarations : [];
    const uri = ports.uriOf(table.path);
    return [...declarations, ...symbol.references].map(({ range }) => ({ uri, range }));
  });
  return uniqueBy(all, (one) => JSON.stringify(one)).sort(
    (a, b) =>
      (a.uri < b.uri ? -1 : a.uri > b.uri ? 1 : 0) ||
      comparePositions(a.range.start, b.range.start),
  );
}

/** Links to files, including files that can be created. */
export async function documentLinks(
  { yaml }: EvalDocument,
  ports: Pick<LanguagePorts, 'files' | 'uriOf' | 'workspaceOf'>,
): Promise<DocumentLink[]> {
  const paths = symbolsOf(yaml).symbols.flatMap(({ kind, references }) =>
    isFileKind(kind) ? references : [],
  );
  const links = await Promise.all(
    [...groupBy(paths, ({ text }) => text)].map(async ([text, same]): Promise<DocumentLink[]> => {
      const file = await linkedFile(text, yaml.path, ports);
      if (!file) return [];
      const tooltip = file.exists ? 'Open the file' : 'Create the file';
      return same.map(({ range }) => ({ range, target: ports.uriOf(file.path), tooltip }));
    }),
  );
  return links.flat();
}

/**
 * Resolves a path in a file. Undefined if it isn't a file's path, or if it leads out of the workspace, whether directly
 * or through a symbolic link.
 */
export async function linkedFile(
  reference: string,
  from: string,
  { files, workspaceOf }: Pick<LanguagePorts, 'files' | 'workspaceOf'>,
): Promise<{ readonly path: string; readonly exists: boolean } | undefined> {
  if (/[/\\]$/.test(reference)) return undefined;
  const found = await resolveReference(reference, dirname(from), workspaceOf(from), files);
  if (found.kind !== 'file' && found.kind !== 'missing') return undefined;
  return { path: found.path, exists: found.kind === 'file' };
}
