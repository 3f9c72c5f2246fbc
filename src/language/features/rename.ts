import type { TextEdit, WorkspaceEdit } from 'vscode-languageserver-types';
import type { Position, Range } from '../../core/problem.ts';
import { templateVariables } from '../../core/template.ts';
import { hashOfText } from '../../evalfile/case/buildCase.ts';
import { caseSchema } from '../../evalfile/schema.ts';
import { writeWithin } from '../../yaml/write.ts';
import { type FileNames, type Name, namesFile, type Place } from '../name.ts';
import { type FoundName, type NamePorts, nameAt, sameNames } from '../sameName.ts';

/** Why a name cannot be changed, in a sentence for the user. */
export interface Refusal {
  readonly message: string;
}

/** A case whose results are recorded under another id from now on. */
export interface RenamedCase {
  /** The suite's file, absolute. */
  readonly suite: string;
  readonly from: string;
  readonly to: string;
  /** Hashes of the case's text before and after: nothing but its id changed. */
  readonly hash: { readonly from: string; readonly to: string };
}

export interface Renaming {
  readonly edit: WorkspaceEdit;
  /** One for each suite that has the case. */
  readonly renamedCases: readonly RenamedCase[];
}

/**
 * The name at a place and its range; undefined where nothing can be renamed.
 *
 * @param path of an eval file or of a prompt
 */
export async function prepareRename(
  path: string,
  position: Position,
  ports: NamePorts,
): Promise<{ readonly range: Range; readonly placeholder: string } | Refusal | undefined> {
  const found = await nameAt(path, position, ports);
  if (!found || namesFile(found.name.kind)) return undefined;
  const refusal = faultOfSame(found, await sameNames(found, ports));
  return refusal ?? { range: found.place.range, placeholder: found.name.name };
}

/** Changes a name everywhere it means the same. Undefined where nothing can be renamed. */
export async function rename(
  path: string,
  position: Position,
  newName: string,
  ports: NamePorts,
): Promise<Renaming | Refusal | undefined> {
  const found = await nameAt(path, position, ports);
  if (!found || namesFile(found.name.kind)) return undefined;
  const same = await sameNames(found, ports);
  const refusal =
    faultOfName(found.name, newName) ??
    faultOfSame(found, same) ??
    (newName === found.name.name ? undefined : faultOfUse(found, same, newName, ports));
  if (refusal) return refusal;
  return {
    edit: { changes: changesOf(same, newName, ports) },
    renamedCases: renamedCases(found, newName, ports),
  };
}

function changesOf(
  same: readonly FoundName[],
  newName: string,
  { uriOf }: NamePorts,
): Record<string, TextEdit[]> {
  const files = new Map<string, Map<string, TextEdit>>();
  const inStyle = new Map<Place['style'], string>();
  for (const { file, name } of same) {
    const edits = files.get(file.path) ?? new Map<string, TextEdit>();
    files.set(file.path, edits);
    for (const { range, style } of [...name.declarations, ...name.uses]) {
      // What stands behind an anchor belongs to each of its aliases.
      const spot = `${range.start.line}:${range.start.character}`;
      const newText = inStyle.get(style) ?? written(newName, style);
      inStyle.set(style, newText);
      edits.set(spot, { range, newText });
    }
  }
  return Object.fromEntries([...files].map(([path, edits]) => [uriOf(path), [...edits.values()]]));
}

const WORDS: Readonly<Partial<Record<Name['kind'], string>>> = {
  case: 'case',
  model: 'model',
  target: 'target',
  tool: 'tool',
  node: 'node',
  variable: 'variable',
};

