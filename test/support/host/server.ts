import { type ChildProcess, spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ownFolders } from '../answersFolder.ts';
import { Companions, TEST_PORT } from './channel.ts';
import { installExtensions } from './extensions.ts';
import { installHost } from './install.ts';

/** A VS Code server. Each of its windows opens a folder. */
export interface Host {
  /** Connections to the companions in its windows. */
  readonly companions: Companions;
  /** The URL of a window with the given folder. */
  urlOf(folder: string): string;
  stop(): Promise<void>;
}

const SETTINGS = {
  'workbench.startupEditor': 'none',
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'workbench.tips.enabled': false,
  'workbench.colorTheme': 'Default Light Modern',
  'extensions.ignoreRecommendations': true,
  'chat.commandCenter.enabled': false,
  'telemetry.telemetryLevel': 'off',
  'editor.minimap.enabled': false,
  // Animations would be redrawn all the time, which takes CPU time.
  'workbench.reduceMotion': 'on',
  'editor.cursorBlinking': 'solid',
  // No test needs these, and they access every folder and the network.
  'git.enabled': false,
  'extensions.autoCheckUpdates': false,
  'extensions.autoUpdate': false,
  'editor.hover.delay': 100,
  'files.autoSave': 'off',
  'security.workspace.trust.startupPrompt': 'never',
  'security.workspace.trust.banner': 'never',
};

/** Lets the companion's model ask for consent. The API isn't enabled for other extensions. */
const PAYLOAD = encodeURIComponent(JSON.stringify([['enableProposedApi', '']]));

/**
 * Starts a real VS Code with the packaged extension and the tests' companion, in a new profile.
 *
 * @param trusted false opens folders in Restricted Mode
 */
export async function startHost(trusted: boolean): Promise<Host> {
  const entry = await installHost(console.error);
  const extensions = await installExtensions();
  const profile = await mkdtemp(join(tmpdir(), 'turnlight-vscode-'));
  await mkdir(join(profile, 'User'), { recursive: true });
  await writeFile(join(profile, 'User/settings.json'), JSON.stringify(SETTINGS));
  const companions = await Companions.listen();
  const port = await freePort();
  const flags = ['--auth', 'none', '--disable-telemetry', '--disable-update-check'];
  if (trusted) flags.push('--disable-workspace-trust');
  const dirs = ['--user-data-dir', profile, '--extensions-dir', extensions];
  const child = spawn(
    process.execPath,
    [entry, ...flags, ...dirs, '--bind-addr', `127.0.0.1:${port}`],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
      env: {
        ...ownFolders(process.env),
        // Otherwise, VS Code starts a login shell to read its environment variables.
        VSCODE_CLI: '1',
        [TEST_PORT]: String(companions.port),
        TURNLIGHT_TEST_KEY: 'sk-test-0123456789',
      },
    },
  );
  const kill = () => killGroup(child);
  process.once('exit', kill);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (data: Buffer) => {
      output += String(data);
    });
  }
  const base = `http://127.0.0.1:${port}`;
  await answering(base, child, () => output);
  return {
    companions,
    urlOf: (folder) => `${base}/?folder=${encodeURIComponent(folder)}&payload=${PAYLOAD}`,
    async stop() {
      process.off('exit', kill);
      companions.close();
      await end(child);
      await rm(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** Maximum time for a server to start on a busy machine, in milliseconds. */
const DEADLINE = 180_000;

async function answering(url: string, child: ChildProcess, output: () => string): Promise<void> {
  const until = Date.now() + DEADLINE;
  while (Date.now() < until) {
    if (child.exitCode !== null) throw new Error(`VS Code ended at once:\n${output()}`);
    const answer = await fetch(`${url}/healthz`).catch(() => undefined);
    if (answer?.ok) return;
    await new Promise((done) => setTimeout(done, 100));
  }
  await end(child);
  throw new Error(`VS Code did not come up:\n${output()}`);
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.pid === undefined) return;
  const ended = new Promise((done) => child.once('exit', done));
  killGroup(child);
  await ended;
}

function killGroup({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // The process has already ended.
  }
}

function freePort(): Promise<number> {
  return new Promise((done, fail) => {
    const server = createServer();
    server.on('error', fail);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      const port = typeof address === 'object' && address ? address.port : 0;
      server.close(() => done(port));
    });
  });
}
