import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, it } from 'node:test';
import { globSync } from 'tinyglobby';
import type { CodeAction, TextEdit } from 'vscode-languageserver-types';
import { overlayFiles } from '../../../../src/evalfile/files.ts';
import { loadDocument } from '../../../../src/evalfile/load.ts';
import { nodeFiles } from '../../../../src/evalfile/nodeFiles.ts';
import { codeActions } from '../../../../src/language/codeActions/codeActions.ts';
import { diagnosticsByFile } from '../../../../src/language/features/diagnostics.ts';
import { parseYaml } from '../../../../src/yaml/yamlDocument.ts';
import { buildCaseLine } from '../../../support/buildRun.ts';
import { SUITE } from '../../../support/evalFiles.ts';
import { edited, portsOver, uriOf } from '../../../support/language/codeActions.ts';
import { documentOf, HARD_TEXTS } from '../../../support/language/evalDocument.ts';

const ROOT = resolve(import.meta.dirname, '../../../..');
const LAST = {
  notes: [],
  entries: [
    { kind: 'turn', number: 1, side: 'user', items: [{ kind: 'text', text: 'a' }] },
    { kind: 'turn', number: 2, side: 'assistant', items: [{ kind: 'text', text: 'b' }] },
  ],
} as const;

function editsOf({ edit }: CodeAction): [uri: string, edits: readonly TextEdit[]][] {
  const changes = Object.entries(edit?.changes ?? {});
  const documentChanges = (edit?.documentChanges ?? []).flatMap((change) =>
    'edits' in change
      ? [[change.textDocument.uri, change.edits as TextEdit[]] as [string, TextEdit[]]]
      : [],
  );
  return [...changes, ...documentChanges];
}

const commentsIn = (text: string) => text.match(/^\s*# .*$/gm)?.length ?? 0;

describe('an action at any line of an example', () => {
  for (const file of globSync('examples/**/*.eval.yaml', { cwd: ROOT }).sort()) {
    it(`keeps the file valid and its comments: ${file}`, async () => {
      const path = resolve(ROOT, file);
      const text = readFileSync(path, 'utf8');
      const options = { workspace: resolve(path, '..'), env: () => undefined };
      const yaml = parseYaml(text, path);
      const document = { yaml, suite: await loadDocument(yaml, nodeFiles(), options) };
      const ports = {
        uriOf,
        files: nodeFiles(),
        workspaceOf: () => resolve(path, '..'),
        readText: async (one: string) => readFileSync(one, 'utf8'),
        listFolder: async () => [],
        editorModels: async () => [],
        setVariables: async () => [],
        lastRuns: async () => [
          buildCaseLine({
            id: 'one',
            status: 'pass',
            conversation: structuredClone(LAST) as never,
          }),
        ],
      };
      const seen = new Set<string>();
      for (const [line, content] of text.split('\n').entries()) {
        const start = { line, character: Math.max(0, content.length - 1) };
        for (const action of await codeActions(document, { start, end: start }, [], ports)) {
          if (seen.has(JSON.stringify(action.edit))) continue;
          seen.add(JSON.stringify(action.edit));
          const texts = new Map([[path, text]]);
          for (const [uri, edits] of editsOf(action)) {
            const one = uri.slice(uriOf('').length);
            texts.set(one, edited(texts.get(one) ?? '', edits));
          }
          const after = parseYaml(texts.get(path) ?? '', path);
          const files = overlayFiles(nodeFiles(), (path) => texts.get(path));
          const { problems } = await loadDocument(after, files, options);
          const where = `${line + 1}: ${action.title}`;
          assert.deepEqual(
            problems.filter(({ severity }) => severity === 'error'),
            [],
            where,
          );
          assert.ok(commentsIn([...texts.values()].join('\n')) >= commentsIn(text), where);
        }
      }
      assert.ok(seen.size > 0);
    });
  }
});

describe('in a difficult text', () => {
  it('no action throws or edits outside of the text', async () => {
    for (const text of HARD_TEXTS) {
      const document = await documentOf(text);
      const lines = text.split('\n');
      const diagnostics = diagnosticsByFile(document.suite.problems).get(SUITE) ?? [];
      for (const [line, content] of lines.entries()) {
        for (const character of [0, content.length >> 1, content.length]) {
          const start = { line, character };
          const ports = portsOver({}, structuredClone(LAST) as never);
          const actions = await codeActions(document, { start, end: start }, diagnostics, ports);
          for (const { range } of actions
            .flatMap(editsOf)
            .flatMap(([uri, edits]) => (uri === uriOf(SUITE) ? edits : []))) {
            assert.ok(range.end.line < lines.length, JSON.stringify(text));
            const last = lines[range.end.line]?.length ?? 0;
            assert.ok(range.end.character <= last, JSON.stringify(text));
          }
        }
      }
    }
  });
});
