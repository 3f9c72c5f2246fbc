import { visibleLine } from './visibleText.ts';

const ICON = /\$\([a-z0-9-]+(?:~[a-z]+)?\)/gi;

/** A label in VS Code, which would draw `$(trash)` as an icon. */
export function labelText(text: string, length?: number): string {
  return visibleLine(text, length).replace(ICON, '\\$&');
}

/** A notification in VS Code, which would make `[click](command:…)` a link. */
export function noticeText(text: string): string {
  return visibleLine(text).replaceAll('](', '] (');
}
