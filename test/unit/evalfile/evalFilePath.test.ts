import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { evalFilePath, looksLikeEvalFile, suiteName } from '../../../src/evalfile/evalFilePath.ts';

describe('the path of a new eval file', () => {
  for (const [typed, path] of [
    ['support', 'evals/support.eval.yaml'],
    ['support.yaml', 'evals/support.eval.yaml'],
    ['support.eval', 'evals/support.eval.yaml'],
    ['support.eval.yml', 'evals/support.eval.yml'],
    [' ./support ', 'support.eval.yaml'],
    ['qa\\deep/support.yml', 'qa/deep/support.eval.yaml'],
  ] as const) {
    it(`of "${typed}" is ${path}`, () => {
      assert.deepEqual(evalFilePath(typed), { path });
    });
  }

  for (const typed of ['', ' ', 'evals/', '/etc/x', 'C:\\x', '../x', 'a/../../x', 'a:b', 'a\nb']) {
    it(`of ${JSON.stringify(typed)} is refused`, () => {
      assert.ok('problem' in evalFilePath(typed));
    });
  }

  it('names the suite', () => {
    assert.equal(suiteName('evals/refund-agent.eval.yaml'), 'Refund agent');
  });
});

describe('a YAML file that looks like an eval file', () => {
  it('has cases and assertions in them', () => {
    assert.ok(looksLikeEvalFile('name: X\ncases:\n  - id: a\n    assert: [x]\n'));
    assert.ok(looksLikeEvalFile('"cases": \n- assert:\n  - x\n'));
  });

  it('needs both, in the right places', () => {
    for (const text of [
      'cases:\n  - id: a\n',
      'jobs:\n  cases:\n    - x\n  assert: x\n',
      'cases: 3\nassert: x\n',
      'text: |\n  cases:\n    assert: x\n',
    ]) {
      assert.equal(looksLikeEvalFile(text), false, text);
    }
  });
});
