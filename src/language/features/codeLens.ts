import type { CodeLens } from 'vscode-languageserver-types';
import * as z from 'zod';
import { estimateWords } from '../../core/estimate.ts';
import { START } from '../../core/problem.ts';
import type { LoadedSuite } from '../../evalfile/loadedSuite.ts';
import { COMMANDS } from '../../protocol/names.ts';
import type { EstimateCase, EvalDocument } from '../ports.ts';

/**
 * `Run all` on the file. On each of its own cases `Run`, `Open conversation`, and the estimate of a run,
 * which is computed when the lens is shown.
 */
export function codeLenses({ suite }: EvalDocument, uri: string): CodeLens[] {
  const own = suite.outline.filter(({ path }) => path === suite.path);
  if (own.length === 0) return [];
  const runnable = new Set(
    (suite.suite?.cases ?? [])
      // Recorded conversations aren't read here. `turnlight plan` estimates them.
      .filter(({ skip, expand }) => !skip && !expand)
      .map(({ id }) => id),
  );
  const cases = own.flatMap(({ id, nameRange }): CodeLens[] => {
    if (id === undefined) return [];
    const args = [uri, id];
    const [run, open] = [COMMANDS.runCase, COMMANDS.openConversation];
    return [
      { range: nameRange, command: { title: 'Run', command: run, arguments: args } },
      { range: nameRange, command: { title: 'Open conversation', command: open, arguments: args } },
      ...(runnable.has(id) ? [{ range: nameRange, data: args }] : []),
    ];
  });
  const all = { title: 'Run all', command: COMMANDS.runFile, arguments: [uri] };
  return [{ range: START, command: all }, ...cases];
}

/** The estimate of a run: `about 3 requests, 9.8k tokens`. Clicking it does nothing. */
export async function resolveLens(
  lens: CodeLens,
  suiteAt: (uri: string) => Promise<LoadedSuite | undefined>,
  estimate: EstimateCase,
): Promise<CodeLens> {
  const parsed = dataSchema.safeParse(lens.data);
  if (!parsed.success) return lens;
  const [uri, id] = parsed.data;
  const { suite } = (await suiteAt(uri)) ?? {};
  const found = suite?.cases.find((one) => one.id === id);
  const title = suite && found && !found.skip ? estimateWords(await estimate(found, suite)) : '';
  return { range: lens.range, command: { title, command: '' } };
}

/** The file's URI and the case's id. */
const dataSchema = z.tuple([z.string(), z.string()]);
