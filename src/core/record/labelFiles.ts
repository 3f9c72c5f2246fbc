import { basename, dirname, join } from 'node:path';

/** `shop.labels` beside `shop.eval.yaml`. */
export function labelsFolder(evalFile: string): string {
  return join(dirname(evalFile), `${evalName(evalFile)}.labels`);
}

/** The name of an eval file without what makes it one. */
export function evalName(evalFile: string): string {
  return basename(evalFile).replace(/\.eval\.ya?ml$/, '');
}

/** What a person's file is called: `ann@example.com` as it is, and nothing that leads out of the folder. */
export function personName(person: string): string {
  const name = person
    .replace(/[^A-Za-z0-9@._+-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+|[^A-Za-z0-9]+$/g, '');
  return name.slice(0, 80) || 'someone';
}
