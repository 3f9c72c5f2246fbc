import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { TextEdit } from 'vscode-languageserver-types';
import { prepareRename, rename } from '../../../../src/language/features/rename.ts';
import { parseYaml } from '../../../../src/yaml/yamlDocument.ts';
import { markedFiles, nameOf, pathOf, shown } from '../../../support/namedFiles.ts';

type Texts = Readonly<Record<string, string>>;

/** The files after a rename, or the reason why it was refused. */
async function renamed(files: string | Texts, to: string): Promise<string | Texts> {
  const all = typeof files === 'string' ? { 'suite.eval.yaml': files } : files;
  const { path, position, ports, texts } = await markedFiles(all);
  const found = await rename(path, position, to, ports);
  if (!found) return 'nothing';
  if ('message' in found) return found.message;
  const after: Record<string, string> = { ...texts };
  for (const [uri, edits] of Object.entries(found.edit.changes ?? {})) {
    after[nameOf(uri)] = applied(texts[nameOf(uri)] ?? '', edits);
  }
  return typeof files === 'string' ? (after['suite.eval.yaml'] ?? '') : after;
}

function applied(text: string, edits: readonly TextEdit[]): string {
  const { offsetAt } = parseYaml(text, '');
  return [...edits]
    .sort((a, b) => offsetAt(b.range.start) - offsetAt(a.range.start))
    .reduce(
      (done, { range, newText }) =>
        done.slice(0, offsetAt(range.start)) + newText + done.slice(offsetAt(range.end)),
      text,
    );
}

