import type { Command } from 'commander';
import { collect, count, dotenv } from './optionParsers.ts';

const FILES =
  'eval files, folders or globs (default: every *.eval.yaml and *.eval.yml under this folder)';

export function onFiles(program: Command, name: string, description: string): Command {
  return program.command(name).description(description).argument('[globs...]', FILES);
}

/** @param verb what is done with the chosen cases: `run` */
export function selecting(command: Command, verb: string): Command {
  const chosen = command
    .option(
      '--case <id>',
      `${verb} only this case, or one of its variants (id/variant); repeatable, and * matches any text`,
      collect,
    )
    .option('--tag <tag>', `${verb} only cases with this tag; repeatable`, collect)
    .addOption(count('--limit <n>', `${verb} only the first n of these cases`));
  return judging(chosen);
}

/** Who judges, and with which variables. */
export function judging(command: Command): Command {
  return command
    .addOption(dotenv())
    .option('--judge <model>', 'use this judge instead: provider:model, or a name from the file');
}
