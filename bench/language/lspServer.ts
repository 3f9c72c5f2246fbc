import { execFile, spawn } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import {
  createProtocolConnection,
  type Diagnostic,
  type PublishDiagnosticsParams,
  StreamMessageReader,
  StreamMessageWriter,
} from 'vscode-languageserver-protocol/node';
import type { Position } from '../../src/core/problem.ts';
import type { Subject } from './subjects.ts';

const run = promisify(execFile);

/** Collects garbage on SIGUSR2, so memory measurements are comparable. */
const COLLECTOR = "data:text/javascript,process.on('SIGUSR2', () => globalThis.gc())";

/** Maximum wait for anything, in milliseconds. */
const LIMIT = 120_000;

/** A language server in its own process, driven over stdio. */
export interface LspServer {
  readonly subject: Subject;
  /** Whether the server supports a method such as `textDocument/hover`. */
  offers(method: string): boolean;
  /** Opens a file and waits for its diagnostics. */
  open(uri: string, text: string): Promise<readonly Diagnostic[]>;
  /** Types a letter, or deletes it on the next call. Doesn't wait for anything. */
  press(uri: string, place: Position): Promise<void>;
  /** The next diagnostics of a file. Call this before the change that triggers them. */
  nextDiagnostics(uri: string): Promise<readonly Diagnostic[]>;
  request(method: string, params: object): Promise<unknown>;
  /** Resident memory in bytes, after garbage collection. */
  memory(): Promise<number>;
  stop(): Promise<void>;
}

export async function startServer(subject: Subject, rootUri: string): Promise<LspServer> {
  const args = ['--expose-gc', '--import', COLLECTOR, ...subject.args];
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const connection = createProtocolConnection(
    new StreamMessageReader(child.stdout),
    new StreamMessageWriter(child.stdin),
  );
  const waiting = new Map<string, (found: readonly Diagnostic[]) => void>();
  connection.onNotification(
    'textDocument/publishDiagnostics',
    ({ uri, diagnostics }: PublishDiagnosticsParams) => {
      waiting.get(uri)?.(diagnostics);
      waiting.delete(uri);
    },
  );
  connection.onRequest('workspace/configuration', ({ items }: { items: { section: string }[] }) =>
    items.map(({ section }) => subject.settings[section] ?? null),
  );
  connection.onRequest('client/registerCapability', () => null);
  connection.listen();

  const capabilities = {
    textDocument: {
      documentSymbol: { hierarchicalDocumentSymbolSupport: true },
      completion: { completionItem: { snippetSupport: true } },
      foldingRange: { lineFoldingOnly: true },
      codeAction: { codeActionLiteralSupport: { codeActionKind: { valueSet: ['quickfix'] } } },
    },
    workspace: { configuration: true, didChangeConfiguration: {} },
  };
  const { capabilities: offered } = await connection.sendRequest<{
    capabilities: Readonly<Record<string, unknown>>;
  }>('initialize', { processId: process.pid, rootUri, capabilities });
  await connection.sendNotification('initialized', {});
  await connection.sendNotification('workspace/didChangeConfiguration', { settings: null });

  const files = new Map<string, { version: number; pressed: boolean }>();
  const nextDiagnostics = (uri: string) =>
    within(new Promise<readonly Diagnostic[]>((done) => waiting.set(uri, done)), 'diagnostics');
  return {
    subject,
    offers: (method) => providersOf(method).some((name) => offered[name]),
    async open(uri, text) {
      files.set(uri, { version: 1, pressed: false });
      const textDocument = { uri, languageId: subject.languageId, version: 1, text };
      const found = nextDiagnostics(uri);
      await connection.sendNotification('textDocument/didOpen', { textDocument });
      return found;
    },
    async press(uri, start) {
      const { version, pressed } = files.get(uri) ?? { version: 1, pressed: false };
      files.set(uri, { version: version + 1, pressed: !pressed });
      const end = { ...start, character: start.character + (pressed ? 1 : 0) };
      await connection.sendNotification('textDocument/didChange', {
        textDocument: { uri, version: version + 1 },
        contentChanges: [{ range: { start, end }, text: pressed ? '' : 'x' }],
      });
    },
    nextDiagnostics,
    request: (method, params) => within(connection.sendRequest(method, params), method),
    async memory() {
      process.kill(child.pid ?? 0, 'SIGUSR2');
      await pause(1_000);
      const { stdout } = await run('ps', ['-o', 'rss=', '-p', String(child.pid)]);
      return Number(stdout) * 1024;
    },
    async stop() {
      connection.dispose();
      child.kill();
    },
  };
}

/** The capabilities by which a server shows that it supports a method such as `textDocument/formatting`. */
function providersOf(method: string): string[] {
  const name = method.split('/')[1] ?? '';
  return [`${name}Provider`, `document${name.slice(0, 1).toUpperCase()}${name.slice(1)}Provider`];
}

function within<Result>(work: Promise<Result>, what: string): Promise<Result> {
  const late = pause(LIMIT, undefined, { ref: false }).then(() => {
    throw new Error(`${what} took longer than ${LIMIT / 1000} s.`);
  });
  return Promise.race([work, late]);
}
