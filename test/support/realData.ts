import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CHECKOUT } from './host/install.ts';

const FOLDER = join(CHECKOUT, '../shared/data');

interface RealFile {
  /** The reason to skip the test if the folder is missing; otherwise false. */
  readonly skip: string | false;
}

/** A file with real conversations. */
export function realText(path: string): RealFile & { text(): string } {
  const file = join(FOLDER, path);
  return {
    skip: existsSync(file) ? false : `no real conversations here: ${path} is missing`,
    text: () => readFileSync(file, 'utf8'),
  };
}

/** A file whose lines are separate JSON values. */
export function realLines(path: string): RealFile & { lines(): unknown[] } {
  const { skip, text } = realText(path);
  const lines = () =>
    text()
      .split('\n')
      .filter((line) => line !== '');
  return { skip, lines: () => lines().map((line): unknown => JSON.parse(line)) };
}

/** A file that is a single JSON value. */
export function realJson(path: string): RealFile & { json(): unknown } {
  const { skip, text } = realText(path);
  return { skip, json: (): unknown => JSON.parse(text()) };
}
