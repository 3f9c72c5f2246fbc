import assert from 'node:assert/strict';
import { it } from 'node:test';
import { CancellationTokenSource } from 'vscode-languageserver-protocol/node';
import { startLanguageServer } from '../support/language/languageServer.ts';

const ROOT = 'memfs://hub/repo';
const TEXT =
  'models: {fast: "openai:j"}\njudge: fast\ncases:\n  - id: one\n    transcript: [{user: Hi}, {assistant: Hello}]\n    assert: [x]\n';

it('the language server stops work on a request that is cancelled', async (t) => {
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
      return { text: TEXT };
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
