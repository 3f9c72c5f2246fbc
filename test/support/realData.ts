import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CHECKOUT } from './host/install.ts';

const FOLDER = join(CHECKOUT, '../shared/data');

interface RealFile {
  /** A reason to skip where the folder is missing. */
  readonly skip: string | false;
}

/** A file of real conversations. */
export function realText(path: string): RealFile & { text(): string } {
  const file = join(FOLDER, path);
  return {
    skip: existsSync(file) ? false : `no real conversations here: ${path} is missing`,
    text: () => readFileSync(file, 'utf8'),
  };
}

/** Its lines, each a value of its own. */
export function realLines(path: string): RealFile & { lines(): unknown[] } {
  const { skip, text } = realText(path);
  const lines = () =>
    text()
      .split('\n')
      .filter((line) => line !== '');
  return { skip, lines: () => lines().map((line): unknown => JSON.parse(line)) };
}

/** The whole file as one value. */
export function realJson(path: string): RealFile & { json(): unknown } {
  const { skip, text } = realText(path);
  return { skip, json: (): unknown => JSON.parse(text()) };
}
