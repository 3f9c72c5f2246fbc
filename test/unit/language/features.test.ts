import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { NO_ESTIMATE } from '../../../src/core/estimate.ts';
import { loadDocument } from '../../../src/evalfile/load.ts';
import { completion } from '../../../src/language/completion/completion.ts';
import { codeLenses, resolveLens } from '../../../src/language/features/codeLens.ts';
import { documentSymbols } from '../../../src/language/features/symbols.ts';
import { hover } from '../../../src/language/hover/hover.ts';
import type { EvalDocument } from '../../../src/language/ports.ts';
import { parseYaml } from '../../../src/yaml/yamlDocument.ts';
import { memoryFiles, SUITE, WORKSPACE } from '../../support/evalFiles.ts';

async function documentOf(text: string): Promise<EvalDocument> {
  const yaml = parseYaml(text, SUITE);
  const suite = await loadDocument(yaml, memoryFiles({ [SUITE]: text }), {
    workspace: WORKSPACE,
    env: () => undefined,
    defaultJudge: 'openai:test',
  });
  return { yaml, suite };
}

describe('information next to the text', () => {
  const text =
    'cases:\n  - id: one\n    transcript: [{user: Hi}, {assistant: x}]\n    assert: [y]\n';

  it('has one lens on the file and two on each case', async () => {
    const document = await documentOf(text);
    const estimate = async () => ({ ...NO_ESTIMATE, requests: 3, inputTokens: 9_800 });
    const lenses = await Promise.all(
      codeLenses(document, 'file:///suite').map((lens) =>
        resolveLens(lens, async () => document.suite, estimate),
      ),
    );
    assert.deepEqual(
      lenses.map(({ command, range }) => [command?.title, range.start.line]),
      [
        ['Run all', 0],
        ['Run', 1],
        ['Open conversation', 1],
        ['about 3 requests, 9.8k tokens, free', 1],
      ],
    );
  });

  it('has a lens to talk to each target, and to start from each case', async () => {
    const head =
      'targets:\n  bot: { type: module, path: ./bot.mjs }\ntarget: { type: module, path: ./bot.mjs }\n';
    const lenses = codeLenses(await documentOf(head + text), 'file:///suite');
    assert.deepEqual(
      lenses.flatMap(({ command, range }) =>
        command?.title === 'Talk' ? [[range.start.line, ...(command.arguments ?? [])]] : [],
      ),
      [
        [1, 'file:///suite', { target: 'bot' }],
        [2, 'file:///suite', {}],
        [4, 'file:///suite', 'one'],
      ],
    );
  });

  it('has no empty lens on a broken or skipped case', async () => {
    for (const line of ['thresold: 1', 'skip: true']) {
      const document = await documentOf(text.replace('\n    ', `\n    ${line}\n    `));
      const lenses = codeLenses(document, 'file:///suite');
      assert.deepEqual(
        lenses.map(({ command }) => command?.title),
        ['Run all', 'Run', 'Open conversation'],
      );
    }
  });

  it('has an outline of cases and turns', async () => {
    const [one] = documentSymbols(await documentOf(text));
    assert.deepEqual(
      [one?.name, one?.children?.map(({ name, detail }) => [name, detail])],
      [
        'one',
        [
          ['Hi', 'user, turn 1'],
          ['x', 'assistant, turn 2'],
          ['y', 'assertion'],
        ],
      ],
    );
  });
});

describe('broken files', () => {
  const whole =
    'name: x\ntargets:\n  bot: {type: module, path: a}\ncases:\n  - id: one\n    turns:\n      - user: Hi\n        assert:\n          - type: contains\n            value: x\n';

  it('break no feature, wherever they are truncated', async () => {
    for (let length = 0; length <= whole.length; length += 3) {
      const text = whole.slice(0, length);
      const document = await documentOf(text);
      const lines = text.split('\n');
      const position = { line: lines.length - 1, character: lines.at(-1)?.length ?? 0 };
      codeLenses(document, 'file:///x');
      documentSymbols(document);
      await completion(text, SUITE, position);
      await hover(document, position, { lastRuns: async () => [] });
    }
  });
});
