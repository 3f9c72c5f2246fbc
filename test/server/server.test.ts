import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { CancellationTokenSource } from 'vscode-languageserver-protocol/node';
import { type LanguageServer, startLanguageServer } from '../support/language/languageServer.ts';

const TEXT =
  'cases:\n  - id: one\n    transcript: [{user: Hi}, {assistant: Hello}]\n    assert:\n      - {type: llm-judge, prompt: ./p.md}\n';

describe('the language server over stdio', { timeout: 180_000 }, () => {
  let folder: string;
  let server: LanguageServer;
  const uriOf = (name: string) => pathToFileURL(join(folder, name)).toString();
  const open = (name: string, text: string, languageId = 'conversation-eval') =>
    server.connection.sendNotification('textDocument/didOpen', {
      textDocument: { uri: uriOf(name), languageId, version: 1, text },
    });
  const change = (name: string, version: number, text: string) =>
    server.connection.sendNotification('textDocument/didChange', {
      textDocument: { uri: uriOf(name), version },
      contentChanges: [{ text }],
    });

  const close = (name: string) =>
    server.connection.sendNotification('textDocument/didClose', {
      textDocument: { uri: uriOf(name) },
    });

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'turnlight-lsp-'));
    await writeFile(join(folder, 'p.md'), 'Judge {{conversation}}.');
    server = await startLanguageServer(pathToFileURL(folder).toString());
  });

  after(async () => {
    await server?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('checks unsaved text, and publishes only for the newest version', async () => {
    await open('a.eval.yaml', TEXT);
    await change('a.eval.yaml', 2, TEXT.replace('assert', 'asrt'));
    await change('a.eval.yaml', 3, TEXT.replace('assert', 'asert'));
    const { version, diagnostics } = await server.diagnostics(
      uriOf('a.eval.yaml'),
      ({ diagnostics: found }) => found.some(({ code }) => code === 'unknown-key'),
    );
    assert.equal(version, 3);
    const found = diagnostics.find(({ code }) => code === 'unknown-key');
    assert.deepEqual(found?.range.start, { line: 3, character: 4 });
    // In other editors, the documentation is a file.
    const page = new URL(found?.codeDescription?.href ?? '');
    assert.equal(page.hash, '#case');
    assert.match(await readFile(page, 'utf8'), /^# Eval file\n/);
  });

  it('clears fixed problems', async () => {
    await change('a.eval.yaml', 4, TEXT);
    const { diagnostics } = await server.diagnostics(
      uriOf('a.eval.yaml'),
      ({ version }) => version === 4,
    );
    assert.deepEqual(
      diagnostics.filter(({ severity }) => severity === 1),
      [],
    );
  });

  it('reports the problems of a prompt while it is edited', async () => {
    await open('p.md', 'Judge {{conversatoin}}.', 'markdown');
    const { diagnostics } = await server.diagnostics(
      uriOf('p.md'),
      ({ diagnostics: found }) => found.length > 0,
    );
    assert.ok(diagnostics.some(({ code }) => code === 'unknown-variable'));
  });

  it('discards unsaved changes of a prompt', async () => {
    const count = server.published();
    await close('p.md');
    await server.diagnostics(uriOf('p.md'), ({ diagnostics }) => diagnostics.length === 0, count);
  });

  it('checks a file again when a file that it includes changes', async () => {
    const included =
      'cases:\n  - id: two\n    transcript: [{user: Hi}, {assistant: x}]\n    assert: [y]\n';
    await writeFile(join(folder, 'in.eval.yaml'), included);
    await open('all.eval.yaml', `include: [./in.eval.yaml]\n${TEXT}`);
    await open('in.eval.yaml', included);
    await server.diagnostics(uriOf('all.eval.yaml'), ({ version }) => version === 1);
    const count = server.published();
    await change('in.eval.yaml', 2, included.replace('two', 'one'));
    await server.diagnostics(
      uriOf('in.eval.yaml'),
      ({ diagnostics }) => diagnostics.some(({ code }) => code === 'duplicate-id'),
      count,
    );
  });

  it('reads a file again if it is closed and opened with another text', async () => {
    await open('c.eval.yaml', TEXT);
    await server.diagnostics(uriOf('c.eval.yaml'), ({ version }) => version === 1);
    await close('c.eval.yaml');
    await open('c.eval.yaml', TEXT.replace('assert', 'asert'));
    const { diagnostics } = await server.diagnostics(
      uriOf('c.eval.yaml'),
      ({ diagnostics: found }) => found.some(({ code }) => code === 'unknown-key'),
    );
    assert.ok(diagnostics.length > 0);
  });

  it('answers hovers, completions, symbols, and lenses', async () => {
    const textDocument = { uri: uriOf('a.eval.yaml') };
    const position = { line: 0, character: 1 };
    const request = (method: string) =>
      server.connection.sendRequest<unknown>(`textDocument/${method}`, { textDocument, position });
    assert.match(JSON.stringify(await request('hover')), /conversations to run and judge/);
    assert.equal(Reflect.get(Object(await request('codeLens')), 'length'), 4);
    assert.equal(Reflect.get(Object(await request('documentSymbol')), 'length'), 1);
    const labels = JSON.stringify(await request('completion'));
    assert.match(labels, /"label":"models"/);
  });

  it('continues after a text that breaks everything', async () => {
    await open('b.eval.yaml', '[{'.repeat(5_000));
    await server.diagnostics(uriOf('b.eval.yaml'), ({ diagnostics }) => diagnostics.length > 0);
    const hover = await server.connection.sendRequest<unknown>('textDocument/hover', {
      textDocument: { uri: uriOf('a.eval.yaml') },
      position: { line: 0, character: 1 },
    });
    assert.ok(hover);
  });
});

const ROOT = 'memfs://hub/repo';
const REFERRING =
  'models: {fast: "openai:j"}\njudge: fast\ncases:\n  - id: one\n    transcript: [{user: Hi}, {assistant: Hello}]\n    assert: [x]\n';

it('the language server stops work on a canceled request', async (t) => {
  const uris = Array.from({ length: 9 }, (_, index) => `${ROOT}/${index}.eval.yaml`);
  const unwanted = new CancellationTokenSource();
  let isAsked = false;
  let read = 0;
  const server = await startLanguageServer(ROOT, {
    'turnlight/findFiles': () => ({ uris }),
    'turnlight/fileExists': () => true,
    'turnlight/readFile': () => {
      if (isAsked) {
        read += 1;
        unwanted.cancel();
      }
      return { text: REFERRING };
    },
  });
  t.after(() => server.stop());
  for (const uri of uris) await server.diagnostics(uri, () => true);
  isAsked = true;
  const params = {
    textDocument: { uri: uris[0] },
    position: { line: 1, character: 8 },
    context: { includeDeclaration: true },
  };
  const request = server.connection.sendRequest('textDocument/references', params, unwanted.token);
  await assert.rejects(request, { code: -32_800 });
  assert.equal(read, 1);
});
