import * as vscode from 'vscode';
import { noticeText } from '../../core/presentation/editorText.ts';
import { rootOfRecord } from '../../core/record/recordPaths.ts';
import { runIdOf } from '../../store/records/files.ts';
import type { ListedRun } from '../../store/records/list.ts';
import { isListed } from '../runs/runCommands.ts';
import type { RunsTree } from '../runs/runsTree.ts';
import { runText } from '../runs/runText.ts';
import type { RunPair } from './runPair.ts';

type Records = readonly string[];

export interface CompareCommandParts {
  readonly runs: RunsTree;
  /** The records of the run of which the results have the focus, absolute. */
  readonly shown: () => Promise<Records | undefined>;
  readonly open: (pair: RunPair) => Promise<void>;
}

export interface CompareCommands {
  readonly registered: readonly vscode.Disposable[];
  /** Asks for a run, and compares the one in these records with it. */
  readonly compareWith: (records: Records) => Promise<void>;
}

/** Commands that compare two runs; the one that began first is the first. */
export function createCompareCommands(parts: CompareCommandParts): CompareCommands {
  const { runs, shown, open } = parts;
  const compare = async (one: Records, other: Records) => {
    const [first, second] = [await startedOf(one), await startedOf(other)];
    await open(second < first ? { base: other, head: one } : { base: one, head: other });
  };
  const compareWith = async (records: Records) => {
    const other = await pickRun(await runs.all(), 'Compare with…', records);
    if (other) await compare(records, other.records);
  };
  const registered = [
    vscode.commands.registerCommand('turnlight.compareWith', async (given: unknown) => {
      const chosen = isListed(given) ? given.records : ((await shown()) ?? runs.focused?.records);
      const records = chosen ?? (await pickRun(await runs.all(), 'Compare a run', []))?.records;
      if (records) await compareWith(records);
    }),
    vscode.commands.registerCommand('turnlight.compareSelected', async (...given: unknown[]) => {
      const several: readonly unknown[] = Array.isArray(given[1]) ? given[1] : runs.selection;
      const [one, other, ...more] = several.filter(isListed);
      if (one && other && more.length === 0) await compare(one.records, other.records);
      else void vscode.window.showInformationMessage('Select two runs to compare them.');
    }),
  ];
  return { registered, compareWith };
}

async function startedOf([record = '']: Records): Promise<string> {
  const { readRunLine } = await import('../../store/records/runRecord.ts');
  return (await readRunLine(record, rootOfRecord(record)))?.started ?? '';
}

/** @param chosen the records of a run that is left out */
async function pickRun(
  all: readonly ListedRun[],
  title: string,
  chosen: Records,
): Promise<ListedRun | undefined> {
  const ids = new Set(chosen.map(runIdOf));
  const others = all.filter(({ id }) => !ids.has(id));
  if (others.length === 0) {
    const words =
      ids.size === 0 ? 'There is no run yet.' : 'There is no other run to compare with.';
    void vscode.window.showInformationMessage(noticeText(words));
    return undefined;
  }
  const items = others.map((run) => {
    const { label, detail } = runText(run);
    return { label, description: detail, run };
  });
  const picked = await vscode.window.showQuickPick(items, { title, matchOnDescription: true });
  return picked?.run;
}
