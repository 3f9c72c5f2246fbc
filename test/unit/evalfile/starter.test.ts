import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, it } from 'node:test';
import {
  type Starter,
  type StarterTarget,
  starterAgent,
  starterText,
} from '../../../src/evalfile/starter.ts';
import { load } from '../../support/evalFiles.ts';
import { runFiles } from '../../support/runs.ts';

const MODELS = [
  { id: 'openai:gpt-5-mini' },
  { id: 'openai:qwen3:8b', baseUrl: 'http://localhost:11434/v1' },
];

const TARGETS: readonly StarterTarget[] = [
  { kind: 'module' },
  { kind: 'command', python: 'python3' },
  ...MODELS.map((model) => ({ kind: 'chat' as const, model })),
  { kind: 'transcript' },
];

/** A new eval file with the agent beside it. */
async function read(starter: Starter) {
  const agent = starterAgent(starter.target);
  return load(starterText(starter), agent ? { [agent.name]: agent.text } : {}, {
    defaultJudge: '',
  });
}

describe('a new eval file', () => {
  for (const target of TARGETS) {
    for (const judge of [undefined, ...MODELS]) {
      const model = 'model' in target ? ` ${target.model.id}` : '';
      it(`has no problem: ${target.kind}${model}, judge ${judge?.id ?? 'none'}`, async () => {
        const { problems, suite } = await read({ name: 'Yes: no', target, judge });
        assert.deepEqual(problems, []);
        assert.equal(suite?.name, 'Yes: no');
        const [only] = suite?.cases ?? [];
        assert.deepEqual(
          only?.assertions.map(({ type }) => type),
          judge ? ['contains', 'criterion'] : ['contains'],
        );
        assert.equal(only?.judge?.id, judge?.id);
        assert.equal(only?.judge?.params.base_url, judge?.baseUrl);
      });
    }
  }

  it('speaks to the model that was chosen', async () => {
    const [, model] = MODELS;
    if (!model) return;
    const { suite } = await read({ name: 'X', target: { kind: 'chat', model } });
    const origin = suite?.cases[0]?.origin;
    assert.equal(origin?.kind === 'turns' && origin.target.model?.params.base_url, model.baseUrl);
  });

  for (const target of TARGETS.filter(({ kind }) => kind !== 'chat')) {
    const missing =
      target.kind === 'command' && spawnSync(target.python, ['--version']).error !== undefined;
    const skip = missing && 'There is no Python.';
    it(`passes at once, without a model: ${target.kind}`, { skip }, async (t) => {
      const agent = starterAgent(target);
      const { lines } = await runFiles(t, {
        'suite.eval.yaml': starterText({ name: 'Support', target }),
        ...(agent && { [agent.name]: agent.text }),
      });
      assert.deepEqual(
        lines.map(({ status, reason }) => ({ status, reason })),
        [{ status: 'pass', reason: undefined }],
      );
    });
  }
});
