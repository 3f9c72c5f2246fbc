import { spawn } from 'node:child_process';
import { join } from 'node:path';
import {
  createProtocolConnection,
  type ProtocolConnection,
  type PublishDiagnosticsParams,
  StreamMessageReader,
  StreamMessageWriter,
} from 'vscode-languageserver-protocol/node';
import { CHECKOUT } from './host/install.ts';

export interface LanguageServer {
  readonly connection: ProtocolConnection;
  /** The next diagnostics of a file that fit. */
  diagnostics(
    uri: string,
    fits: (params: PublishDiagnosticsParams) => boolean,
  ): Promise<PublishDiagnosticsParams>;
  stop(): Promise<void>;
}

/** The real server in a process of its own, over stdio, as `turnlight lsp --stdio` starts it. */
export async function startLanguageServer(rootUri: string): Promise<LanguageServer> {
  const child = spawn(process.execPath, [join(CHECKOUT, 'src/cli/main.ts'), 'lsp', '--stdio'], {
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
  connection.listen();
  await connection.sendRequest('initialize', { processId: null, rootUri, capabilities: {} });
  await connection.sendNotification('initialized', {});
  return {
    connection,
    diagnostics: (uri, fits) =>
      new Promise((done) => {
        const look = () => {
          const found = published.findLast((params) => params.uri === uri && fits(params));
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
