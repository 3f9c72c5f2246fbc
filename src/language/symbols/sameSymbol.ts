import { addTo, memoize, valueAt } from '../../core/data/data.ts';
import { isFileKind, SCOPES } from '../../core/meaning.ts';
import type { Position } from '../../core/problem.ts';
import { withoutCases } from '../../evalfile/loadedSuite.ts';
import { type Step, stepsOf } from '../../node/cooperative.ts';
import type { EvalDocument, IndexedFile, LanguagePorts } from '../ports.ts';
import {
  type EvalSymbol,
  type Occurrence,
  promptSymbols,
  type SymbolTable,
  symbolsOf,
} from './symbolTable.ts';

/** A copy that doesn't refer to the file's nodes. */
export const indexedFile = memoize(({ yaml, suite }: EvalDocument): IndexedFile => {
  const cases = valueAt(yaml.value, ['cases']);
  return {
    path: yaml.path,
    suite: withoutCases(suite),
    symbols: symbolsOf(yaml),
    caseCount: Array.isArray(cases) ? cases.length : 0,
  };
});

export interface SymbolPorts
  extends Pick<LanguagePorts, 'documentAt' | 'files' | 'readText' | 'uriOf' | 'workspaceOf'> {
  /** The eval files to search, and the files that they include. */
  readonly documents: readonly IndexedFile[];
  readonly step?: Step;
}

export interface FoundSymbol {
  readonly table: SymbolTable;
  readonly symbol: EvalSymbol;
}

interface SymbolAtCursor extends FoundSymbol {
  readonly occurrence: Occurrence;
}

export async function symbolAt(
  path: string,
  position: Position,
  ports: Pick<SymbolPorts, 'documents' | 'readText'>,
): Promise<SymbolAtCursor | undefined> {
  const document = ports.documents.find((one) => one.path === path);
  if (document) return symbolIn(document.symbols, position);
  const text = await ports.readText(path);
  return text === undefined ? undefined : symbolIn(promptSymbols(text, path), position);
}

function symbolIn(table: SymbolTable, position: Position): SymbolAtCursor | undefined {
  const isHere = table.isAt(position);
  for (const symbol of table.symbols) {
    const occurrence = symbol.declarations.find(isHere) ?? symbol.references.find(isHere);
    if (occurrence) return { table, symbol, occurrence };
  }
  return undefined;
}

/**
 * The same symbol in all files: an included file uses the models of the suites that include it, and a prompt's
 * `{{context.city}}` is a key of each case that it judges. The symbol itself comes first.
 */
export async function sameSymbols(start: FoundSymbol, ports: SymbolPorts): Promise<FoundSymbol[]> {
  const { kind, name } = start.symbol;
  const graph = new FileGraph(ports.documents);
  await graph.link(ports.step);
  if (kind === 'variable' || kind === 'model') await graph.readPrompts(ports);
  if (isFileKind(kind)) return graph.filesNamed(name);
  const isLocal = kind !== 'variable' && (SCOPES[kind] !== 'suite' || kind === 'shortModel');
  if (isLocal) return [start];
  const region = { path: start.table.path, scope: start.symbol.scope };
  const found = graph.reach(start.symbol, region).flatMap((one) => graph.find(one, start.symbol));
  return [start, ...found.filter((one) => one.symbol !== start.symbol)];
}

/** A part of a file within which a name is unique. */
interface Region {
  readonly path: string;
  readonly scope: string;
}

/** Which files include other files, and which prompts they use. */
class FileGraph {
  readonly #documents: ReadonlyMap<string, IndexedFile>;
  readonly #includers = new Map<string, IndexedFile[]>();
  readonly #prompts = new Map<string, SymbolTable>();
  readonly #judgedWith = new Map<string, Region[]>();
  /** Prompts by the `keyOf` of the region that uses them. */
  readonly #promptsOf = new Map<string, string[]>();

  constructor(documents: readonly IndexedFile[]) {
    this.#documents = new Map(documents.map((one) => [one.path, one]));
  }

