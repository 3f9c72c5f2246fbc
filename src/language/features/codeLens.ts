import type { CodeLens } from 'vscode-languageserver-types';
import { START } from '../../core/problem.ts';
import { COMMANDS } from '../../shared/serverProtocol.ts';
import type { EvalDocument } from '../ports.ts';

/** `Run all` on the file; `Run` and `Open conversation` on each of its own cases. */
export function codeLenses({ suite }: EvalDocument, uri: string): CodeLens[] {
  const own = suite.outline.filter(({ path }) => path === suite.path);
  if (own.length === 0) return [];
  const cases = own.flatMap(({ id, nameRange }): CodeLens[] => {
    if (id === undefined) return [];
    const args = [uri, id];
    return [
      { range: nameRange, command: { title: 'Run', command: COMMANDS.runCase, arguments: args } },
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
