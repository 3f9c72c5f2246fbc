import type * as vscode from 'vscode';
import { groupBy } from '../../core/data/data.ts';
import { caseName } from '../../core/presentation/words.ts';
import type { Problem } from '../../core/problem.ts';
import { expandSuite, type LoadedSuite } from '../../evalfile/loadedSuite.ts';
import type { ChosenSuite } from '../../runner/plan.ts';
import type { ItemData } from './itemData.ts';
import type { TestTree } from './tree.ts';

/** What a request asks for of one file. */
export interface WantedFile {
  readonly uri: vscode.Uri;
  /** By the ids of cases the variants that are wanted, undefined where all are; absent where the whole file is. */
  readonly cases?: ReadonlyMap<string, ReadonlySet<string> | undefined>;
}

/** A file as it is read for a run, with the items of what will run. */
export interface ChosenFile {
  readonly uri: vscode.Uri;
  readonly suite: LoadedSuite;
  readonly items: readonly vscode.TestItem[];
  /** Whether the file as a whole was asked for. */
  readonly whole: boolean;
}

/** What a request is about, by file. */
export function wantedFiles(
  { include, exclude }: vscode.TestRunRequest,
  { controller, tree }: { controller: vscode.TestController; tree: TestTree },
): WantedFile[] {
  const excluded = new Set(exclude ?? []);
  const files = new Map<string, { uri: vscode.Uri; cases: Wanted | undefined }>();
  for (const item of include ?? [...controller.items].map(([, one]) => one)) {
    const data = tree.dataOf(item);
    if (!data || excluded.has(item)) continue;
    const key = data.uri.toString();
    const known = files.get(key);
    if (data.kind === 'file') files.set(key, { uri: data.uri, cases: undefined });
    else if (known?.cases) want(known.cases, data);
    else if (!known) files.set(key, { uri: data.uri, cases: want(new Map(), data) });
  }
  return [...files.values()].map(({ uri, cases }) => ({ uri, ...(cases && { cases }) }));
}

/** The items of what will run, as far as the panel knows them before the file is read. */
export function knownItems(
  { uri, cases }: WantedFile,
  exclude: readonly vscode.TestItem[] | undefined,
  tree: TestTree,
): vscode.TestItem[] {
  const excluded = new Set(exclude ?? []);
  const all = [...(tree.find(uri)?.children ?? [])].map(([, item]) => item);
  return all.filter((item) => {
    const data = tree.dataOf(item);
    const runsItself = data?.kind === 'case' && data.several === undefined;
    return runsItself && !excluded.has(item) && (!cases || cases.has(data.id));
  });
}

/** Reads a file anew, and finds what is wanted of it. */
export async function chooseFile(
  { uri, cases: wanted }: WantedFile,
  exclude: readonly vscode.TestItem[] | undefined,
  tree: TestTree,
): Promise<ChosenFile> {
  const excluded = new Set(exclude ?? []);
  const isWanted = (id: string) => !wanted || wanted.has(id);
  const suite = await expanded(uri, await tree.refresh(uri), isWanted, tree);
  const variants = groupBy(suite.suite?.cases ?? [], ({ id }) => id);
  const items = suite.outline.flatMap(({ id }) => {
    const item = id !== undefined && isWanted(id) ? tree.find(uri, id) : undefined;
    if (id === undefined || !item || excluded.has(item)) return [];
    const names = (variants.get(id) ?? []).flatMap(({ variant }) => variant ?? []);
    if (names.length === 0) return [item];
    const only = wanted?.get(id);
    return names
      .filter((name) => !only || only.has(name))
      .flatMap((name) => tree.find(uri, id, undefined, name) ?? [])
      .filter((one) => !excluded.has(one));
  });
  return { uri, suite, items: [...new Set(items)], whole: wanted === undefined };
}

/** The suites with what is chosen of them and can run. */
export function chosenSuites(
  chosen: readonly ChosenFile[],
  invalid: ReadonlySet<vscode.TestItem>,
  tree: TestTree,
): ChosenSuite[] {
  return chosen.flatMap(({ suite: { suite }, items }) => {
    const names = new Set(
      items.flatMap((item) => {
        const data = invalid.has(item) ? undefined : tree.dataOf(item);
        return data && data.kind !== 'file' ? [caseName(data)] : [];
      }),
    );
    const cases = suite?.cases.filter((one) => names.has(caseName(one))) ?? [];
    return suite && cases.length > 0 ? [{ suite, cases }] : [];
  });
}

/** With the conversations that wanted cases stand for, which the panel shows from now on. */
async function expanded(
  uri: vscode.Uri,
  loaded: LoadedSuite,
  isWanted: (id: string) => boolean,
  tree: TestTree,
): Promise<LoadedSuite> {
  const problems = new Map<string, readonly Problem[]>();
  const { suite } = await expandSuite(loaded, async (one) => {
    const found = isWanted(one.id) ? await one.expand?.() : undefined;
    if (!found) return undefined;
    tree.showVariants(uri, one.id, found);
    // Not `isError`: its module loads zod, and this one is loaded on activation.
    const errors = found.problems.filter(({ severity }) => severity === 'error');
    problems.set(one.id, errors);
    return found;
  });
  const outline = loaded.outline.map((one) => ({
    ...one,
    errors: [...one.errors, ...(problems.get(one.id ?? '') ?? [])],
  }));
  return { ...loaded, outline, ...(suite && { suite }) };
}

type Wanted = Map<string, Set<string> | undefined>;

function want(wanted: Wanted, { id, variant }: Exclude<ItemData, { kind: 'file' }>): Wanted {
  const known = wanted.get(id);
  if (variant === undefined || (wanted.has(id) && !known)) return wanted.set(id, undefined);
  return wanted.set(id, (known ?? new Set()).add(variant));
}
