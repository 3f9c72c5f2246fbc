import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, it } from 'node:test';
import {
  type ChosenModel,
  changeJudge,
  type Starter,
  type StarterTarget,
  starterAgent,
  starterText,
} from '../../../src/evalfile/starter.ts';
import { parseYaml } from '../../../src/yaml/yamlDocument.ts';
import { load } from '../../support/evalFiles.ts';
import { runFiles } from '../../support/runs.ts';

const MODELS = [
  { id: 'openai:gpt-5-mini' },
  { id: 'openai:qwen3:8b', baseUrl: 'http://localhost:11434/v1' },
];

const TARGETS: readonly StarterTarget[] = [
  { kind: 'module' },
  { kind: 'command' },
  { kind: 'http' },
  ...MODELS.map((model) => ({ kind: 'chat' as const, model })),
  { kind: 'transcript' },
];

/** Loads a new eval file with its agent. */
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

  it('uses the chosen model', async () => {
    const [, model] = MODELS;
    if (!model) return;
    const { suite } = await read({ name: 'X', target: { kind: 'chat', model } });
    const origin = suite?.cases[0]?.origin;
    assert.equal(origin?.kind === 'turns' && origin.target.model?.params.base_url, model.baseUrl);
  });

  for (const target of TARGETS.filter(({ kind }) => !['chat', 'http'].includes(kind))) {
    const missing =
      target.kind === 'command' && spawnSync('python3', ['--version']).error !== undefined;
    const skip = missing && 'There is no Python.';
    it(`passes immediately, without a model: ${target.kind}`, { skip }, async (t) => {
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

const FROM = 'openai:gpt-5-mini';
const EDITOR = { id: 'vscode:copilot/gpt-4.1' };
const LOCAL = { id: 'openai:qwen3:8b', baseUrl: 'http://localhost:11434/v1' };

function changed(text: string, to: ChosenModel = EDITOR): string {
  const lines = text.split('\n');
  const offset = ({ line, character }: { line: number; character: number }) =>
    lines.slice(0, line).join('\n').length + (line > 0 ? 1 : 0) + character;
  return changeJudge(text, '/a.eval.yaml', FROM, to)
    .toSorted((a, b) => offset(b.range.start) - offset(a.range.start))
    .reduce(
      (now, { range, newText }) =>
        now.slice(0, offset(range.start)) + newText + now.slice(offset(range.end)),
      text,
    );
}

describe('changing the judge', () => {
  it('replaces a judge and keeps comments', () => {
    assert.equal(
      changed(`name: X\njudge: ${FROM} # ours\ncases: []\n`),
      `name: X\njudge: ${EDITOR.id} # ours\ncases: []\n`,
    );
  });

  it('finds the judge by a name in `models`, and writes its address, if any', () => {
    const text = `models:\n  strict: {provider: openai, model: gpt-5-mini}\njudge: strict\ncases: []\n`;
    const { value } = parseYaml(changed(text, LOCAL), '/a.eval.yaml');
    assert.deepEqual(Object(value).judge, {
      provider: 'openai',
      model: 'qwen3:8b',
      base_url: LOCAL.baseUrl,
    });
  });

  it('changes the cases with that judge, and no other judge', () => {
    const text = `judge: openai:other\ncases:\n  - id: a\n    judge: ${FROM}\n  - id: b\n`;
    assert.equal(changed(text), text.replace(FROM, EDITOR.id));
  });

  it('changes it in assertions, also in turns and groups', () => {
    const text = `judge: openai:other
cases:
  - id: a
    context: {judge: "${FROM}"}
    turns:
      - user: Hi
        assert: [{type: safety, judge: MINE}]
    assert:
      - {type: all-of, assert: [{type: safety, judge: MINE}]}
`;
    const before = text.replaceAll('MINE', FROM);
    assert.equal(changed(before), text.replaceAll('MINE', EDITOR.id));
  });

  it('adds a judge if the file has none', () => {
    assert.equal(changed('name: X\n'), `name: X\njudge: ${EDITOR.id}\n`);
  });

  it('changes nothing if the judge is set elsewhere', () => {
    const text = 'judge: openai:other\ncases: []\n';
    assert.equal(changed(text), text);
  });
});
