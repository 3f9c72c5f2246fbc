import type { CodeLens } from 'vscode-languageserver-types';
import * as z from 'zod';
import { estimateWords } from '../../core/estimate.ts';
import { START } from '../../core/problem.ts';
import type { LoadedSuite } from '../../evalfile/loadedSuite.ts';
import { COMMANDS } from '../../shared/serverProtocol.ts';
import type { Estimating, EvalDocument } from '../ports.ts';

/**
 * `Run all` on the file; on each of its own cases `Run`, with what it will take, and `Open
 * conversation`. What it takes is told when the lens is shown.
 */
export function codeLenses({ suite }: EvalDocument, uri: string): CodeLens[] {
  const own = suite.outline.filter(({ path }) => path === suite.path);
  if (own.length === 0) return [];
  const cases = own.flatMap(({ id, nameRange }): CodeLens[] => {
    if (id === undefined) return [];
    const args = [uri, id];
    return [
      { range: nameRange, data: args },
      {
        range: nameRange,
        command: {
          title: 'Open conversation',
          command: COMMANDS.openConversation,
          arguments: args,
        },
      },
    ];
  });
  const all = { title: 'Run all', command: COMMANDS.runFile, arguments: [uri] };
  return [{ range: START, command: all }, ...cases];
}

/** The lens that runs a case: `Run (about 3 requests, 9.8k tokens)`. */
export async function resolveLens(
  lens: CodeLens,
  suite: LoadedSuite | undefined,
  estimate: Estimating,
): Promise<CodeLens> {
  const parsed = dataSchema.safeParse(lens.data);
  if (!parsed.success) return lens;
  const [, id] = parsed.data;
  const found = suite?.suite?.cases.find((one) => one.id === id);
  const takes = found && !found.skip ? ` (${estimateWords(await estimate(found))})` : '';
  const command = { title: `Run${takes}`, command: COMMANDS.runCase, arguments: parsed.data };
  return { range: lens.range, command };
}

/** The file's address and the case's id. */
const dataSchema = z.tuple([z.string(), z.string()]);

/** The file that a lens is about. */
export function fileOfLens(lens: CodeLens): string | undefined {
  const parsed = dataSchema.safeParse(lens.data);
  return parsed.success ? parsed.data[0] : undefined;
}
