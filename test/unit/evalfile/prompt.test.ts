import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { loadPrompt } from '../../../src/evalfile/prompt.ts';

const places = (text: string) =>
  loadPrompt(text, '/p.md').problems.map(
    ({ code, range: { start } }) => `${start.line + 1}:${start.character + 1} ${code}`,
  );

describe('a judge prompt', () => {
  it('is Markdown with front matter', () => {
    const text =
      '---\nname: Retention\nlabels: {good: 1, bad: 0}\nper_turn: true\nthreshold: 0.7\nmodel: openai:x\n---\nJudge {{conversation}} for {{context.name}}.\n';
    const { prompt, model, needs, problems } = loadPrompt(text, '/p.md');
    assert.deepEqual(problems, []);
    assert.equal(model, 'openai:x');
    assert.deepEqual(needs, ['name']);
    assert.deepEqual(prompt && { ...prompt, bodyRange: prompt.bodyRange.start }, {
      path: '/p.md',
      name: 'Retention',
      grading: { kind: 'labels', labels: { good: 1, bad: 0 } },
      threshold: 0.7,
      perTurn: true,
      body: 'Judge {{conversation}} for {{context.name}}.',
      bodyRange: { line: 7, character: 0 },
    });
  });

  it('needs no front matter', () => {
    const { grading } = loadPrompt('Be strict.', '/p.md').prompt ?? {};
    assert.deepEqual(grading, { kind: 'scale', scale: [0, 1] });
  });

  for (const [what, keys, expected] of [
    ['in its scale', 'scale: [3, 5]\nthreshold: 4', 0.5],
    ['as a share', 'scale: [3, 5]\nthreshold: 0.7', 0.7],
    ['below zero where its scale is', 'scale: [-1, 1]\nthreshold: 0', 0.5],
  ] as const) {
    it(`reads thresholds like assertions do: ${what}`, () => {
      const { prompt } = loadPrompt(`---\n${keys}\n---\n{{conversation}}`, '/p.md');
      assert.equal(prompt?.threshold, expected);
    });
  }

  it('warns about an ambiguous threshold', () => {
    const text = '---\nscale: [0, 10]\nthreshold: 1\n---\n{{conversation}}';
    assert.deepEqual(places(text), ['3:12 ambiguous-threshold']);
  });

  for (const [what, text, expected] of [
    [
      'an unknown variable',
      'Judge {{conversation}}.\n  {{covnersation}}',
      ['2:3 unknown-variable'],
    ],
    ['no words', '---\nname: x\n---\n \n', ['4:1 empty-prompt']],
    ['labels without scores', '---\nlabels: [good, bad]\n---\nx', ['2:9 wrong-type']],
    ['a label beyond 1', '---\nlabels: {good: 5, bad: 0}\n---\nx', ['2:16 out-of-range']],
    ['one label', '---\nlabels: {good: 1}\n---\nx', ['2:9 wrong-value']],
    [
      'labels and a scale',
      '---\nlabels: {good: 1, bad: 0}\nscale: [1, 5]\n---\nx',
      ['3:1 bad-value'],
    ],
    ['details that are no object', '---\ndetails: {type: string}\n---\nx', ['2:1 bad-value']],
    ['an unknown key', '---\nname: x\nscael: [0, 1]\n---\n{{conversation}}', ['3:1 unknown-key']],
    ['a scale upside down', '---\nscale: [5, 1]\n---\n{{conversation}}', ['2:8 wrong-value']],
    [
      'a threshold below its scale',
      '---\nscale: [3, 5]\nthreshold: 2\n---\n{{conversation}}',
      ['3:12 out-of-range'],
    ],
    ['broken front matter', '---\nname: [\n---\n{{conversation}}', ['3:1 yaml-syntax']],
  ] as const) {
    it(`is refused with a located problem: ${what}`, () => {
      assert.deepEqual(places(text), expected);
    });
  }
});