  /** Links the files. This takes long if there are many. */
  async link(step: Step = stepsOf()): Promise<void> {
    for (const document of this.#documents.values()) {
      await step();
      for (const path of document.suite.dependencies) addTo(this.#includers, path, document);
      for (const { kind, name, scope } of document.symbols.symbols) {
        if (kind !== 'prompt') continue;
        const { path } = document;
        addTo(this.#judgedWith, name, { path, scope });
        addTo(this.#promptsOf, keyOf({ path, scope }), name);
        addTo(this.#promptsOf, keyOf({ path, scope: '' }), name);
      }
    }
  }

  async readPrompts({ readText }: SymbolPorts): Promise<void> {
    await Promise.all(
      [...this.#judgedWith.keys()].map(async (path) => {
        const text = await readText(path);
        if (text !== undefined) this.#prompts.set(path, promptSymbols(text, path));
      }),
    );
  }

  find({ path, scope }: Region, { kind, name }: EvalSymbol): FoundSymbol[] {
    const table = this.#documents.get(path)?.symbols ?? this.#prompts.get(path);
    const symbol = table?.find(kind, name, scope);
    return table && symbol ? [{ table, symbol }] : [];
  }

  filesNamed(path: string): FoundSymbol[] {
    return [...this.#documents.values()].flatMap(({ symbols: table }) =>
      table.symbols
        .filter(({ kind, name }) => isFileKind(kind) && name === path)
        .map((symbol) => ({ table, symbol })),
    );
  }

  /** All regions that are connected to a region through regions that mention the symbol. */
  reach(symbol: EvalSymbol, from: Region): Region[] {
    const reached = new Map([[keyOf(from), from]]);
    // Iterating a map includes entries that are added during the loop.
    for (const region of reached.values()) {
      const isVariable = symbol.kind === 'variable';
      const neighbors = isVariable ? this.#variableNeighbors(region) : this.#neighbors(region);
      for (const next of neighbors) {
        const key = keyOf(next);
        if (!reached.has(key) && this.#mentions(next, symbol)) reached.set(key, next);
      }
    }
    return [...reached.values()];
  }

  /** Whether the region or a prompt that it uses mentions the symbol. */
  #mentions(region: Region, symbol: EvalSymbol): boolean {
    if (this.find(region, symbol).length > 0) return true;
    if (region.scope.startsWith('cases/')) return false;
    const prompts = this.#promptsOf.get(keyOf(region)) ?? [];
    return prompts.some((path) => this.find({ path, scope: '' }, symbol).length > 0);
  }

  #neighbors({ path }: Region): Region[] {
    const included = this.#documents.get(path)?.suite.dependencies ?? [];
    const paths = [
      ...included.filter((one) => this.#documents.has(one)),
      ...(this.#promptsOf.get(keyOf({ path, scope: '' })) ?? []),
      ...(this.#includers.get(path) ?? []).map((one) => one.path),
      ...(this.#judgedWith.get(path) ?? []).map((user) => user.path),
    ];
    return paths.map((one) => ({ path: one, scope: '' }));
  }

  #variableNeighbors(region: Region): Region[] {
    const { path, scope } = region;
    const prompts = this.#promptsOf.get(keyOf(region)) ?? [];
    const suites = [path, ...(this.#includers.get(path) ?? []).map((one) => one.path)];
    return [
      ...prompts.map((prompt) => ({ path: prompt, scope: '' })),
      ...(this.#judgedWith.get(path) ?? []),
      ...(scope === 'defaults' ? this.#casesUnder(path) : []),
      ...(scope.startsWith('cases/')
        ? suites.map((one) => ({ path: one, scope: 'defaults' }))
        : []),
    ];
  }

  #casesUnder(path: string): Region[] {
    const files = [path, ...(this.#documents.get(path)?.suite.dependencies ?? [])];
    return files.flatMap((file) => {
      const length = this.#documents.get(file)?.caseCount ?? 0;
      return Array.from({ length }, (_, index) => ({ path: file, scope: `cases/${index}` }));
    });
  }
}

function keyOf({ path, scope }: Region): string {
  return `${path}\n${scope}`;
}
