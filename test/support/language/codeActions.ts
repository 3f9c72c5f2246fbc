import assert from 'node:assert/strict';
import { basename, dirname, join } from 'node:path';
import type { CodeAction, TextEdit } from 'vscode-languageserver-types';
import type { Conversation } from '../../../src/core/conversation.ts';
import type { Position, Range } from '../../../src/core/problem.ts';
import type { CodeActionPorts } from '../../../src/language/codeActions/actions.ts';
import { codeActions } from '../../../src/language/codeActions/codeActions.ts';
import { diagnosticsByFile } from '../../../src/language/features/diagnostics.ts';
import { parseYaml } from '../../../src/yaml/yamlDocument.ts';
import { buildCaseLine } from '../buildRun.ts';
import { memoryFiles, SUITE, WORKSPACE } from '../evalFiles.ts';
import { documentOf } from './evalDocument.ts';

type Texts = Readonly<Record<string, string>>;

export const uriOf = (path: string) => `file://${path}`;

export function portsOver(beside: Texts = {}, last?: Conversation): CodeActionPorts {
  const texts = new Map(
    Object.entries(beside).map(([path, text]) => [join(WORKSPACE, path), text]),
  );
  return {
    uriOf,
    files: memoryFiles(Object.fromEntries(texts)),
    readText: async (path) => texts.get(path),
    listFolder: async (folder) =>
      [...texts.keys()]
        .filter((path) => dirname(path) === folder)
        .map((path) => ({ name: basename(path), isFolder: false })),
    workspaceOf: () => WORKSPACE,
    editorModels: async () => [],
    setVariables: async () => [],
    lastRuns: async () =>
      last ? [buildCaseLine({ id: 'one', status: 'pass', conversation: last })] : [],
  };
}

/** The code actions for all problems in a text. */
export async function actionsOf(text: string, beside: Texts = {}): Promise<CodeAction[]> {
  const document = await documentOf(text, beside);
  const diagnostics = diagnosticsByFile(document.suite.problems).get(SUITE) ?? [];
  const all: Range = { start: { line: 0, character: 0 }, end: { line: 99_999, character: 0 } };
  return codeActions(document, all, diagnostics, portsOver(beside));
}

/** The code actions at a cursor position, whether or not there are problems. */
export async function actionsAt(
  text: string,
  position: Position,
  beside: Texts = {},
  last?: Conversation,
): Promise<CodeAction[]> {
  const document = await documentOf(text, beside);
  const range = { start: position, end: position };
  return codeActions(document, range, [], portsOver(beside, last));
}

/** Applies edits to a text. All of them refer to the original text. */
export function edited(text: string, edits: readonly TextEdit[]): string {
  const { offsetAt } = parseYaml(text, '');
  return edits
    .map(({ range: { start, end }, newText }, index) => ({
      start: offsetAt(start),
      end: offsetAt(end),
      newText,
      index,
    }))
    .sort((a, b) => b.start - a.start || b.index - a.index)
    .reduce((all, { start, end, newText }) => all.slice(0, start) + newText + all.slice(end), text);
}

/** Texts after a code action, by path in the workspace. The suite is `suite.eval.yaml`. */
export function applied(text: string, action: CodeAction | undefined): Record<string, string> {
  assert.ok(action?.edit, 'there is no such action');
  const texts: Record<string, string> = { 'suite.eval.yaml': text };
  const nameOf = (uri: string) => uri.slice(uriOf(`${WORKSPACE}/`).length);
  const apply = (uri: string, edits: readonly TextEdit[]) => {
    texts[nameOf(uri)] = edited(texts[nameOf(uri)] ?? '', edits);
  };
  for (const [uri, edits] of Object.entries(action.edit.changes ?? {})) apply(uri, edits);
  for (const change of action.edit.documentChanges ?? []) {
    if ('kind' in change) {
      assert.equal(change.kind, 'create');
      if ('uri' in change) texts[nameOf(change.uri)] = '';
    } else {
      apply(change.textDocument.uri, change.edits as TextEdit[]);
    }
  }
  return texts;
}

/** Codes of the problems in a text. */
export async function codesOf(text: string, beside: Texts = {}): Promise<string[]> {
  return (await documentOf(text, beside)).suite.problems.map(({ code }) => code);
}

/** Applies the fix with the given title and checks that the problem is gone. Returns the text after the fix. */
export async function fixed(
  text: string,
  title: string,
  code: string,
  beside: Texts = {},
): Promise<string> {
  const actions = await actionsOf(text, beside);
  assert.ok((await codesOf(text, beside)).includes(code), `no ${code} to begin with`);
  const action = actions.find((one) => one.title === title);
  assert.ok(action, `offered: ${actions.map((one) => one.title).join(' | ')}`);
  const { 'suite.eval.yaml': after = '', ...created } = applied(text, action);
  const codes = await codesOf(after, { ...beside, ...created });
  assert.ok(!codes.includes(code), `still ${codes.join()}:\n${after}`);
  return after;
}
