import { visibleLine } from './visibleText.ts';

/** As many are told in a view; all of them by the command line. */
const TOLD = 20;

/** `shop.labels/ann.jsonl:3: This line is no JSON. …` @param place what is shown of its path */
export function labelProblemText(
  place: string,
  { line, message }: { readonly line?: number; readonly message: string },
): string {
  return visibleLine(`${line === undefined ? place : `${place}:${line}`}: ${message}`);
}

/** The first of them, for a view. @param shownPath what is shown of a path */
export function labelProblemTexts(
  problems: readonly { readonly path: string; readonly line?: number; readonly message: string }[],
  shownPath: (path: string) => string,
): string[] {
  return problems.slice(0, TOLD).map((one) => labelProblemText(shownPath(one.path), one));
}
