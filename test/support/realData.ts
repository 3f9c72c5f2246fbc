import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CHECKOUT } from './host/install.ts';

const FOLDER = join(CHECKOUT, '../shared/data');

/** Lines of a file of real conversations; a reason to skip where the folder is missing. */
export function realLines(path: string): { readonly skip: string | false; lines(): unknown[] } {
  const file = join(FOLDER, path);
  return {
    skip: existsSync(file) ? false : `no real conversations here: ${path} is missing`,
    lines: () =>
      readFileSync(file, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line): unknown => JSON.parse(line)),
  };
}

/** A whole file of JSON; a reason to skip where the folder is missing. */
export function realJson(path: string): { readonly skip: string | false; json(): unknown } {
  const file = join(FOLDER, path);
  return {
    skip: existsSync(file) ? false : `no real conversations here: ${path} is missing`,
    json: (): unknown => JSON.parse(readFileSync(file, 'utf8')),
  };
}

/** The text of a file; a reason to skip where the folder is missing. */
export function realText(path: string): { readonly skip: string | false; text(): string } {
  const file = join(FOLDER, path);
  return {
    skip: existsSync(file) ? false : `no real conversations here: ${path} is missing`,
    text: () => readFileSync(file, 'utf8'),
  };
}
