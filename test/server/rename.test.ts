import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { WorkspaceEdit } from 'vscode-languageserver-types';
import { startLanguageServer } from '../support/language/languageServer.ts';
import { runFiles } from '../support/runs.ts';

const TEXT = `cases:
  - id: old-name
    transcript: [{user: Hi}, {assistant: Hello}]
    assert: [{type: contains, value: Hello}]
`;

describe('renaming a case', { timeout: 180_000 }, () => {
  it('moves its recorded results once the edit is applied, and not before', async (t) => {
    const { workspace, record = '' } = await runFiles(t, { 'suite.eval.yaml': TEXT });
    const server = await startLanguageServer(pathToFileURL(workspace).toString());
    t.after(() => server.stop());
    const uri = pathToFileURL(join(workspace, 'suite.eval.yaml')).toString();
    const { connection } = server;
    await connection.sendNotification('textDocument/didOpen', {
      textDocument: { uri, languageId: 'conversation-eval', version: 1, text: TEXT },
    });
    const position = { line: 1, character: 10 };
    const edit = await connection.sendRequest<WorkspaceEdit>('textDocument/rename', {
      textDocument: { uri },
      position,
      newName: 'new-name',
    });
    assert.match(JSON.stringify(edit), /new-name/);
    await server.diagnostics(uri, () => true);
    assert.match(await readFile(record, 'utf8'), /"id":"old-name"/);

    const text = TEXT.replace('old-name', 'new-name');
    await connection.sendNotification('textDocument/didChange', {
      textDocument: { uri, version: 2 },
      contentChanges: [{ text }],
    });
    let lines = await readFile(record, 'utf8');
    while (!lines.includes('"id":"new-name"')) {
      await setTimeout(50);
      lines = await readFile(record, 'utf8');
    }
    assert.doesNotMatch(lines, /"id":"old-name"/);
    const hover = await connection.sendRequest('textDocument/hover', {
      textDocument: { uri },
      position,
    });
    assert.match(JSON.stringify(hover), /Last run/);
    assert.doesNotMatch(JSON.stringify(hover), /has changed since/);
  });

  it('refuses invalid names with a reason', async (t) => {
    const { workspace } = await runFiles(t, { 'suite.eval.yaml': TEXT });
    const server = await startLanguageServer(pathToFileURL(workspace).toString());
    t.after(() => server.stop());
    const uri = pathToFileURL(join(workspace, 'suite.eval.yaml')).toString();
    await server.connection.sendNotification('textDocument/didOpen', {
      textDocument: { uri, languageId: 'conversation-eval', version: 1, text: TEXT },
    });
    const rename = server.connection.sendRequest('textDocument/rename', {
      textDocument: { uri },
      position: { line: 1, character: 10 },
      newName: 'not a name',
    });
    await assert.rejects(rename, /letter|digit|name/i);
  });
});
