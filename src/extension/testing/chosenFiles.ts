import type * as vscode from 'vscode';
import { groupBy } from '../../core/data/data.ts';
import { caseName } from '../../core/presentation/words.ts';
import type { Problem } from '../../core/problem.ts';
import { expandSuite, type LoadedSuite } from '../../evalfile/loadedSuite.ts';
import type { ChosenSuite } from '../../runner/plan.ts';
import type { CaseData } from './repetitions.ts';
import type { TestTree } from './tree.ts';

/** The part of a request that is about one file. */
export interface RequestedFile {
  readonly uri: vscode.Uri;
  /** Requested variants by case id (undefined means all); absent if the whole file is requested. */
  readonly cases?: ReadonlyMap<string, ReadonlySet<string> | undefined> | undefined;
  readonly excluded: ReadonlySet<vscode.TestItem>;
}

/** A file that was read for a run, with the items to run. */
export interface ChosenFile {
  readonly uri: vscode.Uri;
  readonly suite: LoadedSuite;
  readonly items: readonly vscode.TestItem[];
  /** Whether the whole file was requested. */
  readonly whole: boolean;
}

/** The parts of a request, by file. */
export function requestedFiles(
  { include, exclude }: vscode.TestRunRequest,
  { controller, tree }: { controller: vscode.TestController; tree: TestTree },
): RequestedFile[] {
  const excluded = new Set(exclude);
  const files = new Map<string, { uri: vscode.Uri; cases: RequestedCases | undefined }>();
  for (const item of include ?? [...controller.items].map(([, one]) => one)) {
    const data = tree.dataOf(item);
    if (!data || excluded.has(item)) continue;
    const key = data.uri.toString();
    const known = files.get(key);
    if (data.kind === 'file') files.set(key, { uri: data.uri, cases: undefined });
    else if (known?.cases) addRequested(known.cases, data);
    else if (!known) files.set(key, { uri: data.uri, cases: addRequested(new Map(), data) });
  }
  return [...files.values()].map((one) => ({ ...one, excluded }));
}

/** The items to run, as far as they are known before the file is read. */
export function knownItems(
  { uri, cases, excluded }: RequestedFile,
  tree: TestTree,
): vscode.TestItem[] {
  const all = [...(tree.find(uri)?.children ?? [])].map(([, item]) => item);
  return all.filter((item) => {
    const data = tree.dataOf(item);
    const runsItself = data?.kind === 'case' && data.several === undefined;
    return runsItself && !excluded.has(item) && (!cases || cases.has(data.id));
  });
}

/** Reads a file again and finds the requested items. */
export async function chooseFile(
  { uri, cases: requested, excluded }: RequestedFile,
  tree: TestTree,
): Promise<ChosenFile> {
  const isRequested = (id: string) => !requested || requested.has(id);
  const suite = await expandRequested(uri, await tree.refresh(uri), isRequested, tree);
  const variants = groupBy(suite.suite?.cases ?? [], ({ id }) => id);
  const items = suite.outline.flatMap(({ id }) => {
    const item = id !== undefined && isRequested(id) ? tree.find(uri, { id }) : undefined;
    if (id === undefined || !item || excluded.has(item)) return [];
    const names = (variants.get(id) ?? []).flatMap(({ variant }) => variant ?? []);
    if (names.length === 0) return [item];
    const only = requested?.get(id);
    return names
      .filter((name) => !only || only.has(name))
      .flatMap((name) => tree.find(uri, { id, variant: name }) ?? [])
      .filter((one) => !excluded.has(one));
  });
  return { uri, suite, items: [...new Set(items)], whole: requested === undefined };
}

/** The suites, reduced to the requested cases that can run. */
export function suitesToRun(
  chosen: readonly ChosenFile[],
  invalid: ReadonlySet<vscode.TestItem>,
  tree: TestTree,
): ChosenSuite[] {
  return chosen.flatMap(({ suite: { suite }, items }) => {
    const names = new Set(
      items.flatMap((item) => {
        const data = invalid.has(item) ? undefined : tree.caseDataOf(item);
        return data ? [caseName(data)] : [];
      }),
    );
    const cases = suite?.cases.filter((one) => names.has(caseName(one))) ?? [];
    return suite && cases.length > 0 ? [{ suite, cases }] : [];
  });
}

/** Adds the conversations of requested cases and shows them in the panel. */
async function expandRequested(
  uri: vscode.Uri,
  loaded: LoadedSuite,
  isRequested: (id: string) => boolean,
  tree: TestTree,
): Promise<LoadedSuite> {
  const problems = new Map<string, readonly Problem[]>();
  const { suite } = await expandSuite(loaded, async (one) => {
    const found = isRequested(one.id) ? await one.expand?.() : undefined;
    if (!found) return undefined;
    tree.showVariants(uri, one.id, found);
    // Not `isError`, because its module loads zod, which would slow down activation.
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

type RequestedCases = Map<string, Set<string> | undefined>;

function addRequested(requested: RequestedCases, { id, variant }: CaseData): RequestedCases {
  const known = requested.get(id);
  if (variant === undefined || (requested.has(id) && !known)) return requested.set(id, undefined);
  return requested.set(id, (known ?? new Set()).add(variant));
}
