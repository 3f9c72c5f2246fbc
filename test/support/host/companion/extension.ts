// The tests' extension inside the window: it connects to the test that started VS Code, and runs the code that it
// receives. It is packaged only for tests and never ships.
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import * as vscode from 'vscode';
import { type Reply, type Request, TEST_PORT } from '../channel.ts';

export function activate(context: vscode.ExtensionContext): void {
  const socket = connect(Number(process.env[TEST_PORT]), '127.0.0.1');
  context.subscriptions.push({ dispose: () => socket.destroy() });
  // The test might end first.
  socket.on('error', () => socket.destroy());
  const send = (message: object) => socket.write(`${JSON.stringify(message)}\n`);
  send({ folder: vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? '' });
  createInterface({ input: socket }).on('line', async (line) => {
    send(await answer(JSON.parse(line)));
  });
}

async function answer({ id, source, args }: Request): Promise<Reply> {
  try {
    const run: (...given: unknown[]) => unknown = new Function(`return (${source})`)();
    return { id, value: await run(vscode, ...args) };
  } catch (error) {
    return { id, error: String(error instanceof Error ? error.stack : error) };
  }
}