describe('rename', () => {
  it('changes a target and a model in variants too', async () => {
    const text = (target: string, model: string) => `models: {${model}: openai:gpt}
targets: {${target}: {type: chat, model: ${model}}}
variants:
  a: {target: ${target}}
  b: {model: ${model}}
cases:
  - {id: one, turns: [Hi], variants: {c: {target: ${target}}}, assert: [x]}
`;
    const before = text('bot', 'gpt');
    const marked = (name: string) =>
      before.replace(`${name}: `, `${name.slice(0, 1)}|${name.slice(1)}: `);
    assert.equal(await renamed(marked('bot'), 'agent'), text('agent', 'gpt'));
    assert.equal(await renamed(marked('gpt'), 'mini'), text('bot', 'mini'));
  });

  it('changes all occurrences of a model, and keeps their quotes', async () => {
    const before = `models:
  gpt: openai:gpt # the gpt
  'other': openai:x
targets:
  bot: { type: chat, model: "gpt" }
judge: 'g|pt'
cases:
  - id: gpt
    judge: >-
      gpt
    assert: [{ type: criterion, criterion: gpt, judge: gpt }]
`;
    assert.equal(
      await renamed(before, 'mini'),
      `models:
  mini: openai:gpt # the gpt
  'other': openai:x
targets:
  bot: { type: chat, model: "mini" }
judge: 'mini'
cases:
  - id: gpt
    judge: >-
      mini
    assert: [{ type: criterion, criterion: gpt, judge: mini }]
`,
    );
  });

  it('changes topics and tags in all cases of all files of the suite', async () => {
    const files = {
      'a.eval.yaml':
        'topics: [Ord|ers]\ninclude: [b.cases.yaml]\ndefaults: {tags: [slow]}\ncases:\n  - id: a\n    topics: [Orders, Refunds]\n',
      'b.cases.yaml': 'cases:\n  - id: b\n    topics: ["Orders"]\n    tags: [slow]\n',
    };
    assert.deepEqual(await renamed(files, 'Parcels'), {
      'a.eval.yaml': files['a.eval.yaml']
        .replace('Ord|ers', 'Parcels')
        .replace('Orders', 'Parcels'),
      'b.cases.yaml': files['b.cases.yaml'].replace('Orders', 'Parcels'),
    });
    const tagged = {
      ...files,
      'a.eval.yaml': files['a.eval.yaml'].replace('|', '').replace('slow', 's|low'),
    };
    assert.deepEqual(await renamed(tagged, 'weekly'), {
      'a.eval.yaml': tagged['a.eval.yaml'].replace('s|low', 'weekly'),
      'b.cases.yaml': files['b.cases.yaml'].replace('slow', 'weekly'),
    });
  });

  it('changes a tool in the calls of a transcript in any dialect', async () => {
    const text = (name: string, marked = name) =>
      `tools: [{ name: ${marked} }]\ncases:\n  - id: a\n    transcript:\n      - { role: assistant, content: [{ type: tool_use, id: x, name: ${name} }] }\n      - { role: assistant, tool_calls: [{ id: y, function: { name: ${name} } }] }\n`;
    assert.equal(await renamed(text('find', 'fi|nd'), 'look_up'), text('look_up'));
  });

  it("quotes a name that YAML wouldn't read as text", async () => {
    const text = 'targets: { b|ot: { type: module, path: a.mjs }, }\ntarget: bot\n';
    assert.equal(
      await renamed(text, 'true'),
      'targets: { "true": { type: module, path: a.mjs }, }\ntarget: "true"\n',
    );
    assert.equal(
      await renamed(text, "it's, [mine]"),
      'targets: { "it\'s, [mine]": { type: module, path: a.mjs }, }\ntarget: "it\'s, [mine]"\n',
    );
    const quoted = `targets: { 'b|ot': { type: module, path: a.mjs } }\ntarget: "bot"\n`;
    assert.equal(
      await renamed(quoted, `it's "it"`),
      `targets: { 'it''s "it"': { type: module, path: a.mjs } }\ntarget: "it's \\"it\\""\n`,
    );
  });

  it('changes a tool together with its calls and assertions', async () => {
    assert.equal(
      await renamed(
        'tools: [{ name: book }]\ncases:\n  - id: a\n    assert: [{ type: tool-called, name: bo|ok }, { type: tool-sequence, tools: [book, { name: book }] }]\n',
        'reserve',
      ),
      'tools: [{ name: reserve }]\ncases:\n  - id: a\n    assert: [{ type: tool-called, name: reserve }, { type: tool-sequence, tools: [reserve, { name: reserve }] }]\n',
    );
  });

  it('changes a node in its own graph', async () => {
    const graph = (name: string) =>
      `      - type: decision-graph\n        start: ${name}\n        nodes:\n          ${name}: { type: yes-no, question: "${name}?", if_yes: 1, if_no: end }\n          end: { type: verdict, score: 1 }\n`;
    const text = (first: string, second: string) =>
      `cases:\n  - id: a\n    assert:\n${first}${second}`;
    assert.equal(
      await renamed(text(graph('ask').replace('start: ask', 'start: as|k'), graph('ask')), 'begin'),
      text(graph('begin').replace('begin?', 'ask?'), graph('ask')),
    );
  });

  it('changes a variable in all texts of its case, and nowhere else', async () => {
    const text = (name: string, mark: string) => `cases:
  - id: a
    context:
      ${name}: Paris
    turns:
      - user: "In {{ ${mark} }}, 👋 {{${name}}}"
        expected: '{{${name}}}'
    assert: ["{{${name}}} is named"]
  - { id: b, context: { city: Rome }, turns: ["{{city}}"] }
`;
    assert.equal(await renamed(text('city', 'ci|ty'), 'town'), text('town', 'town'));
  });

  it('changes a variable of a matrix in all texts of its case', async () => {
    const text = (name: string, mark: string) => `cases:
  - id: a
    matrix: {${name}: [Paris, Rome]}
    turns: ["In {{${mark}}}"]
    assert: ["{{${name}}} is named"]
`;
    assert.equal(await renamed(text('city', 'ci|ty'), 'town'), text('town', 'town'));
  });

  it('changes a variable in the front matter, in the prompt and in each case', async () => {
    const files = (name: string, mark: string) => ({
      'suite.eval.yaml': `cases:
  - { id: a, context: { ${name}: x }, assert: [{ type: llm-judge, prompt: p.md }] }
  - { id: b, context: { ${name}: y }, assert: [{ type: llm-judge, prompt: p.md }] }
  - { id: c, context: { city: z } }
`,
      'p.md': `---\nvariables: [${name}]\n---\n# {{conversation}}\n\n{{ context.${mark} }}\n`,
    });
    assert.deepEqual(await renamed(files('city', 'ci|ty'), 'town'), files('town', 'town'));
  });

  it('changes a model in included files and in prompts', async () => {
    const files = (name: string, mark: string) => ({
      'suite.eval.yaml': `models: { ${name}: openai:x }\ninclude: [more.cases.yaml]\n`,
      'more.cases.yaml': `cases: [{ id: b, judge: ${mark}, assert: [{ type: llm-judge, prompt: p.md }] }]\n`,
      'p.md': `---\nmodel: ${name}\n---\n{{conversation}}\n`,
    });
    assert.deepEqual(await renamed(files('gpt', 'g|pt'), 'mini'), files('mini', 'mini'));
  });

  it('keeps CRLF, a BOM, and right-to-left text', async () => {
    assert.equal(
      await renamed('\uFEFFmodels:\r\n  "👋 مرحبا": openai:x\r\njudge: "👋 مر|حبا"\r\n', 'שלום'),
      '\uFEFFmodels:\r\n  "שלום": openai:x\r\njudge: "שלום"\r\n',
    );
  });

  it('refuses an empty, invalid, or taken name', async () => {
    const model = 'models: { g|pt: openai:x, mini: openai:y }\n';
    assert.equal(await renamed(model, ''), 'A model needs a name.');
    assert.match(String(await renamed(model, 'a\nb')), /single line/);
    assert.match(String(await renamed(model, 'a:b')), /provider:model/);
    assert.equal(await renamed(model, 'mini'), 'A model "mini" already exists.');
    const cases = 'cases:\n  - id: on|e\n  - id: two\n';
    assert.equal(await renamed(cases, 'two'), 'A case "two" already exists.');
    assert.match(String(await renamed(cases, 'a b')), /"a b" is not a valid id/);
    const variable = 'cases:\n  - { id: a, context: { ci|ty: x, town: y } }\n';
    assert.equal(await renamed(variable, 'town'), 'A variable "town" already exists.');
    assert.match(String(await renamed(variable, '1st')), /is not a valid variable name/);
    const node =
      'cases:\n  - id: a\n    assert:\n      - { type: decision-graph, nodes: { a|b: { type: verdict, score: 1 }, cd: { type: verdict, score: 1 } } }\n';
    assert.equal(await renamed(node, 'cd'), 'A node "cd" already exists.');
  });

  it('refuses undeclared names, and names written with escapes', async () => {
    assert.match(String(await renamed('judge: g|pt\n', 'x')), /There is no model "gpt"/);
    const hidden = 'models: { g|pt: openai:x }\njudge: "g\\x70t"\n';
    assert.match(
      String(await renamed(hidden, 'x')),
      /contains escape sequences on line 2 of suite\.eval\.yaml/,
    );
  });

  it('refuses an id that another file of the suite has', async () => {
    const files = {
      'suite.eval.yaml': 'include: [more.cases.yaml]\ncases: [{ id: two }]\n',
      'more.cases.yaml': 'cases: [{ id: o|ne }]\n',
    };
    assert.equal(await renamed(files, 'two'), 'A case "two" already exists.');
  });

  it('does not rename files, provider:model or plain words', async () => {
    assert.equal(await renamed('cases: [{ id: a, transcript: a.j|son }]\n', 'x'), 'nothing');
    assert.equal(await renamed('judge: openai:g|pt\n', 'x'), 'nothing');
    assert.equal(await renamed('name: my sui|te\n', 'x'), 'nothing');
  });

  it('prepares with the name and its range, without quotes', async () => {
    const { path, position, ports, texts } = await markedFiles({
      'suite.eval.yaml': 'models: { gpt: openai:x }\njudge: "g|pt"\n',
    });
    const found = await prepareRename(path, position, ports);
    assert.ok(found && 'range' in found);
    assert.equal(found.placeholder, 'gpt');
    assert.equal(shown(texts['suite.eval.yaml'] ?? '', found.range), '2: gpt');
  });

  it('returns the renamed case of every suite that has it', async () => {
    const { path, position, ports } = await markedFiles({
      'one.eval.yaml': 'include: [more.cases.yaml]\n',
      'two.eval.yaml': 'include: [more.cases.yaml]\ncases: [{ id: other }]\n',
      'more.cases.yaml': 'cases:\n  - id: o|ld\n    assert: [x]\n  - id: third\n',
    });
    const found = await rename(path, position, 'new', ports);
    assert.ok(found && 'edit' in found);
    assert.deepEqual(
      found.renamedCases.map(({ suite, from, to }) => [suite, from, to]),
      ['one.eval.yaml', 'two.eval.yaml', 'more.cases.yaml'].map((one) => [
        pathOf(one),
        'old',
        'new',
      ]),
    );
    const after = await markedFiles({
      'more.cases.yaml': 'cases:\n  - id: new\n    assert: [x]\n  - id: third|\n',
    });
    const hashes = [ports, after.ports].map(
      ({ documents }) => documents.find((one) => one.path === path)?.suite.outline[0]?.hash,
    );
    assert.deepEqual(found.renamedCases[0]?.hash, { from: hashes[0], to: hashes[1] });
  });

  it('keeps the records of a duplicate id', async () => {
    const { path, position, ports } = await markedFiles({
      'suite.eval.yaml': 'cases:\n  - id: o|ne\n  - id: one\n',
    });
    const found = await rename(path, position, 'two', ports);
    assert.ok(found && 'edit' in found);
    assert.deepEqual(found.renamedCases, []);
    assert.equal(Object.values(found.edit.changes ?? {}).flat().length, 1);
  });
});
