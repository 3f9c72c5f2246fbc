import type { TextEdit, WorkspaceEdit } from 'vscode-languageserver-types';
import { groupBy, uniqueBy } from '../../core/data/data.ts';
import type { Position, Range } from '../../core/problem.ts';
import { templateVariables } from '../../core/text/template.ts';
import { hashOfText } from '../../evalfile/case/buildCase.ts';
import type { RenamedCase } from '../../evalfile/caseRenames.ts';
import type { LoadedSuite } from '../../evalfile/loadedSuite.ts';
import { caseSchema } from '../../evalfile/schema.ts';
import { writeWithin } from '../../yaml/quoting.ts';
import {
  type FoundSymbol,
  type SymbolPorts,
  sameSymbols,
  symbolAt,
} from '../symbols/sameSymbol.ts';
import type { EvalSymbol, Occurrence } from '../symbols/symbolTable.ts';

/** Why a symbol can't be renamed, as shown to the user. */
export interface RenameRefusal {
  readonly message: string;
}

export interface RenameTarget {
  readonly range: Range;
  readonly placeholder: string;
}

export interface Renaming {
  readonly edit: WorkspaceEdit;
  /** One entry per suite that has the case. */
  readonly renamedCases: readonly RenamedCase[];
}

/** @param path path of an eval file or a prompt */
export async function prepareRename(
  path: string,
  position: Position,
  ports: SymbolPorts,
): Promise<RenameTarget | RenameRefusal | undefined> {
  const found = await symbolAt(path, position, ports);
  if (!found || !RENAMABLE.includes(found.symbol.kind)) return undefined;
  const message = checkSymbols(found, await sameSymbols(found, ports));
  if (message !== undefined) return { message };
  return { range: found.occurrence.range, placeholder: found.symbol.name };
}

/** Renames a symbol in all files. Undefined if there is nothing to rename. */
export async function rename(
  path: string,
  position: Position,
  newName: string,
  ports: SymbolPorts,
): Promise<Renaming | RenameRefusal | undefined> {
  const found = await symbolAt(path, position, ports);
  if (!found || !RENAMABLE.includes(found.symbol.kind)) return undefined;
  const same = await sameSymbols(found, ports);
  const message =
    checkName(found.symbol, newName) ??
    checkSymbols(found, same) ??
    (newName === found.symbol.name ? undefined : checkConflicts(found, same, newName, ports));
  if (message !== undefined) return { message };
  return {
    edit: { changes: changesOf(same, newName, ports) },
    renamedCases: await renamedCases(found, newName, ports),
  };
}

function changesOf(
  same: readonly FoundSymbol[],
  newName: string,
  { uriOf }: SymbolPorts,
): Record<string, TextEdit[]> {
  const files = [...groupBy(same, ({ table }) => uriOf(table.path))];
  return Object.fromEntries(
    files.map(([uri, found]) => {
      const all = found.flatMap(({ symbol }) => [...symbol.declarations, ...symbol.references]);
      // A symbol within an anchor occurs once for each alias.
      const unique = uniqueBy(all, ({ range: { start } }) => `${start.line}:${start.character}`);
      const edits = unique.map(({ range, style }) => ({
        range,
        newText: escapeName(newName, style),
      }));
      return [uri, edits];
    }),
  );
}

const RENAMABLE = ['case', 'model', 'target', 'tool', 'topic', 'tag', 'node', 'variable'];

