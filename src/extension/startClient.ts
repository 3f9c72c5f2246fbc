import { LanguageClient, TransportKind } from 'vscode-languageclient/node';
import { LANGUAGE_ID, SECTION } from '../protocol/settings.ts';
import { serveFiles } from './serveFiles.ts';

/** Starts the language server in a process of its own. @param module the server's script, absolute */
export async function startClient(module: string): Promise<LanguageClient> {
  const client = new LanguageClient(
    SECTION,
    'Turnlight Language Server',
    { module, transport: TransportKind.ipc },
    {
      documentSelector: [{ language: LANGUAGE_ID }, { pattern: '**/*.{md,json,jsonl,yaml,yml}' }],
    },
  );
  serveFiles(client);
  await client.start();
  return client;
}
