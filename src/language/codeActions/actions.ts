import { dirname } from 'node:path';
import type { CodeAction, Diagnostic, TextEdit, WorkspaceEdit } from 'vscode-languageserver-types';
import { firstFree, type Path } from '../../core/data/data.ts';
import { START } from '../../core/problem.ts';
import { visibleLine } from '../../core/text/visibleText.ts';
import { resolveReference } from '../../evalfile/files.ts';
import { linkedFile } from '../features/documentLinks.ts';
import type { EvalDocument, LanguagePorts } from '../ports.ts';

/** What code actions look up beside the document. */
export type CodeActionPorts = Pick<
  LanguagePorts,
  'uriOf' | 'files' | 'listFolder' | 'readText' | 'lastRuns' | 'workspaceOf'
>;

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
export function newFileEdit(
  created: { readonly uri: string; readonly text: string },
  uri?: string,
  edits: readonly TextEdit[] = [],
): WorkspaceEdit {
  const insert = { range: START, newText: created.text };
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

/** Where the cursor stands, for what can be done with the thing there. */
export interface ActionContext {
  readonly document: EvalDocument;
  readonly uri: string;
  /** Of the innermost value or key under the cursor. */
  readonly path: Path;
  readonly ports: CodeActionPorts;
}

/** The path of the case around the cursor. */
export function casePath({ path }: ActionContext): Path | undefined {
  return path[0] === 'cases' && typeof path[1] === 'number' ? path.slice(0, 2) : undefined;
}

/** Letters, digits and `-`, from the first words of a text. */
export function slug(text: string, fallback: string): string {
  const words = text.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  return words.slice(0, 6).join('-') || fallback;
}

/** A name that is not taken: `judge`, `judge-2`. */
export function freeName(name: string, taken: readonly string[]): string {
  return firstFree(
    (number) => (number === 1 ? name : `${name}-${number}`),
    (one) => taken.includes(one),
  );
}

/**
 * A path beside the eval file at which there is no file yet, and how the eval file names it; undefined
 * where the folder leads out of the workspace.
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
    const reference = `./${folder}/${name}${number === 1 ? '' : `-${number}`}${extension}`;
    const found = await resolveReference(reference, dirname(from), workspace, ports.files);
    if (found.kind === 'outside') return undefined;
    if (found.kind === 'missing') return { path: found.path, reference };
  }
}

/** The text of a file that the eval file names; undefined if it cannot be read from there. */
export async function textOfNamed(
  { document, ports }: ActionContext,
  reference: string,
): Promise<{ readonly path: string; readonly text: string } | undefined> {
  const file = await linkedFile(reference, document.yaml.path, ports);
  if (!file) return undefined;
  const text = await ports.readText(file.path);
  return text === undefined ? undefined : { path: file.path, text };
}
