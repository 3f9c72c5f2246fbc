import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { loadPrompt } from '../../../../src/evalfile/prompt.ts';
import { codeActionsOfText } from '../../../../src/language/codeActions/codeActions.ts';
import { diagnosticsByFile } from '../../../../src/language/features/diagnostics.ts';
import { suiteWith } from '../../../support/evalFiles.ts';
import {
  actionsOf,
  applied,
  codesOf,
  edited,
  uriOf,
} from '../../../support/language/codeActions.ts';

const own = (labels: string) =>
  suiteWith(
    `transcript: [{user: Hi}, {assistant: Hello}]\nassert:\n  - type: llm-judge\n    instructions: Is it kind?\n    labels: ${labels}`,
  );

describe('labels without scores', () => {
  for (const [what, before, after] of [
    ['two', '[kind, rude]', '\n      kind: 1\n      rude: 0'],
    ['three', '[a, b, c]', '\n      a: 1\n      b: 0.5\n      c: 0'],
  ] as const) {
    it(`get scores from 1 to 0, to be reviewed: ${what}`, async () => {
      const text = own(before);
      const [action, ...others] = await actionsOf(text);
      assert.deepEqual(others, []);
      assert.notEqual(action?.isPreferred, true);
      const mended = applied(text, action)['suite.eval.yaml'] ?? '';
      assert.equal(mended, own(after).replace('labels: \n', 'labels:\n'));
      assert.deepEqual(await codesOf(mended), []);
    });
  }

  it('get scores in a judge prompt, too', () => {
    const text = '---\nname: Tone\nlabels: [kind, rude]\n---\n\nIs it kind? {{conversation}}\n';
    const diagnostics = diagnosticsByFile(loadPrompt(text, '/p.md').problems).get('/p.md') ?? [];
    const [action] = codeActionsOfText('/p.md', text, diagnostics, { uriOf });
    const mended = edited(text, action?.edit?.changes?.['file:///p.md'] ?? []);
    assert.equal(
      mended,
      '---\nname: Tone\nlabels:\n  kind: 1\n  rude: 0\n---\n\nIs it kind? {{conversation}}\n',
    );
  });

  it("get only the message if they aren't texts", async () => {
    assert.deepEqual(await actionsOf(own('[1, {a: 2}]')), []);
    assert.deepEqual(await codesOf(own('[1, {a: 2}]')), ['wrong-type']);
  });
});
