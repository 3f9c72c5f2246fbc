import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type PromptContext,
  promptCompletion,
  promptContext,
} from '../../../../src/language/completion/promptCompletion.ts';
import { runSync } from '../../../../src/node/cooperative.ts';
import { applied } from '../../../support/language/completing.ts';
import { cursor } from '../../../support/language/cursor.ts';
import { markedFiles, pathOf } from '../../../support/namedFiles.ts';

const KNOWN: PromptContext = {
  snippets: true,
  models: ['fast'],
  variables: ['city'],
  labels: ['rude', 'kind'],
};

function itemsAt(marked: string) {
  const { text, position } = cursor(marked);
  return runSync(promptCompletion(text, position, KNOWN));
}

const labelsAt = (marked: string) => itemsAt(marked).map(({ label }) => label);

function chosen(marked: string, label: string): string {
  const item = itemsAt(marked).find((one) => one.label === label);
  return item ? applied(cursor(marked).text, item) : `There is no ${label}.`;
}

const CASE = 'transcript: [{user: Hi}, {assistant: Hello}]';

/** The names that `judge.md` can use, given these files. */
async function knownOf(files: Readonly<Record<string, string>>) {
  const { ports } = await markedFiles(files);
  return promptContext(pathOf('judge.md'), ports);
}

describe('the names for a judge prompt', () => {
  it('are the models of its suites, the variables of its cases, and labels of other prompts', async () => {
    const known = await knownOf({
      'a.eval.yaml': `models: {fast: openai:a, slow: openai:b}
judge: fast
defaults: {assert: [{type: llm-judge, prompt: other.md}]}
cases:
  - id: one
    context: {city: Rome, day: Monday}
    ${CASE}
    assert: [{type: llm-judge, prompt: judge.md}]
  - id: two
    context: {name: Sarah}
    ${CASE}
`,
      'b.eval.yaml': `models: {unused: openai:c}\ncases:\n  - id: b\n    context: {far: away}\n    ${CASE}\n    assert: [x]\n`,
      'judge.md': '---\nlabels: {own: 1, mine: 0}\n---\n{{conversation}}\n',
      'other.md': '---\nlabels: {rude: 0, kind: 1}\n---\n{{conversation}}\n',
    });
    assert.deepEqual(known, {
      models: ['fast', 'slow'],
      variables: ['city', 'day'],
      labels: ['rude', 'kind'],
    });
  });

  it('come from every case if the defaults use it, and from suites that include its case', async () => {
    const known = await knownOf({
      'a.eval.yaml': `models: {fast: openai:a}
include: [more.cases.yaml]
defaults: {assert: [{type: llm-judge, prompt: judge.md}]}
cases:
  - id: one
    context: {city: Rome}
    ${CASE}
`,
      'more.cases.yaml': `cases:\n  - id: two\n    context: {name: Sarah}\n    ${CASE}\n`,
      'judge.md': '{{conversation}}\n',
    });
    assert.deepEqual(known.variables, ['city', 'name']);
    const included = await knownOf({
      'a.eval.yaml': 'models: {fast: openai:a}\ninclude: [more.cases.yaml]\n',
      'more.cases.yaml': `cases:\n  - id: two\n    context: {name: Sarah}\n    ${CASE}\n    assert: [{type: llm-judge, prompt: judge.md}]\n`,
      'judge.md': '{{conversation}}\n',
    });
    assert.deepEqual(included, { models: ['fast'], variables: ['name'], labels: [] });
  });

  it('are empty if no suite uses it', async () => {
    const known = await knownOf({ 'a.eval.yaml': 'models: {fast: openai:a}\n' });
    assert.deepEqual(known, { models: [], variables: [], labels: [] });
  });
});

describe('completion in a judge prompt', () => {
  it('offers the keys of the front matter', () => {
    const labels = labelsAt('---\nname: x\n|\n---\nBody\n');
    assert.ok(labels.includes('labels') && labels.includes('threshold'));
    assert.ok(!labels.includes('name'));
    assert.ok(labelsAt('---\n|\n---\n').includes('name'), 'also of an empty one');
    assert.ok(labelsAt('---\nna|').includes('name'), 'also where it is not closed');
    assert.match(chosen('---\nla|\n---\n', 'labels'), /^---\nlabels:\n {2}\$1\n---\n/);
  });

  it('offers values, models, labels, and variables', () => {
    assert.deepEqual(labelsAt('---\nper_turn: |\n---\n'), ['true', 'false']);
    assert.deepEqual(labelsAt('---\nmodel: |\n---\n'), [
      'fast',
      'openai:',
      'azure-openai:',
      'ollama:',
      'vscode:',
    ]);
    assert.deepEqual(labelsAt('---\nlabels: {rude: 0, |}\n---\n'), ['kind']);
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

  it('offers nothing else in the text, on the fences, or in comments', () => {
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