function checkName({ kind }: EvalSymbol, name: string): string | undefined {
  if (name.trim() === '') return `A ${kind} needs a name.`;
  if (name !== name.trim() || /\p{Cc}|[\u2028\u2029]/u.test(name)) {
    return 'A name must be a single line, without spaces at the start or end.';
  }
  if (kind === 'case') {
    const read = caseSchema.shape.id.safeParse(name);
    if (read.success) return undefined;
    return `"${name}" is not a valid id: ${read.error.issues[0]?.message ?? ''}.`;
  }
  if (kind === 'variable') {
    const [variable] = templateVariables(`{{${name}}}`);
    if (variable?.name === name) return undefined;
    return `{{${name}}} is not a valid variable name: start with a letter or "_", then use only letters, digits, "_", "-", and single dots between them.`;
  }
  if (kind === 'model' && name.includes(':')) {
    return `"${name}" looks like provider:model. Choose a name without a colon.`;
  }
  return name.includes('${') ? 'A name cannot contain an environment variable.' : undefined;
}

/** Returns why the symbol can't be renamed, whatever the new name; undefined if it can. */
function checkSymbols({ symbol }: FoundSymbol, same: readonly FoundSymbol[]): string | undefined {
  const { kind, name } = symbol;
  const declared = same.some((one) => isDeclared(one.symbol));
  if (!declared && (kind === 'model' || kind === 'target' || kind === 'node')) {
    return `There is no ${kind} "${name}" to rename.`;
  }
  const [hidden] = same.flatMap((one) =>
    one.symbol.hidden.map((range) => ({ range, path: one.table.path })),
  );
  if (!hidden) return undefined;
  const file = hidden.path.split(/[/\\]/).at(-1);
  const line = hidden.range.start.line + 1;
  return `"${name}" contains escape sequences on line ${line} of ${file}. Remove them first.`;
}

function checkConflicts(
  { table, symbol }: FoundSymbol,
  same: readonly FoundSymbol[],
  to: string,
  ports: SymbolPorts,
): string | undefined {
  const { kind, name } = symbol;
  const isTaken =
    kind === 'case'
      ? table.symbols.some((one) => one.kind === 'case' && one.name === to) ||
        suitesWith(table.path, name, ports).some(({ suite }) => hasCase(suite, to))
      : same.some((one) => isDeclared(one.table.find(kind, to, one.symbol.scope)));
  return isTaken ? `A ${kind} "${to}" already exists.` : undefined;
}

function hasCase({ outline }: LoadedSuite, id: string): boolean {
  return outline.some((one) => one.id === id);
}

function isDeclared(symbol: EvalSymbol | undefined): boolean {
  return symbol !== undefined && symbol.declarations.length + symbol.hidden.length > 0;
}

/** Writes a name in a scalar's style. The name is written without quotes only if it would also be valid as a key. */
function escapeName(name: string, style: Occurrence['style']): string {
  return style === 'text' ? name : (writeWithin(name, style, true) ?? name);
}

function suitesWith(path: string, id: string, { documents }: SymbolPorts) {
  return documents.filter(({ suite }) =>
    suite.outline.some((one) => one.path === path && one.id === id),
  );
}

/** Skips suites in which several cases have that id, because records could belong to any of them. */
async function renamedCases(
  { table, symbol }: FoundSymbol,
  to: string,
  ports: SymbolPorts,
): Promise<RenamedCase[]> {
  const from = symbol.name;
  const [id] = symbol.declarations;
  if (symbol.kind !== 'case' || from === to || !id) return [];
  const yaml = (await ports.documentAt(table.path))?.yaml;
  if (!yaml) return [];
  const { start, end } = yaml.entryRangeOf(id.path.slice(0, -1));
  const [first, last] = [yaml.offsetAt(start), yaml.offsetAt(end)];
  const [idStart, idEnd] = [yaml.offsetAt(id.range.start), yaml.offsetAt(id.range.end)];
  const before = yaml.text.slice(first, last);
  const after =
    yaml.text.slice(first, idStart) + escapeName(to, id.style) + yaml.text.slice(idEnd, last);
  const hash = { from: hashOfText(before), to: hashOfText(after) };
  return suitesWith(table.path, from, ports)
    .filter(({ suite }) => suite.outline.filter((one) => one.id === from).length === 1)
    .map(({ suite }) => ({ suite: suite.path, from, to, hash }));
}