function faultOfName({ kind }: Name, name: string): Refusal | undefined {
  if (name.trim() === '') return { message: `A ${WORDS[kind]} needs a name.` };
  if (name !== name.trim() || /\p{Cc}|[\u2028\u2029]/u.test(name)) {
    return { message: 'A name is one line and neither begins nor ends with a blank.' };
  }
  if (kind === 'case') {
    const read = caseSchema.shape.id.safeParse(name);
    if (read.success) return undefined;
    return { message: `"${name}" is no id: ${read.error.issues[0]?.message ?? ''}.` };
  }
  if (kind === 'variable') {
    const [variable] = templateVariables(`{{${name}}}`);
    if (variable?.name === name) return undefined;
    const message = `{{${name}}} is no variable: begin with a letter, then also digits, _ - and dots between.`;
    return { message };
  }
  if (kind === 'model' && name.includes(':')) {
    return { message: `"${name}" reads as provider:model. Choose a name without a colon.` };
  }
  return name.includes('${')
    ? { message: 'A name cannot hold a reference to a variable of the environment.' }
    : undefined;
}

/** What stands in the way whatever the new name is. */
function faultOfSame({ name }: FoundName, same: readonly FoundName[]): Refusal | undefined {
  const { kind } = name;
  const declared = same.some((one) => one.name.declarations.length + one.name.hidden.length > 0);
  if (!declared && (kind === 'model' || kind === 'target' || kind === 'node')) {
    return { message: `There is no ${WORDS[kind]} "${name.name}" that could be renamed.` };
  }
  const [hidden] = same.flatMap((one) =>
    one.name.hidden.map((range) => ({ range, file: one.file })),
  );
  if (!hidden) return undefined;
  const file = hidden.file.path.split(/[/\\]/).at(-1);
  const line = hidden.range.start.line + 1;
  const message = `"${name.name}" is written with escapes in line ${line} of ${file}. Write it plainly there first.`;
  return { message };
}

function faultOfUse(
  { file, name }: FoundName,
  same: readonly FoundName[],
  to: string,
  ports: NamePorts,
): Refusal | undefined {
  const { kind } = name;
  const taken =
    kind === 'case'
      ? idsAround(file, name.name, ports).includes(to)
      : same.some((one) => isDeclared(one.file.find(kind, to, one.name.scope)));
  return taken ? { message: `There is a ${WORDS[kind]} "${to}" already.` } : undefined;
}

/** Of all cases that share a suite or the file with one. */
function idsAround(file: FileNames, id: string, ports: NamePorts): (string | undefined)[] {
  const suites = suitesWith(file.path, id, ports);
  return [
    ...suites.flatMap(({ suite }) => suite.outline.map((one) => one.id)),
    ...file.names.flatMap((one) => (one.kind === 'case' ? [one.name] : [])),
  ];
}

function isDeclared(name: Name | undefined): boolean {
  return name !== undefined && name.declarations.length + name.hidden.length > 0;
}

/** The name as it is put into a scalar of that style; bare only where that is right as a key as well. */
function written(name: string, style: Place['style']): string {
  return style === 'text' ? name : (writeWithin(name, style, true) ?? name);
}

function suitesWith(path: string, id: string, { documents }: NamePorts) {
  return documents.filter(({ suite }) =>
    suite.outline.some((one) => one.path === path && one.id === id),
  );
}

/** A suite in which two cases have the id keeps its records: nobody knows whose they are. */
function renamedCases({ file, name }: FoundName, to: string, ports: NamePorts): RenamedCase[] {
  const from = name.name;
  const [id] = name.declarations;
  const yaml = ports.documents.find((one) => one.yaml.path === file.path)?.yaml;
  if (name.kind !== 'case' || from === to || !id || !yaml) return [];
  const { start, end } = yaml.entryRangeOf(id.path.slice(0, -1));
  const [first, last] = [yaml.offsetAt(start), yaml.offsetAt(end)];
  const [cut, on] = [yaml.offsetAt(id.range.start), yaml.offsetAt(id.range.end)];
  const before = yaml.text.slice(first, last);
  const after = yaml.text.slice(first, cut) + written(to, id.style) + yaml.text.slice(on, last);
  const hash = { from: hashOfText(before), to: hashOfText(after) };
  return suitesWith(file.path, from, ports)
    .filter(({ suite }) => suite.outline.filter((one) => one.id === from).length === 1)
    .map(({ suite }) => ({ suite: suite.path, from, to, hash }));
}
