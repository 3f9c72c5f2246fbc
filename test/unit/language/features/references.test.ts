import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  definition,
  documentLinks,
  references,
} from '../../../../src/language/features/references.ts';
import { symbolsOf } from '../../../../src/language/symbols/symbolTable.ts';
import { parseYaml } from '../../../../src/yaml/yamlDocument.ts';
import { markedFiles, nameOf, pathOf, shown } from '../../../support/namedFiles.ts';
import { ROUNDS, timesAsMuch } from '../../../support/work.ts';

/** Each location as `file 3: words`. */
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

  it('leads nowhere from provider:model or an undeclared name', async () => {
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

  it('distinguishes the nodes of two graphs', async () => {
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

  it('leads to no missing file, and to none outside of the workspace', async () => {
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

async function uses(
  files: string | Readonly<Record<string, string>>,
  includeDeclaration = true,
): Promise<string[]> {
  const all = typeof files === 'string' ? { 'suite.eval.yaml': files } : files;
  const { path, position, ports, texts } = await markedFiles(all);
  const found = await references(path, position, includeDeclaration, ports);
  return found.map(({ uri, range }) => `${nameOf(uri)} ${shown(texts[nameOf(uri)] ?? '', range)}`);
}

describe('references', () => {
  it('finds all uses of a model, and its declaration if requested', async () => {
    const text = `models:
  g|pt: openai:gpt-5
targets:
  bot: { type: chat, model: gpt }
judge: "gpt"
cases:
  - id: gpt
    assert:
      - { type: criterion, criterion: gpt, judge: gpt }
`;
    const places = ['4: gpt', '5: gpt', '9: gpt'].map((one) => `suite.eval.yaml ${one}`);
    assert.deepEqual(await uses(text, false), places);
    assert.deepEqual(await uses(text), ['suite.eval.yaml 2: gpt', ...places]);
  });

  it('distinguishes a model and a target of the same name', async () => {
    const text = `models: { x: openai:x }\ntargets: { x: { type: module, path: a.mjs } }\njudge: x\ntarget: |x\n`;
    assert.deepEqual(await uses(text), ['suite.eval.yaml 2: x', 'suite.eval.yaml 4: x']);
  });

  it('finds program files in a command, and no other words', async () => {
    const text = `cases:
  - id: a
    transcript: [{ user: Hi }, { assistant: x }]
    assert:
      - { type: script, command: [python3, -m, ./order.p|y, --out=a.py] }
      - { type: script, command: [order.py, fast] }
`;
    const places = ['5: ./order.py', '6: order.py'].map((one) => `suite.eval.yaml ${one}`);
    assert.deepEqual(await uses({ 'suite.eval.yaml': text, 'order.py': '' }), places);
    assert.deepEqual(
      await uses({ 'suite.eval.yaml': text.replace('|', '').replace('python3', 'pyt|hon3') }),
      [],
    );
  });

  it('finds a tool in targets, assertions, and recorded calls', async () => {
    const text = `tools: [{ name: book| }]
targets:
  bot: { type: chat, model: openai:x, tool_results: { book: done } }
cases:
  - id: a
    transcript:
      - user: Hi
      - assistant: null
        tool_calls: [{ id: c, type: function, function: { name: book, arguments: "{}" } }]
    assert:
      - { type: tool-called, name: book }
`;
    const found = await uses(text, false);
    assert.deepEqual(
      found,
      ['3: book', '9: book', '11: book'].map((one) => `suite.eval.yaml ${one}`),
    );
  });

  it('omits aliases, which follow their anchors', async () => {
    const text = `models: { gpt: openai:x }\njudge: &j g|pt\ncases:\n  - { id: a, judge: *j }\n`;
    assert.deepEqual(await uses(text), ['suite.eval.yaml 1: gpt', 'suite.eval.yaml 2: gpt']);
  });

  const files = {
    'one.eval.yaml':
      'models: { gpt: openai:x }\ninclude: [more.cases.yaml]\ncases: [{ id: a, judge: gpt }]\n',
    'two.eval.yaml': 'models: { gpt: openai:x }\ninclude: [more.cases.yaml]\n',
    'three.eval.yaml': 'models: { gpt: openai:x }\njudge: gpt\n',
    'more.cases.yaml':
      'cases: [{ id: b, judge: gp|t, assert: [{ type: llm-judge, prompt: ./p.md }] }]\n',
    'p.md': '---\nmodel: gpt\n---\n{{conversation}}\n',
  };

  it('follows a model through included files and prompts, and no further', async () => {
    assert.deepEqual(await uses(files), [
      'more.cases.yaml 1: gpt',
      'one.eval.yaml 1: gpt',
      'one.eval.yaml 3: gpt',
      'p.md 2: gpt',
      'two.eval.yaml 1: gpt',
    ]);
  });

  it("doesn't connect two suites through a file that doesn't mention the model", async () => {
    const silent = {
      ...files,
      'one.eval.yaml': files['one.eval.yaml'].replace('judge: gpt', 'judge: gp|t'),
      'more.cases.yaml': 'cases: [{ id: b }]\n',
    };
    assert.deepEqual(await uses(silent), ['one.eval.yaml 1: gpt', 'one.eval.yaml 3: gpt']);
  });

  it('finds a variable only in its own case, or through the defaults in all cases', async () => {
    const text = (assert: string) => `defaults: { assert: ["${assert}"] }
cases:
  - { id: a, context: { ci|ty: Paris }, turns: ["{{city}}, {{ city }}"] }
  - { id: b, context: { city: Rome }, turns: ["{{city}}"] }
`;
    const own = ['3: city', '3: city', '3: city'].map((one) => `suite.eval.yaml ${one}`);
    assert.deepEqual(await uses(text('It is kind.')), own);
    const all = ['1: city', '3: city', '3: city', '3: city', '4: city', '4: city'];
    assert.deepEqual(
      await uses(text('It names {{city}}.')),
      all.map((one) => `suite.eval.yaml ${one}`),
    );
  });

  it('connects the cases that a prompt judges by its variables', async () => {
    const text = `cases:
  - { id: a, context: { city: x, zip: y }, assert: [{ type: llm-judge, prompt: p.md }] }
  - { id: b, context: { city: x, zip: y }, assert: [{ type: llm-judge, prompt: p.md }] }
  - { id: c, context: { city: x } }
`;
    const prompt = '---\nvariables: [city]\n---\n{{conversation}} {{context.city}}\n';
    const city = { 'suite.eval.yaml': text.replace('city', 'c|ity'), 'p.md': prompt };
    assert.deepEqual(await uses(city), [
      'p.md 2: city',
      'p.md 4: city',
      'suite.eval.yaml 2: city',
      'suite.eval.yaml 3: city',
    ]);
    const zip = { 'suite.eval.yaml': text.replace('zip', 'z|ip'), 'p.md': prompt };
    assert.deepEqual(await uses(zip), ['suite.eval.yaml 2: zip']);
    const inPrompt = { 'suite.eval.yaml': text, 'p.md': prompt.replace('context.c', 'context.|c') };
    assert.deepEqual(await uses(inPrompt), await uses(city));
  });

  it('finds all uses of a file, whatever the notation of its path', async () => {
    const found = await uses({
      'suite.eval.yaml':
        'cases:\n  - { id: a, transcript: ./t.json| }\n  - { id: b, transcript: t.json }\n',
      'other.eval.yaml': 'cases:\n  - { id: a, transcript: "x/../t.json" }\n',
    });
    assert.deepEqual(found, [
      'other.eval.yaml 2: x/../t.json',
      'suite.eval.yaml 2: ./t.json',
      'suite.eval.yaml 3: t.json',
    ]);
  });
});

describe('names', () => {
  it('are omitted if they are written with escapes', () => {
    const text =
      'models: { gpt: openai:x }\njudge: "g\\x70t"\ncases:\n  - id: a\n    context: { a: 1, b: 2 }\n    turns: ["\\x7b{a}} {{b}}", "{{a}} \\n"]\n';
    const names = symbolsOf(parseYaml(text, pathOf('suite.eval.yaml')));
    const gpt = names.find('model', 'gpt', '');
    assert.deepEqual([gpt?.references.length, gpt?.hidden.length], [0, 1]);
    const a = names.find('variable', 'a', 'cases/0');
    assert.deepEqual([a?.references.length, a?.hidden.length], [1, 1]);
  });

  it('are collected in linear time', async () => {
    const one = (index: number) =>
      `  - id: case-${index}\n    judge: gpt\n    context: { city: Paris }\n    turns: ["{{city}}", "Hello"]\n    assert: [{ type: tool-called, name: book }]\n`;
    const named = (count: number) => {
      const cases = Array.from({ length: count }, (_, index) => one(index)).join('');
      const text = `models: { gpt: openai:x }\ncases:\n${cases}`;
      // Symbols are memoized per document.
      const documents = Array.from({ length: ROUNDS }, () =>
        parseYaml(text, pathOf('s.eval.yaml')),
      );
      return (round: number) => {
        const yaml = documents[round];
        assert.equal(yaml && symbolsOf(yaml).find('model', 'gpt', '')?.references.length, count);
      };
    };
    const ratio = await timesAsMuch(named(150), named(600));
    assert.ok(ratio < 16, `four times as much took ${ratio.toFixed(1)} times as long`);
  });

  it('of a broken file are collected as far as possible', () => {
    const text = 'models:\n  gpt: {provider: openai\njudge: gpt\ncases:\n  - id: [a\n  - {{';
    for (let length = 0; length <= text.length; length += 1) {
      symbolsOf(parseYaml(text.slice(0, length), pathOf('suite.eval.yaml')));
    }
  });
});

describe('document links', () => {
  const links = async (files: Readonly<Record<string, string>>) => {
    const { document, ports, texts } = await markedFiles(files);
    const text = texts['suite.eval.yaml'] ?? '';
    return (await documentLinks(document, ports)).map(
      ({ range, target, tooltip }) =>
        `${shown(text, range)} → ${nameOf(target ?? '')} (${tooltip})`,
    );
  };

  it('cover all paths, without their quotes', async () => {
    const found = await links({
      'suite.eval.yaml': `models:
  r: { provider: replay, model: m, path: ./r.jsonl }
targets:
  t: { type: module, path: "./own.mjs" }
include: ['more.cases.yaml', '*.cases.yaml']
cases:
  - id: a
    transcript: talks/a.json
    assert:
      - { type: llm-judge, prompt: ./judge.md }
      - { type: any-of, assert: [{ type: script, path: check.ts }] }
`,
      'more.cases.yaml': '',
      'judge.md': '',
    });
    assert.deepEqual(found.sort(), [
      '10: ./judge.md → judge.md (Open the file)',
      '11: check.ts → check.ts (Create the file)',
      '2: ./r.jsonl → r.jsonl (Create the file)',
      '4: ./own.mjs → own.mjs (Create the file)',
      '5: more.cases.yaml → more.cases.yaml (Open the file)',
      '8: talks/a.json → talks/a.json (Create the file)',
    ]);
  });

  it("don't lead out of the workspace", async () => {
    const found = await links({
      'suite.eval.yaml': `cases:
  - { id: a, transcript: ../../x.json }
  - { id: b, transcript: /etc/passwd }
  - { id: c, transcript: 'C:\\x.json' }
  - { id: d, transcript: "command:x" }
  - { id: e, transcript: "{{x}}.json" }
  - { id: f, transcript: talks/ }
`,
    });
    assert.deepEqual(found, ['5: command:x → command:x (Create the file)']);
  });

  it("don't lead out of the workspace through a symbolic link", async () => {
    const { document, ports } = await markedFiles({
      'suite.eval.yaml': 'cases: [{ id: a, transcript: out/a.json }]\n',
    });
    const files = {
      ...ports.files,
      realPath: async (path: string) => path.replace(pathOf('out'), '/elsewhere'),
    };
    assert.deepEqual(await documentLinks(document, { ...ports, files }), []);
  });
});
