import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { judgeChoices } from '../../../../src/evalfile/judgeChoices.ts';
import { loadDocument } from '../../../../src/evalfile/load.ts';
import { codeActions } from '../../../../src/language/codeActions/codeActions.ts';
import { diagnosticsByFile } from '../../../../src/language/features/diagnostics.ts';
import { parseYaml } from '../../../../src/yaml/yamlDocument.ts';
import { filesIn, SUITE, suiteWith, TRANSCRIPT, WORKSPACE } from '../../../support/evalFiles.ts';
import { applied, portsOver } from '../../../support/language/codeActions.ts';

const hostWith = (set: readonly string[], editor: readonly string[] = []) => ({
  editorModels: async () => editor,
  setVariables: async (names: readonly string[]) => names.filter((name) => set.includes(name)),
});

/** The fixes for a file without a judge. */
async function fixesIn(text: string, host = hostWith([])) {
  const yaml = parseYaml(text, SUITE);
  const options = { workspace: WORKSPACE, env: () => undefined };
  const suite = await loadDocument(yaml, filesIn({ 'suite.eval.yaml': text }), options);
  const diagnostics = diagnosticsByFile(suite.problems).get(SUITE) ?? [];
  const ports = { ...portsOver(), ...host };
  const all = { start: { line: 0, character: 0 }, end: { line: 99, character: 0 } };
  return codeActions({ yaml, suite }, all, diagnostics, ports, ['quickfix']);
}

describe('adding a judge', () => {
  it('writes it above the cases, below the name and the comments at the head', async () => {
    const text = `# Orders\n\nname: Shop\n\n# The cases\n${suiteWith(TRANSCRIPT)}`;
    const [fix] = await fixesIn(text);
    assert.equal(fix?.title, 'Add "judge: openai:gpt-5-mini"');
    const { 'suite.eval.yaml': after } = applied(text, fix);
    assert.equal(after, text.replace('# The cases', 'judge: openai:gpt-5-mini\n\n# The cases'));
  });

  it('offers the models whose keys are set, and those of the editor, before the others', async () => {
    const models = 'models:\n  best: openai:gpt-5\n  azure: azure-openai:x\n';
    const text = suiteWith(TRANSCRIPT, models);
    const titles = async (set: readonly string[]) =>
      (await fixesIn(text, hostWith(set, ['vscode:copilot/gpt-4o'])))
        .map(({ title }) => title)
        .filter((title) => title.startsWith('Add'))
        .map((title) => title.slice('Add "judge: '.length, -1));
    const [openai, azure, editor] = ['openai:gpt-5-mini', 'azure', 'vscode:copilot/gpt-4o'];
    assert.deepEqual(await titles(['OPENAI_API_KEY']), ['best', openai, editor, azure]);
    assert.deepEqual(await titles(['AZURE_OPENAI_API_KEY']), [azure, editor, 'best', openai]);
  });

  it("treats a model at its own address without a key's name as ready", async () => {
    const local = { provider: 'openai', model: 'qwen3', base_url: 'http://localhost:1/v1' };
    const named = { ...local, api_key_env: 'MY_KEY' };
    const choices = (set: readonly string[]) => judgeChoices({ named, local }, hostWith(set));
    assert.deepEqual(await choices([]), ['local', 'named', 'openai:gpt-5-mini']);
    assert.deepEqual(await choices(['MY_KEY']), ['named', 'local', 'openai:gpt-5-mini']);
  });
});
