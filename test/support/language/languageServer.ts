import { spawn } from 'node:child_process';
import { join } from 'node:path';
import {
  type ClientCapabilities,
  createProtocolConnection,
  type ProtocolConnection,
  type PublishDiagnosticsParams,
  StreamMessageReader,
  StreamMessageWriter,
} from 'vscode-languageserver-protocol/node';
import { ownFolders } from '../answersFolder.ts';
import { CHECKOUT } from '../host/install.ts';

export interface LanguageServer {
  readonly connection: ProtocolConnection;
  /** Number of diagnostics received so far, for any file. */
  published(): number;
  /** The next matching diagnostics of a file, starting from the given number. */
  diagnostics(
    uri: string,
    fits: (params: PublishDiagnosticsParams) => boolean,
    from?: number,
  ): Promise<PublishDiagnosticsParams>;
  stop(): Promise<void>;
}

/**
 * Starts the real server in its own process, over stdio, like `turnlight lsp --stdio`.
 *
 * @param answers answers to the server's own requests, by method
 * @param capabilities the client's capabilities
 */
export async function startLanguageServer(
  roots: string | readonly string[],
  answers: Readonly<Record<string, (params: unknown) => unknown>> = {},
  capabilities: ClientCapabilities = {},
): Promise<LanguageServer> {
  const child = spawn(process.execPath, [join(CHECKOUT, 'src/cli/main.ts'), 'lsp', '--stdio'], {
    env: ownFolders(process.env),
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const connection = createProtocolConnection(
    new StreamMessageReader(child.stdout),
    new StreamMessageWriter(child.stdin),
  );
  const published: PublishDiagnosticsParams[] = [];
  const waiting = new Set<() => void>();
  connection.onNotification('textDocument/publishDiagnostics', (params) => {
    published.push(params);
    for (const look of waiting) look();
  });
  for (const [method, answer] of Object.entries(answers)) connection.onRequest(method, answer);
  connection.listen();
  const folders = typeof roots === 'string' ? [roots] : roots;
  await connection.sendRequest('initialize', {
    processId: null,
    rootUri: folders[0] ?? null,
    capabilities,
    ...(folders.length > 1 && {
      workspaceFolders: folders.map((uri) => ({ uri, name: uri })),
    }),
  });
  await connection.sendNotification('initialized', {});
  return {
    connection,
    published: () => published.length,
    diagnostics: (uri, fits, from = 0) =>
      new Promise((done) => {
        const look = () => {
          const found = published
            .slice(from)
            .findLast((params) => params.uri === uri && fits(params));
          if (!found) return;
          waiting.delete(look);
          done(found);
        };
        waiting.add(look);
        look();
      }),
    async stop() {
      await connection.sendRequest('shutdown');
      await connection.sendNotification('exit');
      connection.dispose();
    },
  };
}
