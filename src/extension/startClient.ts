import { LanguageClient, TransportKind } from 'vscode-languageclient/node';
import { LANGUAGE_ID, SECTION } from '../shared/settings.ts';

/** Starts the language server in a process of its own. @param module the server's script, absolute */
export async function startClient(module: string): Promise<LanguageClient> {
  const client = new LanguageClient(
    SECTION,
    'Turnlight Language Server',
    { module, transport: TransportKind.ipc },
    {
      documentSelector: [
        { scheme: 'file', language: LANGUAGE_ID },
        { scheme: 'untitled', language: LANGUAGE_ID },
        { scheme: 'file', pattern: '**/*.{md,json,jsonl,yaml,yml}' },
      ],
    },
  );
  await client.start();
  return client;
}
