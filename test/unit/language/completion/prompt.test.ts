import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type PromptContext,
  promptCompletion,
} from '../../../../src/language/features/promptCompletion.ts';
import { applied } from '../../../support/completing.ts';
import { cursor } from '../../../support/cursor.ts';

const KNOWN: PromptContext = {
  snippets: true,
  models: ['fast'],
  variables: ['city'],
  labels: ['rude', 'kind'],
};

function itemsAt(marked: string) {
  const { text, position } = cursor(marked);
  return promptCompletion(text, '/work/space/judge.md', position, KNOWN);
}

const labelsAt = (marked: string) => itemsAt(marked).map(({ label }) => label);

function chosen(marked: string, label: string): string {
  const item = itemsAt(marked).find((one) => one.label === label);
  return item ? applied(cursor(marked).text, item) : `There is no ${label}.`;
}

describe('completion in a judge prompt', () => {
  it('offers the keys of the front matter', () => {
    const labels = labelsAt('---\nname: x\n|\n---\nBody\n');
    assert.ok(labels.includes('labels') && labels.includes('threshold'));
    assert.ok(!labels.includes('name'));
    assert.ok(labelsAt('---\n|\n---\n').includes('name'), 'also of an empty one');
    assert.ok(labelsAt('---\nna|').includes('name'), 'also where it is not closed');
    assert.match(chosen('---\nla|\n---\n', 'labels'), /^---\nlabels:\n {2}- \$1\n---\n/);
  });

  it('offers values, models, labels and variables', () => {
    assert.deepEqual(labelsAt('---\nper_turn: |\n---\n'), ['true', 'false']);
    assert.deepEqual(labelsAt('---\nmodel: |\n---\n'), ['fast', 'openai:']);
    assert.deepEqual(labelsAt('---\nlabels: [rude, |]\n---\n'), ['kind']);
    assert.deepEqual(labelsAt('---\nvariables:\n  - |\n---\n'), ['city']);
    assert.equal(chosen('---\nmodel: "f|\n---\n', 'fast'), '---\nmodel: "fast"\n---\n');
  });

  it('offers variables within braces', () => {
    const labels = labelsAt('---\nvariables: [name]\n---\nJudge {{|\n');
    assert.ok(labels.includes('conversation') && labels.includes('context.name'));
    assert.ok(labels.includes('context.city'));
    assert.ok(labelsAt('No front matter {{con|').includes('conversation'));
    assert.equal(chosen('Is {{con|}} good?\r\n', 'conversation'), 'Is {{conversation}} good?\r\n');
    assert.equal(chosen('{{context.|', 'context.city'), '{{context.city}}');
  });

  it('offers nothing else in the text, on the fences or in comments', () => {
    for (const marked of [
      '---\nname: x\n---\nna|',
      'na|',
      '|---\n---\n',
      '---\n# na|\n---\n',
      '---\nname: na|\n---\n',
    ]) {
      assert.deepEqual(labelsAt(marked), [], marked);
    }
  });
});
