import { isAbsolute, relative } from 'node:path';
import picocolors from 'picocolors';
import { visibleLine } from '../core/text/visibleText.ts';
import type { Status } from '../core/verdict.ts';

export interface Paint {
  bold(text: string): string;
  dim(text: string): string;
  status(status: Status, text: string): string;
}

export function createPaint(colors: boolean): Paint {
  const pc = picocolors.createColors(colors);
  const ofStatus = { pass: pc.green, fail: pc.red, error: pc.yellow, skipped: pc.dim };
  return { bold: pc.bold, dim: pc.dim, status: (status, text) => ofStatus[status](text) };
}

/** A path relative to the folder if the file is in it, or else absolute. */
export function shownPath(path: string, folder: string): string {
  const shown = relative(folder, path);
  return visibleLine(shown === '' || shown.startsWith('..') || isAbsolute(shown) ? path : shown);
}
