import { dirname } from 'node:path';
import * as vscode from 'vscode';
import type { ViewState } from '../../protocol/viewProtocol.ts';
import { runIdOf } from '../../store/records/files.ts';
import { rootFor } from '../results/runResults.ts';
import { ComparedRuns } from './comparedRuns.ts';

/** Two runs, each as the absolute paths of its records. */
export type RunPair = Readonly<Record<keyof NonNullable<ViewState['compared']>, readonly string[]>>;

export function pairKey({ base, head }: RunPair): string {
  return JSON.stringify([base, head]);
}

export function isOfPair({ base, head }: RunPair, record: string): boolean {
  return [...base, ...head].some((one) => isSameRun(one, record));
}

/** Whether two records belong to the same run at the same root. Resuming a run changes its record's name. */
export function isSameRun(one: string, other: string): boolean {
  return one === other || (dirname(one) === dirname(other) && runIdOf(one) === runIdOf(other));
}

/** Records' root folders, by the records' paths. */
export async function rootsOf(records: readonly string[]): Promise<Map<string, string>> {
  const folders = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath);
  const roots = new Map<string, string>();
  for (const record of records) roots.set(record, await rootFor(record, folders));
  return roots;
}

const shared = new Map<string, { readonly runs: Promise<ComparedRuns>; readers: number }>();

/** Two runs' data, shared by all of their pages. Released when the last page is closed. */
export class SharedRuns implements vscode.Disposable {
  readonly runs: Promise<ComparedRuns>;
  readonly #key: string;

  constructor(pair: RunPair) {
    this.#key = pairKey(pair);
    const known = shared.get(this.#key) ?? { runs: readPair(pair), readers: 0 };
    known.readers += 1;
    shared.set(this.#key, known);
    this.runs = known.runs;
  }

  dispose(): void {
    const known = shared.get(this.#key);
    if (known) known.readers -= 1;
    if (known?.readers === 0) shared.delete(this.#key);
  }
}

async function readPair({ base, head }: RunPair): Promise<ComparedRuns> {
  return new ComparedRuns(await rootsOf(base), await rootsOf(head));
}
