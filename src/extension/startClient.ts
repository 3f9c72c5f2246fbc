import type { Disposable } from 'vscode';
import { LanguageClient, TransportKind } from 'vscode-languageclient/node';
import type { RenamedCase } from '../evalfile/caseRenames.ts';
import { LANGUAGE_ID, SECTION, SERVER_FLAGS } from '../protocol/names.ts';
import {
  CASE_RENAMED,
  CASE_RENAMES,
  type CaseRenamed,
  type ClientOptions,
  caseRenamedSchema,
  caseRenamesSchema,
  EDITOR_MODELS,
  VERDICT_MARKS,
} from '../protocol/serverProtocol.ts';
import { TurnMarks } from './marks/turnMarks.ts';
import { serveFiles } from './serveFiles.ts';

/**
 * Starts the language server in a process of its own.
 *
 * @param module the server's script, absolute
 * @param hear told of cases that are about to have a new id, and of each that has it
 * @param keep disposes of a part with the client
 */
export async function startClient(
  module: string,
  hear: {
    readonly renames: (renamed: readonly RenamedCase[]) => void;
    readonly renamed: (renamed: CaseRenamed) => void;
  },
  keep: <Part extends Disposable>(part: Part) => Part,
): Promise<LanguageClient> {
  const initializationOptions: ClientOptions = { extension: true };
  const client = new LanguageClient(
    SECTION,
    'Turnlight Language Server',
    { module, transport: TransportKind.ipc, options: { execArgv: [...SERVER_FLAGS] } },
    {
      initializationOptions,
      documentSelector: [{ language: LANGUAGE_ID }, { pattern: '**/*.{md,json,jsonl,yaml,yml}' }],
    },
  );
  serveFiles(client);
  client.onRequest(EDITOR_MODELS, async () => {
    const { listEditorModels } = await import('./lm/editorModels.ts');
    return (await listEditorModels()).map(({ name }) => `vscode:${name}`);
  });
  const marks = keep(new TurnMarks());
  client.onNotification(VERDICT_MARKS, (given: unknown) => marks.hear(given));
  client.onNotification(CASE_RENAMES, (given: unknown) =>
    hear.renames(caseRenamesSchema.parse(given)),
  );
  client.onNotification(CASE_RENAMED, (given: unknown) =>
    hear.renamed(caseRenamedSchema.parse(given)),
  );
  await client.start();
  return client;
}
