import { addTo } from '../../core/data/data.ts';
import { isFileKind, SCOPES } from '../../core/meaning.ts';
import type { Position } from '../../core/problem.ts';
import { type Step, stepsOf } from '../../node/cooperative.ts';
import type { IndexedFile, LanguagePorts } from '../ports.ts';
import {
  type EvalSymbol,
  type Occurrence,
  promptSymbols,
  type SymbolTable,
} from './symbolTable.ts';

/** What lies around a document whose symbols are looked up. */
export interface SymbolPorts
  extends Pick<LanguagePorts, 'documentAt' | 'files' | 'readText' | 'uriOf' | 'workspaceOf'> {
  /** The eval files to look in, and those they include. */
  readonly documents: readonly IndexedFile[];
  readonly step?: Step;
}

export interface FoundSymbol {
  readonly table: SymbolTable;
  readonly symbol: EvalSymbol;
}

/** A symbol under the cursor, and the occurrence that the cursor is on. */
export interface PointedSymbol extends FoundSymbol {
  readonly occurrence: Occurrence;
}

export async function symbolAt(
  path: string,
  position: Position,
  ports: Pick<SymbolPorts, 'documents' | 'readText'>,
): Promise<PointedSymbol | undefined> {
  const document = ports.documents.find((one) => one.path === path);
  if (document) return pointed(document.symbols, position);
  const text = await ports.readText(path);
  return text === undefined ? undefined : pointed(promptSymbols(text, path), position);
}

function pointed(table: SymbolTable, position: Position): PointedSymbol | undefined {
  const isHere = table.isAt(position);
  for (const symbol of table.symbols) {
    const occurrence = symbol.declarations.find(isHere) ?? symbol.references.find(isHere);
    if (occurrence) return { table, symbol, occurrence };
  }
  return undefined;
}

/**
 * Everything that stands for the same thing, over all files: an included file's models are those of
 * the suites that include it, a prompt's `{{context.city}}` is a key of each case that it judges.
 * The symbol itself comes first.
 */
export async function sameSymbols(start: FoundSymbol, ports: SymbolPorts): Promise<FoundSymbol[]> {
  const { kind, name } = start.symbol;
  const web = new Web(ports.documents);
  await web.link(ports.step);
  if (kind === 'variable' || kind === 'model') await web.readPrompts(ports);
  if (isFileKind(kind)) return web.filesNamed(name);
  const region = { path: start.table.path, scope: start.symbol.scope };
  const around = aroundOf(kind);
  const found = around
    ? web.reach(start.symbol, region, around).flatMap((one) => web.find(one, start.symbol))
    : [];
  return [start, ...found.filter((one) => one.symbol !== start.symbol)];
}

/** A part of a file in which a name means one thing: as the scope of a symbol. */
interface Region {
  readonly path: string;
  readonly scope: string;
}

type Around = (web: Web, region: Region) => readonly Region[];

/** Where the same name may mean the same; elsewhere it is a name of its own. */
function aroundOf(kind: EvalSymbol['kind']): Around | undefined {
  if (kind === 'variable') return (web, region) => web.aboutVariable(region);
  const isNamed = SCOPES[kind] === 'suite' && kind !== 'shortModel';
  return isNamed ? (web, region) => web.aboutSuite(region) : undefined;
}

/** How files hang together: who includes whom, and who judges with which prompt. */
class Web {
  readonly #documents: ReadonlyMap<string, IndexedFile>;
  readonly #includers = new Map<string, IndexedFile[]>();
  readonly #prompts = new Map<string, SymbolTable>();
  /** The regions that use a prompt. */
  readonly #judgedWith = new Map<string, Region[]>();
  /** The prompts that a region uses; `path` and `scope` in one. */
  readonly #promptsOf = new Map<string, string[]>();

  constructor(documents: readonly IndexedFile[]) {
    this.#documents = new Map(documents.map((one) => [one.path, one]));
  }

  /** Looks up the symbols of every file, which takes long where they are many. */
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

  /** All regions that hang together with one by a symbol: through what does not mention it no way leads. */
  reach(symbol: EvalSymbol, from: Region, around: Around): Region[] {
    const reached = new Map([[keyOf(from), from]]);
    // A map also yields what is put into it on the way.
    for (const region of reached.values()) {
      for (const next of around(this, region)) {
        const key = keyOf(next);
        if (!reached.has(key) && this.#mentions(next, symbol)) reached.set(key, next);
      }
    }
    return [...reached.values()];
  }

  /** Itself, or in a prompt that it judges with. */
  #mentions(region: Region, symbol: EvalSymbol): boolean {
    if (this.find(region, symbol).length > 0) return true;
    if (region.scope.startsWith('cases/')) return false;
    const prompts = this.#promptsOf.get(keyOf(region)) ?? [];
    return prompts.some((path) => this.find({ path, scope: '' }, symbol).length > 0);
  }

  aboutSuite({ path }: Region): Region[] {
    const included = this.#documents.get(path)?.suite.dependencies ?? [];
    const paths = [
      ...included.filter((one) => this.#documents.has(one)),
      ...(this.#promptsOf.get(keyOf({ path, scope: '' })) ?? []),
      ...(this.#includers.get(path) ?? []).map((one) => one.path),
      ...(this.#judgedWith.get(path) ?? []).map((user) => user.path),
    ];
    return paths.map((one) => ({ path: one, scope: '' }));
  }

  aboutVariable(region: Region): Region[] {
    const users = this.#judgedWith.get(region.path) ?? [];
    const prompts = this.#promptsOf.get(keyOf(region)) ?? [];
    return [
      ...prompts.map((path) => ({ path, scope: '' })),
      ...users,
      ...(region.scope === 'defaults' ? this.#casesUnder(region.path) : []),
      ...(region.scope.startsWith('cases/') ? this.#defaultsOver(region.path) : []),
    ];
  }

  #casesUnder(path: string): Region[] {
    const files = [path, ...(this.#documents.get(path)?.suite.dependencies ?? [])];
    return files.flatMap((file) => {
      const length = this.#documents.get(file)?.caseCount ?? 0;
      return Array.from({ length }, (_, index) => ({ path: file, scope: `cases/${index}` }));
    });
  }

  #defaultsOver(path: string): Region[] {
    const suites = [path, ...(this.#includers.get(path) ?? []).map((one) => one.path)];
    return suites.map((suite) => ({ path: suite, scope: 'defaults' }));
  }
}

function keyOf({ path, scope }: Region): string {
  return `${path}\n${scope}`;
}
