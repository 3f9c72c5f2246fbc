import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { findProvider, parseModelSpec } from '../../../src/models/registry.ts';

test("reads provider:model, including colons in the model's name", () => {
  assert.deepEqual(parseModelSpec('openai:qwen3:8b', '/work'), {
    spec: {
      id: 'openai:qwen3:8b',
      provider: 'openai',
      params: { provider: 'openai', model: 'qwen3:8b' },
      folder: '/work',
    },
  });
});

for (const [text, words] of [
  ['gpt-5-mini', /is not a model/],
  ['openai:', /is not a model/],
  ['opnai:gpt-5-mini', /Unknown provider "opnai". Did you mean "openai"\?/],
  ['acme:gpt-5-mini', /Unknown provider "acme".*openai, azure-openai, ollama, vscode, replay/],
  ['replay:judge', /needs more than a name/],
] as const) {
  test(`"${text}" is refused with a reason`, () => {
    const parsed = parseModelSpec(text, '/');
    assert.ok('problem' in parsed);
    assert.match(parsed.problem, words);
  });
}

test('knows its providers', () => {
  for (const name of ['openai', 'azure-openai', 'ollama']) {
    assert.equal(findProvider(name)?.provider, name);
  }
  assert.equal(findProvider('none'), undefined);
});

test('does not load the client on import', async () => {
  const registry = new URL('../../../src/models/registry.ts', import.meta.url).href;
  const script = `
    import { registerHooks } from 'node:module';
    const asked = [];
    registerHooks({ resolve: (name, context, next) => (asked.push(name), next(name, context)) });
    await import(${JSON.stringify(registry)});
    console.log(asked.includes('zod'), asked.some((name) => name.startsWith('openai')));`;
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--input-type=module',
    '-e',
    script,
  ]);
  assert.equal(stdout.trim(), 'true false');
});
