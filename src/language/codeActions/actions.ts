import { dirname } from 'node:path';
import type { CodeAction, Diagnostic, TextEdit, WorkspaceEdit } from 'vscode-languageserver-types';
import type { Path } from '../../core/data/data.ts';
import { START } from '../../core/problem.ts';
import { visibleLine } from '../../core/text/visibleText.ts';
import { resolveReference } from '../../evalfile/files.ts';
import { linkedFile } from '../features/references.ts';
import type { EvalDocument, LanguagePorts } from '../ports.ts';

export type CodeActionPorts = Pick<
  LanguagePorts,
  | 'uriOf'
  | 'files'
  | 'listFolder'
  | 'readText'
  | 'lastRuns'
  | 'workspaceOf'
  | 'editorModels'
  | 'setVariables'
>;

/** @param preferred whether it is safe to apply without review, also as part of `source.fixAll` */
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

/** Creates a file with the given text, and edits an existing file. */
export function newFileEdit(
  created: { readonly uri: string; readonly text: string },
  uri?: string,
  edits: readonly TextEdit[] = [],
): WorkspaceEdit {
  const insert = { range: START, newText: created.text };
  const changed = uri !== undefined && edits.length > 0;
  return {
    documentChanges: [
      // Never overwrites a file that was created in the meantime.
      { kind: 'create', uri: created.uri, options: { overwrite: false, ignoreIfExists: false } },
      { textDocument: { uri: created.uri, version: null }, edits: [insert] },
      ...(changed ? [{ textDocument: { uri, version: null }, edits: [...edits] }] : []),
    ],
  };
}

export interface ActionContext {
  readonly document: EvalDocument;
  readonly uri: string;
  /** The path of the innermost value or key at the cursor. */
  readonly path: Path;
  readonly ports: CodeActionPorts;
}

export function casePath({ path }: ActionContext): Path | undefined {
  return path[0] === 'cases' && typeof path[1] === 'number' ? path.slice(0, 2) : undefined;
}

/** The first words of a text as letters, digits, and `-`. */
export function slug(text: string, fallback: string): string {
  const words = text.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  return words.slice(0, 6).join('-') || fallback;
}

/**
 * A new file near the eval file. Undefined if the folder is outside of the workspace, for example because of a link.
 */
export async function freeFile(
  { document, ports }: ActionContext,
  folder: string,
  name: string,
  extension: string,
): Promise<{ readonly path: string; readonly reference: string } | undefined> {
  const from = document.yaml.path;
  const workspace = ports.workspaceOf(from);
  for (let number = 1; ; number += 1) {
    const reference = `./${folder}/${numbered(name, number)}${extension}`;
    const found = await resolveReference(reference, dirname(from), workspace, ports.files);
    if (found.kind === 'outside') return undefined;
    if (found.kind === 'missing') return { path: found.path, reference };
  }
}

/** `judge`, `judge-2` */
export function numbered(name: string, number: number): string {
  return number === 1 ? name : `${name}-${number}`;
}

/** Undefined if the file can't be read. */
export async function readReferenced({ document, ports }: ActionContext, reference: string) {
  const file = await linkedFile(reference, document.yaml.path, ports);
  if (!file) return undefined;
  const text = await ports.readText(file.path);
  return text === undefined ? undefined : { path: file.path, text };
}
