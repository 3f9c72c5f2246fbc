import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { pathToFileURL } from 'node:url';
import { barrier } from '../support/barrier.ts';
import { type LanguageServer, startLanguageServer } from '../support/language/languageServer.ts';
import { runFiles, workspaceWith } from '../support/runs.ts';
import { until } from '../support/until.ts';

const CASE = 'cases:\n  - id: one\n    transcript: [{user: Hi}, {assistant: Hello}]\n';
const PROMPTED = `judge: openai:j\n${CASE}    assert:\n      - {type: llm-judge, prompt: ./p.md}\n`;
const codes = ({ diagnostics }: { diagnostics: { code?: unknown }[] }) =>
  diagnostics.map(({ code }) => code);

async function folderWith(t: TestContext, files: Record<string, string>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'turnlight-ws-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return folder;
}

async function started(t: TestContext, ...args: Parameters<typeof startLanguageServer>) {
  const server = await startLanguageServer(...args);
  t.after(() => server.stop());
  return server;
}

function changedOnDisk(server: LanguageServer, uri: string, type: 1 | 2 | 3) {
  const changes = [{ uri, type }];
  return server.connection.sendNotification('workspace/didChangeWatchedFiles', { changes });
}

describe('the workspace', { timeout: 180_000 }, () => {
  it('is checked as a whole, open or not', async (t) => {
    const folder = await folderWith(t, {
      'good.eval.yaml': `${CASE}    assert: [{type: contains, value: x}]\n`,
      'bad.eval.yaml': `${CASE}    asert: [{type: contains, value: x}]\n`,
    });
    const server = await started(t, pathToFileURL(folder).toString());
    const uri = (name: string) => pathToFileURL(join(folder, name)).toString();
    const bad = await server.diagnostics(uri('bad.eval.yaml'), () => true);
    assert.deepEqual(codes(bad), ['unknown-key']);
    assert.deepEqual(codes(await server.diagnostics(uri('good.eval.yaml'), () => true)), []);
  });

  it('checks closed eval files again if their prompt changes', async (t) => {
    const folder = await folderWith(t, { 'a.eval.yaml': PROMPTED, 'p.md': 'Of {{conversation}}' });
    const server = await started(t, pathToFileURL(folder).toString());
    const uri = (name: string) => pathToFileURL(join(folder, name)).toString();
    assert.deepEqual(codes(await server.diagnostics(uri('a.eval.yaml'), () => true)), []);
    await writeFile(join(folder, 'p.md'), 'Of {{conversatoin}}');
    await changedOnDisk(server, uri('p.md'), 2);
    const prompt = await server.diagnostics(uri('p.md'), (one) => one.diagnostics.length > 0);
    assert.deepEqual(codes(prompt), ['unknown-variable']);
    await rm(join(folder, 'p.md'));
    await changedOnDisk(server, uri('p.md'), 3);
    const gone = await server.diagnostics(uri('a.eval.yaml'), (one) => one.diagnostics.length > 0);
    assert.deepEqual(codes(gone), ['file-missing']);
  });

  it('checks an eval file again when a missing file appears', async (t) => {
    const folder = await folderWith(t, { 'a.eval.yaml': PROMPTED });
    const server = await started(t, pathToFileURL(folder).toString());
    const uri = (name: string) => pathToFileURL(join(folder, name)).toString();
    const missing = await server.diagnostics(uri('a.eval.yaml'), () => true);
    assert.deepEqual(codes(missing), ['file-missing']);
    await writeFile(join(folder, 'p.md'), 'Of {{conversation}}');
    await changedOnDisk(server, uri('p.md'), 1);
    const there = await server.diagnostics(
      uri('a.eval.yaml'),
      (one) => one.diagnostics.length === 0,
    );
    assert.deepEqual(codes(there), []);
  });

  it('renames in included files, whatever their names', async (t) => {
    const folder = await folderWith(t, {
      'a.eval.yaml': `models: {fast: "openai:j"}\njudge: fast\ninclude: [more.yaml]\n${CASE}    assert: [x]\n`,
      'more.yaml': `${CASE.replace('one', 'two')}    judge: fast\n    assert: [x]\n`,
    });
    const server = await started(t, pathToFileURL(folder).toString());
    const uri = pathToFileURL(join(folder, 'a.eval.yaml')).toString();
    await server.diagnostics(uri, () => true);
    const edit = await server.connection.sendRequest('textDocument/rename', {
      textDocument: { uri },
      position: { line: 1, character: 8 },
      newName: 'strict',
    });
    assert.match(JSON.stringify(edit), /more\.yaml/);
    // Names from the suite are known in files that it includes.
    const text = `${CASE.replace('one', 'two')}    judge: f\n`;
    const more = pathToFileURL(join(folder, 'more.yaml')).toString();
    await server.connection.sendNotification('textDocument/didOpen', {
      textDocument: { uri: more, languageId: 'yaml', version: 1, text },
    });
    const items = await server.connection.sendRequest('textDocument/completion', {
      textDocument: { uri: more },
      position: { line: 3, character: 12 },
    });
    assert.match(JSON.stringify(items), /"label":"fast"/);
  });

  it('completes a prompt with names from its suites on the disk', async (t) => {
    const folder = await folderWith(t, {
      'a.eval.yaml': PROMPTED.replace('judge:', 'models: {fast: "openai:j"}\njudge:'),
      'p.md': 'Of {{conversation}}',
    });
    const server = await started(t, pathToFileURL(folder).toString());
    const uri = (name: string) => pathToFileURL(join(folder, name)).toString();
    await server.diagnostics(uri('a.eval.yaml'), () => true);
    const text = '---\nmodel: f\n---\nOf {{conversation}}\n';
    await server.connection.sendNotification('textDocument/didOpen', {
      textDocument: { uri: uri('p.md'), languageId: 'markdown', version: 1, text },
    });
    const offered = async () =>
      JSON.stringify(
        await server.connection.sendRequest('textDocument/completion', {
          textDocument: { uri: uri('p.md') },
          position: { line: 1, character: 8 },
        }),
      );
    assert.match(await offered(), /"label":"fast"/);
    await writeFile(
      join(folder, 'a.eval.yaml'),
      PROMPTED.replace('judge:', 'models: {far: "openai:j"}\njudge:'),
    );
    assert.match(await offered(), /"label":"far"/);
  });

  it('clears the problems of a deleted file', async (t) => {
    const folder = await folderWith(t, {
      'bad.eval.yaml': `${CASE}    asert: [{type: contains, value: x}]\n`,
    });
    const server = await started(t, pathToFileURL(folder).toString());
    const uri = pathToFileURL(join(folder, 'bad.eval.yaml')).toString();
    await server.diagnostics(uri, ({ diagnostics }) => diagnostics.length > 0);
    const from = server.published();
    await rm(join(folder, 'bad.eval.yaml'));
    await changedOnDisk(server, uri, 3);
    assert.deepEqual(codes(await server.diagnostics(uri, () => true, from)), []);
  });

  it('checks an included file with its suite, and not alone', async (t) => {
    const folder = await folderWith(t, {
      'a.eval.yaml': `models: {j: "openai:j"}\ninclude: [./b.eval.yaml]\n${CASE}    assert: [{type: safety, judge: j}]\n`,
      'b.eval.yaml': `${CASE.replace('one', 'two')}    judge: j\n    assert: [{type: safety}]\n`,
    });
    const server = await started(t, pathToFileURL(folder).toString());
    const uri = (name: string) => pathToFileURL(join(folder, name)).toString();
    const included = await server.diagnostics(
      uri('b.eval.yaml'),
      ({ diagnostics }) => diagnostics.length === 0,
    );
    assert.deepEqual(codes(included), []);
    assert.deepEqual(codes(await server.diagnostics(uri('a.eval.yaml'), () => true)), []);
  });

  it('never reports problems of an included file that its suite resolves', async (t) => {
    const folder = await folderWith(t, {
      'a.eval.yaml': `${CASE.replace('one', 'two')}    judge: j\n    assert: [{type: safety}]\n`,
      'b.eval.yaml': `models: {j: "openai:j"}\ninclude: [./a.eval.yaml]\n${CASE}    assert: [{type: safety, judge: j}]\n`,
    });
    const server = await started(t, pathToFileURL(folder).toString());
    const uri = (name: string) => pathToFileURL(join(folder, name)).toString();
    const wrong = server.diagnostics(uri('a.eval.yaml'), (one) => one.diagnostics.length > 0);
    const all = server.diagnostics(uri('b.eval.yaml'), () => true);
    assert.deepEqual(codes(await Promise.race([wrong, all])), []);
  });

  it('can have several folders, each with its own paths', async (t) => {
    const prompt = { 'p.md': 'Of {{conversation}}' };
    const one = await folderWith(t, { 'a.eval.yaml': PROMPTED, ...prompt });
    const two = await folderWith(t, { 'a.eval.yaml': PROMPTED });
    const server = await started(
      t,
      [one, two].map((folder) => pathToFileURL(folder).toString()),
    );
    const uri = (folder: string) => pathToFileURL(join(folder, 'a.eval.yaml')).toString();
    assert.deepEqual(codes(await server.diagnostics(uri(one), () => true)), []);
    assert.deepEqual(codes(await server.diagnostics(uri(two), () => true)), ['file-missing']);
  });

  it('checks files of messages, and offers completions and hovers in them', async (t) => {
    const text =
      '[\n  {"role": "user", "content": "Hi"},\n  {"role": "asistant", "content": "x"}\n]\n';
    const folder = await folderWith(t, { 'a.messages.json': text });
    const server = await started(t, pathToFileURL(folder).toString());
    const uri = pathToFileURL(join(folder, 'a.messages.json')).toString();
    const found = await server.diagnostics(uri, ({ diagnostics }) => diagnostics.length > 0);
    assert.equal(found.diagnostics[0]?.range.start.line, 2);
    const textDocument = { uri, languageId: 'json', version: 1, text };
    await server.connection.sendNotification('textDocument/didOpen', { textDocument });
    const symbols = await server.connection.sendRequest('textDocument/documentSymbol', {
      textDocument: { uri },
    });
    assert.ok(Array.isArray(symbols) && symbols.length > 0);
    const items = await server.connection.sendRequest('textDocument/completion', {
      textDocument: { uri },
      position: { line: 2, character: 14 },
    });
    assert.match(JSON.stringify(items), /assistant/);
    const fixes = await server.connection.sendRequest('textDocument/codeAction', {
      textDocument: { uri },
      range: found.diagnostics[0]?.range,
      context: { diagnostics: found.diagnostics },
    });
    assert.match(JSON.stringify(fixes), /"newText":".*assistant/);
  });

  it('can be a folder of a repository: records next to its .git are shown and watched', async (t) => {
    const text = `${CASE}    assert: [{type: contains, value: Hello}]\n`;
    const repository = await workspaceWith(t, { '.git/HEAD': '', 'evals/suite.eval.yaml': text });
    const folder = join(repository, 'evals');
    let refreshed = () => {};
    const refresh = new Promise<void>((done) => {
      refreshed = done;
    });
    const server = await started(
      t,
      pathToFileURL(folder).toString(),
      { 'workspace/inlayHint/refresh': () => refreshed() },
      { workspace: { inlayHint: { refreshSupport: true } } },
    );
    const uri = pathToFileURL(join(folder, 'suite.eval.yaml')).toString();
    await server.connection.sendNotification('textDocument/didOpen', {
      textDocument: { uri, languageId: 'conversation-eval', version: 1, text },
    });
    await server.diagnostics(uri, ({ version }) => version === 1);
    const { record = '' } = await runFiles(t, {}, { workspace: folder });
    assert.equal(dirname(record), join(repository, '.turnlight/runs'));
    await refresh;
    const hover = await server.connection.sendRequest('textDocument/hover', {
      textDocument: { uri },
      position: { line: 1, character: 10 },
    });
    assert.match(JSON.stringify(hover), /Last run/);
  });

  it('shows results that were recorded while hints were computed', async (t) => {
    const reading = barrier();
    const released = barrier();
    let refreshes = 0;
    const server = await started(
      t,
      'memfs://hub/repo',
      {
        'turnlight/fileExists': () => true,
        'turnlight/readFile': async () => {
          reading.resolve();
          await released.promise;
          return { text: 'Be kind.' };
        },
        'workspace/inlayHint/refresh': () => {
          refreshes += 1;
        },
      },
      { workspace: { inlayHint: { refreshSupport: true } } },
    );
    const uri = 'memfs://hub/repo/a.eval.yaml';
    await server.connection.sendNotification('textDocument/didOpen', {
      textDocument: { uri, languageId: 'conversation-eval', version: 1, text: PROMPTED },
    });
    const hints = server.connection.sendRequest('textDocument/inlayHint', {
      textDocument: { uri },
      range: { start: { line: 0, character: 0 }, end: { line: 99, character: 0 } },
    });
    await reading.promise;
    await server.connection.sendNotification('workspace/didChangeWatchedFiles', {
      changes: [{ uri: 'file:///repo/.turnlight/runs/a.jsonl', type: 1 }],
    });
    const seen = async () => refreshes;
    await until('a refresh', seen, (count) => count === 1);
    released.resolve();
    await hints;
    await until('another one, as its hints may be old', seen, (count) => count === 2);
  });

  it('can be virtual: its files are read through the client', async (t) => {
    const files: Record<string, string> = {
      'memfs://hub/repo/a.eval.yaml': PROMPTED,
      'memfs://hub/repo/p.md': 'Of {{conversatoin}}',
    };
    const uriOf = (params: unknown) => String(Reflect.get(Object(params), 'uri'));
    const server = await started(t, 'memfs://hub/repo', {
      'turnlight/findFiles': () => ({ uris: ['memfs://hub/repo/a.eval.yaml'] }),
      'turnlight/fileExists': (params) => uriOf(params) in files,
      'turnlight/readFile': (params) => {
        const text = files[uriOf(params)];
        return text === undefined ? { reason: 'missing', message: 'Not there.' } : { text };
      },
    });
    const prompt = await server.diagnostics('memfs://hub/repo/p.md', () => true);
    assert.deepEqual(codes(prompt), ['unknown-variable']);
    const text = `${CASE}    asert: [{type: contains, value: x}]\n`;
    const uri = 'memfs://hub/repo/b.eval.yaml';
    await server.connection.sendNotification('textDocument/didOpen', {
      textDocument: { uri, languageId: 'conversation-eval', version: 1, text },
    });
    const open = await server.diagnostics(uri, () => true);
    assert.deepEqual(codes(open), ['unknown-key']);
  });
});
