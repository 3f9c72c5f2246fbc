import { isAbsolute, relative } from 'node:path';
import { visibleLine } from '../core/presentation/visibleText.ts';

/** Relative to the folder where the file is in it, else absolute. */
export function shownPath(path: string, folder: string): string {
  const shown = relative(folder, path);
  return visibleLine(shown === '' || shown.startsWith('..') || isAbsolute(shown) ? path : shown);
}
