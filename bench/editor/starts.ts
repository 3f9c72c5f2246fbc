import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Workbench } from '../../test/support/host/workbench.ts';
import { say } from '../print.ts';

/** Times of a window that opens for the first time, in milliseconds. */
export interface Start {
  /** Activation time of the extension, as reported by VS Code. */
  readonly activation: number;
  /** From opening an eval file to its first diagnostic. The language server starts during this time. */
  readonly diagnostics: number;
}

const MISTAKEN = `cases:
  - id: refund
    trnascript:
      - user: Where is my order?
`;

/** Measures each start in its own folder. */
export async function measureStarts(rounds: number): Promise<readonly Start[]> {
  const starts: Start[] = [];
  for (let round = 0; round < rounds; round += 1) {
    say(`Window ${round + 1} of ${rounds} …`);
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'turnlight-bench-')));
    try {
      starts.push(await measureStart(folder));
    } finally {
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    }
  }
  return starts;
}

async function measureStart(folder: string): Promise<Start> {
  const path = join(folder, 'shop.eval.yaml');
  await writeFile(path, MISTAKEN);
  const workbench = await Workbench.open({ folder, trusted: true });
  try {
    const diagnostics = await untilDiagnostics(workbench, path);
    return { diagnostics, activation: await activationOf(workbench) };
  } finally {
    await workbench.close();
  }
}

function untilDiagnostics({ window }: Workbench, path: string): Promise<number> {
  return window.evaluate(async (vscode, file) => {
    const uri = vscode.Uri.file(file);
    const began = Date.now();
    const found = new Promise<void>((resolve) => {
      const listener = vscode.languages.onDidChangeDiagnostics(() => {
        if (vscode.languages.getDiagnostics(uri).length === 0) return;
        listener.dispose();
        resolve();
      });
    });
    await vscode.window.showTextDocument(uri);
    await found;
    return Date.now() - began;
  }, path);
}

/** The activation time that *Developer: Show Running Extensions* shows. */
async function activationOf(workbench: Workbench): Promise<number> {
  await workbench.window.command('workbench.action.showRuntimeExtensions');
  const row = workbench.page
    .locator('.runtime-extensions-editor .monaco-list-row')
    .filter({ hasText: 'Turnlight' })
    .first();
  const text = await workbench.until(
    'the time of the activation',
    () => row.innerText(),
    (shown) => /Activation: \d+ms/.test(shown),
  );
  return Number(/Activation: (\d+)ms/.exec(text)?.[1]);
}
