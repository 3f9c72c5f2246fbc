import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { definition } from '../../../../src/language/features/definition.ts';
import { markedFiles, nameOf, shown } from '../../../support/namedFiles.ts';

/** `file 3: words` of each place. */
async function goTo(files: string | Readonly<Record<string, string>>): Promise<string[]> {
  const all = typeof files === 'string' ? { 'suite.eval.yaml': files } : files;
  const { path, position, ports, texts } = await markedFiles(all);
  const found = await definition(path, position, ports);
  return found.map(({ uri, range }) => `${nameOf(uri)} ${shown(texts[nameOf(uri)] ?? '', range)}`);
}

const NAMES = `models:
  gpt: openai:gpt-5-mini
  "the judge": { provider: replay, model: m, path: ./r.jsonl }
targets:
  bot: { type: chat, model: gpt }
tools:
  - name: lookup
  - type: function
    function: { name: refund }
`;

describe('go to definition', () => {
  it('leads from a judge to its model', async () => {
    assert.deepEqual(await goTo(`${NAMES}judge: g|pt\n`), ['suite.eval.yaml 2: gpt']);
  });

  it('leads from the judge of an assertion in quotes to a key in quotes', async () => {
    const text = `${NAMES}defaults:\n  assert:\n    - { type: criterion, criterion: x, judge: 'the j|udge' }\n`;
    assert.deepEqual(await goTo(text), ['suite.eval.yaml 3: the judge']);
  });

  it("leads from a target's model to the model", async () => {
    const text = NAMES.replace('model: gpt', 'model: gp|t');
    assert.deepEqual(await goTo(text), ['suite.eval.yaml 2: gpt']);
  });

  it('leads from a target to its mapping', async () => {
    const text = `${NAMES}cases:\n  - id: a\n    target: bot|\n`;
    assert.deepEqual(await goTo(text), ['suite.eval.yaml 5: bot']);
  });

  it('leads from the model of an embedding to the model', async () => {
    const text = `${NAMES}cases:\n  - id: a\n    assert: [{ type: similar, value: x, model: |gpt }]\n`;
    assert.deepEqual(await goTo(text), ['suite.eval.yaml 2: gpt']);
  });

  it('leads nowhere from provider:model, and from a name that is not there', async () => {
    assert.deepEqual(await goTo('judge: openai:gp|t-5\n'), []);
    assert.deepEqual(await goTo(`${NAMES}judge: clau|de\n`), []);
  });

  for (const [what, assertion] of [
    ['tool-called', '{ type: tool-called, name: loo|kup }'],
    ['tool-not-called', '{ type: tool-not-called, name: loo|kup }'],
    ['tool-sequence', '{ type: tool-sequence, tools: [loo|kup] }'],
    ['tool-sequence with arguments', '{ type: tool-sequence, tools: [{ name: loo|kup }] }'],
  ]) {
    it(`leads from ${what} to the tool`, async () => {
      const text = `${NAMES}cases:\n  - id: a\n    assert: [${assertion}]\n`;
      assert.deepEqual(await goTo(text), ['suite.eval.yaml 7: lookup']);
    });
  }

  it("leads to a tool in OpenAI's wrapper, from inside a group", async () => {
    const text = `${NAMES}cases:\n  - id: a\n    assert:\n      - type: any-of\n        assert:\n          - { type: tool-called, name: ref|und }\n`;
    assert.deepEqual(await goTo(text), ['suite.eval.yaml 9: refund']);
  });

  const graph = (body: string) =>
    `cases:\n  - id: a\n    assert:\n      - type: decision-graph\n${body}`;
  const nodes = `        nodes:
          ask: { type: yes-no, question: Is it?, if_yes: tone, if_no: 0 }
          tone:
            type: choice
            question: How?
            choices: { rude: end, kind: 10 }
          work: { type: task, instructions: Do., next: ask }
          end: { type: verdict, score: 1 }
        start: work
`;
  for (const [branch, to] of [
    ['if_yes: to|ne', '7: tone'],
    ['rude: en|d', '12: end'],
    ['next: a|sk', '6: ask'],
    ['start: wo|rk', '11: work'],
  ] as const) {
    it(`leads from ${branch.replace('|', '')} to its node`, async () => {
      const text = graph(nodes.replace(branch.replace('|', ''), branch));
      assert.deepEqual(await goTo(text), [`suite.eval.yaml ${to}`]);
    });
  }

  it('keeps the nodes of two graphs apart', async () => {
    const two = `${graph(nodes)}      - type: decision-graph\n${nodes.replace('if_yes: tone', 'if_yes: to|ne')}`;
    assert.deepEqual(await goTo(two), ['suite.eval.yaml 17: tone']);
  });

  it('leads from a variable to the context of its own case', async () => {
    const text = `cases:
  - id: a
    context: { city: Paris }
  - id: b
    context:
      city: Rome
    turns:
      - I live in {{ ci|ty }}.
`;
    assert.deepEqual(await goTo(text), ['suite.eval.yaml 6: city']);
  });

  for (const [style, scalar] of [
    ['double quotes', '"in {{ci|ty}} \\u00e9"'],
    ['single quotes', "'it''s {{ci|ty}}'"],
    ['a block', '>- # {{city}}\n          in 👋\n          {{ci|ty}}'],
    ['several lines', 'in\n          {{ci|ty}}'],
  ]) {
    it(`finds a variable in ${style}`, async () => {
      const text = `cases:\n  - id: a\n    context: { city: Paris }\n    turns:\n      - user: ${scalar}\n`;
      assert.deepEqual(await goTo(text), ['suite.eval.yaml 3: city']);
    });
  }

  it('finds a variable in assertions, their groups, expectations and the role', async () => {
    const text = (one: string) => `cases:\n  - id: a\n    context: { city: Paris }\n    ${one}\n`;
    for (const one of [
      'assert: ["It names {{ci|ty}}."]',
      'assert: [{ type: contains, value: "{{ci|ty}}" }]',
      'assert: [{ type: all-of, assert: ["It names {{ci|ty}}."] }]',
      'expectations: { outcome: "A way to {{ci|ty}}" }',
      'role: A guide to {{ci|ty}}',
      'assert: [{ type: llm-judge, instructions: "{{conversation}} about {{context.ci|ty}}" }]',
    ]) {
      assert.deepEqual(await goTo(text(one)), ['suite.eval.yaml 3: city'], one);
    }
  });

  it('leads from a variable of the defaults to all cases that have it', async () => {
    const text = `defaults:
  assert: ["It names {{ci|ty}}."]
cases:
  - { id: a, context: { city: Paris } }
  - { id: b, context: { town: Rome } }
  - { id: c, context: { city: Bonn } }
`;
    assert.deepEqual(await goTo(text), ['suite.eval.yaml 4: city', 'suite.eval.yaml 6: city']);
  });

  const suite = `models: { gpt: openai:gpt-5 }
include: [more.cases.yaml]
cases:
  - id: a
    context: { city: Paris }
    transcript: ./talks/a.json
    assert: [{ type: llm-judge, prompt: ./judge.md }, { type: script, path: check.ts }]
`;
  const beside = {
    'suite.eval.yaml': suite,
    'more.cases.yaml': 'cases:\n  - { id: b, judge: gpt }\n',
    'judge.md':
      '---\nvariables: [city]\nmodel: gpt\n---\nIs {{context.city}} in {{conversation}}?\n',
    'talks/a.json': '[]',
    'check.ts': '',
  };
  const marked = (file: keyof typeof beside, before: string) =>
    goTo({ ...beside, [file]: beside[file].replace(before.replace('|', ''), before) });

  it('leads from a path to the file', async () => {
    assert.deepEqual(await marked('suite.eval.yaml', './jud|ge.md'), ['judge.md 1: ']);
    assert.deepEqual(await marked('suite.eval.yaml', 'talks|/a'), ['talks/a.json 1: ']);
    assert.deepEqual(await marked('suite.eval.yaml', 'ch|eck.ts'), ['check.ts 1: ']);
    assert.deepEqual(await marked('suite.eval.yaml', 'mo|re.cases'), ['more.cases.yaml 1: ']);
  });

  it('leads to no file that is missing or outside of the workspace', async () => {
    const path = (one: string) => goTo(`cases:\n  - { id: a, transcript: ${one} }\n`);
    assert.deepEqual(await path('./no|thing.json'), []);
    assert.deepEqual(await path('../../etc/pass|wd'), []);
    assert.deepEqual(await path('/etc/pass|wd'), []);
  });

  it('leads from an included file to the suite', async () => {
    assert.deepEqual(await marked('more.cases.yaml', 'judge: g|pt'), ['suite.eval.yaml 1: gpt']);
  });

  it("leads from a prompt's text to its front matter, and from there to the cases", async () => {
    assert.deepEqual(await marked('judge.md', 'context.ci|ty'), ['judge.md 2: city']);
    assert.deepEqual(await marked('judge.md', '[ci|ty]'), ['suite.eval.yaml 5: city']);
  });

  it("leads from a prompt's model to the suite", async () => {
    assert.deepEqual(await marked('judge.md', 'model: g|pt'), ['suite.eval.yaml 1: gpt']);
  });

  it('counts UTF-16 units, also after CRLF, a BOM and emoji', async () => {
    const text = '\uFEFFmodels:\r\n  "👋 مرحبا": openai:x\r\njudge: "👋 مر|حبا"\r\n';
    assert.deepEqual(await goTo(text), ['suite.eval.yaml 2: 👋 مرحبا']);
  });
});
