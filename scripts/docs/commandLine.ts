import type { Command } from 'commander';
import { createProgram } from '../../src/cli/commands.ts';
import { EXIT, EXIT_MEANINGS } from '../../src/cli/exitCode.ts';
import type { Shell, Stream } from '../../src/cli/shell.ts';
import { Scrubber } from '../../src/core/scrubber.ts';
import { REPORTERS } from '../../src/report/registry.ts';
import { table } from './table.ts';

const SILENT: Stream = {
  write() {},
  report() {},
  command() {},
  isTty: false,
  size: () => ({ columns: 80, rows: 24 }),
};

const NO_SHELL: Shell = {
  folder: '',
  env: () => undefined,
  processEnv: () => undefined,
  fileVariables: {},
  hostsFromFile: [],
  scrubber: new Scrubber(),
  out: SILENT,
  err: SILENT,
  catchInterrupt: () => new AbortController().signal,
};

/** A section for each command, with its arguments and options. */
export function commands(): string {
  return createProgram(NO_SHELL, () => {})
    .commands.flatMap((command) => [command, ...command.commands])
    .map((command) => {
      const name = fullName(command);
      const options = command.options.map(({ flags, description, defaultValue }) => [
        `\`${flags}\``,
        description,
        defaultValue === undefined || defaultValue === true ? '' : `\`${defaultValue}\``,
      ]);
      return [
        `## ${name}`,
        `\`${name} ${command.usage()}\`: ${command.description()}.`,
        ...command.registeredArguments.map((one) => `\`${one.name()}\`: ${one.description}.`),
        ...(options.length > 0 ? [table(['option', 'meaning', 'default'], options)] : []),
      ].join('\n\n');
    })
    .join('\n\n');
}

/** The command's name, including its parent commands: `turnlight mlflow pull`. */
function fullName(command: Command): string {
  return command.parent ? `${fullName(command.parent)} ${command.name()}` : command.name();
}

export function exitCodes(): string {
  const rows = Object.entries(EXIT_MEANINGS).map(([name, meaning]) => [
    String(EXIT[name as keyof typeof EXIT]),
    meaning,
  ]);
  return table(['code', 'meaning'], rows);
}

export function reporters(): string {
  const rows = Object.entries(REPORTERS).map(([name, { writes }]) => [`\`${name}\``, writes]);
  return table(
    ['reporter', 'writes'],
    [['`terminal`', 'progress, then a table, the failures, and totals, for people'], ...rows],
  );
}
