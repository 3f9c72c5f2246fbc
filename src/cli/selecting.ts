import type { Command } from 'commander';
import { collect, count } from './optionParsers.ts';

const FILES =
  'eval files, folders or globs (default: every *.eval.yaml and *.eval.yml under this folder)';

export function onFiles(program: Command, name: string, description: string): Command {
  return program.command(name).description(description).argument('[globs...]', FILES);
}

/** @param verb what is done with the chosen cases: `run` */
export function selecting(command: Command, verb: string): Command {
  return command
    .option(
      '--case <id>',
      `${verb} only this case, or one of its variants (id/variant); repeatable, and * matches any text`,
      collect,
    )
    .option('--tag <tag>', `${verb} only cases with this tag; repeatable`, collect)
    .addOption(count('--limit <n>', `${verb} only the first n of these cases`))
    .option('--dotenv <file>', 'set the variables of this file, such as .env, that are not set')
    .option('--judge <model>', 'use this judge instead: provider:model, or a name from the file');
}
