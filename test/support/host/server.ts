import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { CHECKOUT, installHost } from './install.ts';

export interface HostOptions {
  /** The folder to open, absolute. */
  readonly folder: string;
  /** False opens it in Restricted Mode. */
  readonly trusted: boolean;
  readonly settings?: Readonly<Record<string, unknown>>;
  readonly port?: number;
}

export interface Host {
  readonly url: string;
  /** What the server printed, for a failed test's message. */
  output(): string;
  stop(): Promise<void>;
}

export const VSIX = join(CHECKOUT, 'turnlight.vsix');

const SETTINGS = {
  'workbench.startupEditor': 'none',
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'workbench.tips.enabled': false,
  'workbench.colorTheme': 'Default Light Modern',
  'extensions.ignoreRecommendations': true,
  'chat.commandCenter.enabled': false,
  'telemetry.telemetryLevel': 'off',
  'editor.minimap.enabled': false,
  'editor.hover.delay': 100,
  'files.autoSave': 'off',
  'security.workspace.trust.startupPrompt': 'never',
  'security.workspace.trust.banner': 'never',
};

/** Starts a real VS Code with the packaged extension, in a new profile. */
export async function startHost(options: HostOptions): Promise<Host> {
  const entry = await installHost(console.error);
  const profile = await mkdtemp(join(tmpdir(), 'turnlight-vscode-'));
  const extensions = join(profile, 'extensions');
  const dirs = ['--user-data-dir', profile, '--extensions-dir', extensions];
  await mkdir(join(profile, 'User'), { recursive: true });
  const settings = JSON.stringify({ ...SETTINGS, ...options.settings });
  await writeFile(join(profile, 'User/settings.json'), settings);
  await promisify(execFile)(process.execPath, [entry, ...dirs, '--install-extension', VSIX]);

  const port = options.port ?? (await freePort());
  const flags = ['--auth', 'none', '--disable-telemetry', '--disable-update-check'];
  if (options.trusted) flags.push('--disable-workspace-trust');
  const child = spawn(
    process.execPath,
    [entry, ...flags, ...dirs, '--bind-addr', `127.0.0.1:${port}`, options.folder],
    { stdio: ['ignore', 'pipe', 'pipe'], detached: true },
  );
  let output = '';
  child.stdout.on('data', (data: Buffer) => {
    output += String(data);
  });
  child.stderr.on('data', (data: Buffer) => {
    output += String(data);
  });
  const base = `http://127.0.0.1:${port}`;
  await answering(base, child, () => output);
  return {
    url: `${base}/?folder=${encodeURIComponent(options.folder)}`,
    output: () => output,
    async stop() {
      await end(child);
      await rm(profile, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

const DEADLINE = 60_000;

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
  process.kill(-child.pid, 'SIGKILL');
  await ended;
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
