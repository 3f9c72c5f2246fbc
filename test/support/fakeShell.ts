import type { Shell, Stream } from '../../src/cli/shell.ts';
import { Scrubber } from '../../src/core/scrubber.ts';

/** A shell for a command that runs in the test's process. It collects all output. */
export function fakeShell(
  folder: string,
  env: Readonly<Record<string, string>> = {},
  isTty = false,
): { readonly shell: Shell; readonly text: { out: string; err: string; commands: string } } {
  const text = { out: '', err: '', commands: '' };
  const stream = (name: 'out' | 'err'): Stream => ({
    write: (more) => {
      text[name] += more;
    },
    report: (more) => {
      text[name] += more;
    },
    command: (more) => {
      text.commands += more;
    },
    isTty,
    size: () => ({ columns: 80, rows: 24 }),
  });
  const shell: Shell = {
    folder,
    env: (name) => env[name],
    processEnv: (name) => env[name],
    fileVariables: {},
    hostsFromFile: [],
    scrubber: new Scrubber(),
    out: stream('out'),
    err: stream('err'),
    catchInterrupt: () => new AbortController().signal,
  };
  return { shell, text };
}
