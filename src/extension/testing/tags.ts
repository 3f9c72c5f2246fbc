import * as vscode from 'vscode';
import { visibleLine } from '../../core/presentation/visibleText.ts';

/** VS Code takes no blanks in tags. */
export function tagOf(tag: string): vscode.TestTag {
  return new vscode.TestTag(visibleLine(tag).replaceAll(' ', '-'));
}
