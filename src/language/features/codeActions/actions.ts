import type { CodeAction, Diagnostic, TextEdit, WorkspaceEdit } from 'vscode-languageserver-types';
import type { Conversation } from '../../../core/conversation.ts';
import { visibleLine } from '../../../core/presentation/visibleText.ts';
import type { DiagnosticData } from '../diagnostics.ts';

/** What code actions look up beside the document. Paths are absolute. */
export interface CodeActionPorts {
  uriOf(path: string): string;
  exists(path: string): Promise<boolean>;
  /** Undefined where the file cannot be read. */
  read(path: string): Promise<string | undefined>;
  /** The conversation of a case in its last run; undefined where it never ran. */
  lastConversation(suite: string, id: string): Promise<Conversation | undefined>;
}

/** What a diagnostic of ours knows for its fixes; undefined for another's. */
export function dataOf({ source, data }: Diagnostic): DiagnosticData | undefined {
  return source === 'turnlight' && typeof data === 'object' && data !== null ? data : undefined;
}

/** @param preferred safe to apply without a look, also with all others at once */
export function quickFix(
  title: string,
  diagnostic: Diagnostic,
  edit: WorkspaceEdit,
  preferred = false,
): CodeAction {
  return {
    title: visibleLine(title),
    kind: 'quickfix',
    diagnostics: [diagnostic],
    edit,
    ...(preferred && { isPreferred: true }),
  };
}

export function refactoring(
  title: string,
  kind: `refactor.${string}`,
  edit: WorkspaceEdit,
): CodeAction {
  return { title: visibleLine(title), kind, edit };
}

export function editsIn(uri: string, edits: readonly TextEdit[]): WorkspaceEdit {
  return { changes: { [uri]: [...edits] } };
}

/** A new file with its text, and edits of a file that is there. */
export function withNewFile(
  created: { readonly uri: string; readonly text: string },
  uri?: string,
  edits: readonly TextEdit[] = [],
): WorkspaceEdit {
  const start = { line: 0, character: 0 };
  const insert = { range: { start, end: start }, newText: created.text };
  return {
    documentChanges: [
      // Never over a file that has come meanwhile.
      { kind: 'create', uri: created.uri, options: { overwrite: false, ignoreIfExists: false } },
      { textDocument: { uri: created.uri, version: null }, edits: [insert] },
      ...(uri === undefined || edits.length === 0
        ? []
        : [{ textDocument: { uri, version: null }, edits: [...edits] }]),
    ],
  };
}
