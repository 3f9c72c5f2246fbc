import type { CodeLens, WorkspaceSymbol } from 'vscode-languageserver-types';
import { LIMITS } from '../core/limits.ts';
import { stepsOf } from '../core/steps.ts';
import { resolveLens } from './features/codeLens.ts';
import { workspaceSymbols } from './features/workspaceSymbols.ts';
import { documentKinds } from './kinds.ts';
import type { LanguagePorts } from './ports.ts';
import type { RequestName, Requests } from './requests.ts';

export type LanguageService = ReturnType<typeof createLanguageService>;

/** Answers all that editors ask, without knowing how they ask. */
export function createLanguageService(ports: LanguagePorts) {
  return {
    /**
     * Asks about a document, by its kind.
     *
     * @returns undefined if there is nothing to say
     * @throws the signal's reason once it is aborted, and `TookTooLong`: what other requests and the
     *   reading of files take does not count
     */
    async ask<Name extends RequestName>(
      name: Name,
      params: Requests[Name]['params'],
      signal: AbortSignal,
    ): Promise<Requests[Name]['answer'] | undefined> {
      const { uri } = params.textDocument;
      const path = ports.pathOf(uri);
      const isUsed = ports.usersOf(path).length > 0;
      const kind = documentKinds.find((one) => one.includes(path, isUsed));
      const step = stepsOf(signal, LIMITS.work);
      return kind?.features[name]?.(params, { uri, path, ports, signal, step });
    },
    resolveCodeLens(lens: CodeLens): Promise<CodeLens> {
      const suiteAt = async (uri: string) => (await ports.documentAt(ports.pathOf(uri)))?.suite;
      return resolveLens(lens, suiteAt, ports.estimate);
    },
    workspaceSymbols: (query: string, signal: AbortSignal): Promise<WorkspaceSymbol[]> =>
      workspaceSymbols(query, ports.suites(), ports.uriOf, stepsOf(signal, LIMITS.work)),
  };
}
