import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { CaseLine } from '../../../../src/core/record/runRecord.ts';
import type { Assertion } from '../../../../src/core/suite.ts';
import type { Verdict } from '../../../../src/core/verdict.ts';
import { hover, promptHover } from '../../../../src/language/hover/hover.ts';
import { addQuestionHashes } from '../../../../src/runner/case/caseLine.ts';
import { buildVerdict } from '../../../support/build.ts';
import { buildCaseLine, talk } from '../../../support/buildRun.ts';
import { documentOf } from '../../../support/language/evalDocument.ts';
import { markedFiles, shown as shownAt } from '../../../support/namedFiles.ts';

type Files = string | Readonly<Record<string, string>>;

async function hovered(files: Files, lines: readonly CaseLine[] = []) {
  const all = typeof files === 'string' ? { 'suite.eval.yaml': files } : files;
  const marked = await markedFiles(all);
  const { path, position, document } = marked;
  const found = path.endsWith('.md')
    ? await promptHover(path, position, marked.ports)
    : await hover(document, position, { lastRuns: async () => lines }, marked.ports);
  const contents = found?.contents;
  const value = typeof contents === 'object' && 'value' in contents ? contents.value : '';
  const text = marked.texts[path.split('/').at(-1) ?? ''] ?? '';
  return { value: plain(value), markdown: value, at: found?.range && shownAt(text, found.range) };
}

/** Markdown as a reader sees it, with escapes resolved. */
function plain(markdown: string): string {
  return markdown.replace(/&#(\d+);/g, (_entity, code: string) =>
    String.fromCharCode(Number(code)),
  );
}

const hoverAt = async (files: Files, ...lines: CaseLine[]) => (await hovered(files, lines)).value;
const escapedAt = async (files: Files, ...lines: CaseLine[]) =>
  (await hovered(files, lines)).markdown;

describe('hover on a simulated conversation', () => {
  const marked = `cases:
  - id: one
    simul|ate: {goal: Return it.}
    assert: [It is kind.]
`;

  it('shows why it ended in the last run', async () => {
    const line = buildCaseLine({
      id: 'one',
      status: 'pass',
      origin: 'simulate',
      stop_reason: 'goal-refused',
      stop_rationale: 'It *cannot* be done.',
    });
    const { value, markdown } = await hovered(marked, [line]);
    assert.match(value, /Ended: goal refused: It \*cannot\* be done\./);
    assert.ok(!markdown.includes('*cannot*'));
  });
});

describe('hover on keys, types, and verdicts', () => {
  const text = (marked: string) =>
    `cases:\n  - id: one\n    transcript:\n${marked}    assert:\n      - {type: contains, value: x}\n`;
  const messages = '      - user: Hi\n      - assistant: Hello\n';
  const line = buildCaseLine({
    id: 'one',
    status: 'fail',
    verdicts: [
      buildVerdict({
        name: 'Remembers',
        status: 'fail',
        score: 0.25,
        turns: [
          {
            turn: 2,
            status: 'fail',
            score: 0.25,
            rationale: 'Forgot <img src=x> the [order](command:x).',
            evidence: { text: 'Hello', verified: true },
          },
        ],
      }),
    ],
  });

  it('explains a key', async () => {
    assert.match(await hoverAt('cas|es: []\n'), /\*\*cases\*\*/);
  });

  it('explains an assertion type with its formula', async () => {
    const marked = text(messages).replace('contains', 'cont|ains');
    assert.match(await hoverAt(marked), /Score: 1 if/);
  });

  it('marks a key as required only if it is', async () => {
    const assertion = (keys: string) =>
      `cases:\n  - id: one\n    assert:\n      - {type: contains, ${keys}}\n`;
    assert.match(await hoverAt(assertion('val|ue: x')), /_\(required\)_/);
    assert.doesNotMatch(await hoverAt(assertion('value: x, ignore|_case: true')), /required/);
    assert.doesNotMatch(await hoverAt(assertion('value: x, neg|ate: true')), /required/);
  });

  it("shows a turn's last verdict with score, rationale, and quote", async () => {
    const shown = await hoverAt(text(messages.replace('Hello', 'He|llo')), line);
    assert.match(shown, /Turn 2: failed.*score 0\.25/);
    assert.match(shown, /Remembers/);
    assert.match(shown, /“Hello”/);
  });

  it('escapes texts of an agent or a judge', async () => {
    const shown = await escapedAt(text(messages.replace('Hello', 'He|llo')), line);
    assert.ok(!shown.includes('<img') && !shown.includes('](command'), shown);
  });

  it('shows that the case has changed since', async () => {
    const shown = await hoverAt(text(messages.replace('Hello', 'He|llo')), line);
    assert.match(shown, /has changed since this run/);
  });

  it("shows that the judge's answer came from the cache", async () => {
    const recalled = structuredClone(line);
    const [verdict] = recalled.verdicts;
    if (verdict) verdict.usage = { ...verdict.usage, calls: 0, from_cache: 1 };
    const shown = await hoverAt(text(messages.replace('Hello', 'He|llo')), recalled);
    assert.match(shown, /Remembers\*\* — failed, 0\.25, from the cache/);
    const marked = text(messages).replace('value: x', 'val|ue: x');
    assert.match(await hoverAt(marked, recalled), /threshold 0\.50\), from the cache/);
    assert.doesNotMatch(await hoverAt(marked, line), /cache/);
  });

  it("marks a quote that isn't in the turn", async () => {
    const unverified = structuredClone(line);
    const entry = unverified.verdicts[0]?.turns[0];
    if (entry) entry.evidence = { text: 'Invented', verified: false };
    const shown = await hoverAt(text(messages.replace('Hello', 'He|llo')), unverified);
    assert.match(shown, /not found in this turn/);
  });

  it('shows the whole case on its id, and an assertion on its line', async () => {
    assert.match(await hoverAt(text(messages).replace('one', 'o|ne'), line), /Last run.*failed/);
    const marked = text(messages).replace('value: x', 'val|ue: x');
    assert.match(await hoverAt(marked, line), /Remembers\*\* — failed, 0\.25 \(threshold 0\.50\)/);
  });
});

describe('hover on keys', () => {
  const assertion = (keys: string) =>
    `cases:\n  - id: one\n    assert:\n      - { type: tool-sequence, tools: [x], ${keys} }\n`;

  it('shows the default and the allowed values', async () => {
    const value = await hoverAt(assertion('ma|tch: exact'));
    assert.match(value, /Default: `in-order`/);
    assert.match(
      value,
      /Values: `exact`, `in-order`, `any-order`, `unordered`, `subset`, `superset`/,
    );
  });

  it("shows the type's own threshold", async () => {
    assert.match(await hoverAt(assertion('thres|hold: 1')), /Default: `1`/);
    const graph = 'cases: [{ assert: [{ type: decision-graph, thre|shold: 1 }] }]\n';
    assert.match(await hoverAt(graph), /Default: `0\.5`/);
    assert.doesNotMatch(await hoverAt('cases: [{ thres|hold: 1 }]\n'), /Default/);
  });

  it('keeps a long list of values short', async () => {
    const value = await hoverAt('cases: [{ assert: [{ ty|pe: contains }] }]\n');
    assert.match(value, /… \(\d+ in total\)/);
  });

  it('shows formula and example of an assertion type', async () => {
    const value = await hoverAt('cases: [{ assert: [{ type: tool-seq|uence }] }]\n');
    assert.match(value, /Score: /);
    assert.match(value, /```yaml\n- type: tool-sequence/);
  });

  it("shows only the key's documentation", async () => {
    assert.equal((await hovered(assertion('"ma|tch": exact'))).at, '4: "match"');
  });
});

describe('hover on names', () => {
  const NAMES = `models:
  gpt:
    provider: openai
    model: gpt-5-mini
    base_url: https://user:secret@example.com/v1?key=secret
    headers: { Authorization: secret }
    price: { input: 0.25, output: 2 }
  short: openai:gpt-5
targets:
  bot: { type: chat, model: gpt }
  program: { type: command, command: [./agent, --key=secret], env: { KEY: secret } }
tools:
  - name: lookup
    description: Finds an *order*.
    parameters: { type: object, required: [id], properties: { id: { type: string, description: Its number }, deep: { type: [boolean, 'null'] } } }
`;

  it('shows a model without its secrets', async () => {
    const { value, at } = await hovered(`${NAMES}judge: "g|pt"\n`);
    assert.equal(at, '16: gpt');
    assert.equal(
      value,
      '**gpt** — model\n\n- provider: openai\n- model: gpt-5-mini\n- base_url: https://example.com/v1\n- price: 0.25 per million input tokens, 2 per million output tokens',
    );
  });

  it('shows a model in its short form, also on its own name', async () => {
    assert.equal(
      await hoverAt(NAMES.replace('short:', 'sho|rt:')),
      '**short** — model openai:gpt-5',
    );
  });

  it('shows a target without arguments and variables', async () => {
    assert.equal(
      await hoverAt(`${NAMES}target: bo|t\n`),
      '**bot** — target\n\n- type: chat\n- model: gpt',
    );
    const program = await hoverAt(`${NAMES}target: pro|gram\n`);
    assert.equal(program, '**program** — target\n\n- type: command\n- program: ./agent');
  });

  it('shows a tool with its parameters', async () => {
    const text = `${NAMES}cases:\n  - id: a\n    assert: [{ type: tool-called, name: look|up }]\n`;
    assert.equal(
      await hoverAt(text),
      '**lookup** — tool\n\nFinds an *order*.\n\n- id (string, required): Its number\n- deep (boolean or null)',
    );
    assert.ok(!(await escapedAt(text)).includes('*order*'));
  });

  const graph = `cases:
  - id: a
    assert:
      - type: decision-graph
        start: first
        nodes:
          first: { type: yes-no, question: "Is it <b>so</b>?", if_yes: second, if_no: 0 }
          second: { type: choice, question: How?, choices: { rude: 0, kind: last } }
          last: { type: assertion, assert: { type: contains, value: x } }
`;

  it("shows the next nodes of a graph's node", async () => {
    assert.equal(
      await hoverAt(graph.replace('start: first', 'start: fir|st')),
      '**first** — node, yes-no\n\nIs it <b>so</b>?\n\n- yes → second\n- no → 0',
    );
    assert.equal(
      await hoverAt(graph.replace('second:', 'seco|nd:')),
      '**second** — node, choice\n\nHow?\n\n- rude → 0\n- kind → last',
    );
    assert.equal(
      await hoverAt(graph.replace('kind: last', 'kind: la|st')),
      '**last** — node, assertion\n\n- decided by → contains',
    );
    assert.ok(!(await escapedAt(graph.replace('first }', 'fi|rst }'))).includes('<b>'));
  });

  const city = (turn: string) =>
    `cases:\n  - id: a\n    context: { city: Paris, list: [1, { x: y }] }\n    turns: ["${turn}"]\n`;

  it("shows a variable's value", async () => {
    assert.equal(await hoverAt(city('In {{ ci|ty }}')), '**city** — Paris');
    assert.equal(await hoverAt(city('In {{li|st}}')), '**list** — [1,{"x":"y"}]');
    assert.equal(await hoverAt(city('In {{no|ne}}')), '');
    assert.equal((await hovered(city('In {{ci|ty}} and {{list}}'))).at, '4: city');
  });

  const judged = {
    'suite.eval.yaml': `models: { gpt: openai:x }
cases:
  - { id: a, context: { city: Paris }, assert: [{ type: llm-judge, prompt: ./judge.md }] }
  - { id: b, context: { city: Rome }, assert: [{ type: llm-judge, prompt: ./judge.md }] }
`,
    'judge.md': `---\nmodel: gpt\n---\n{{conversation}} in {{context.city}}\n`,
  };
  const at = (file: keyof typeof judged, before: string) =>
    hoverAt({ ...judged, [file]: judged[file].replace(before.replace('|', ''), before) });

  it('shows in a prompt the value of each case, and the model', async () => {
    assert.equal(await at('judge.md', 'context.ci|ty'), '**city**\n\n- a: Paris\n- b: Rome');
    assert.equal(await at('judge.md', 'model: g|pt'), '**gpt** — model openai:x');
    assert.equal(await at('judge.md', 'conver|sation'), '');
  });

  it("shows a file's head as text", async () => {
    assert.equal(
      await at('suite.eval.yaml', './jud|ge.md'),
      '**./judge.md**\n\n```text\n---\nmodel: gpt\n---\n{{conversation}} in {{context.city}}\n\n```',
    );
  });

  it('shows twelve lines, with escaped content', async () => {
    const hostile = ['```', '[x](command:quit)', '````', '<img src=x>', ...'abcdefghijkl'].join(
      '\n',
    );
    const value = await hoverAt({
      'suite.eval.yaml': 'cases: [{ id: a, transcript: ./t.j|son }]\n',
      't.json': hostile,
    });
    const lines = value.split('\n');
    assert.deepEqual(lines.slice(2, 4), ['`````text', '```']);
    assert.deepEqual(lines.slice(-3), ['h', '…', '`````']);
  });

  it('shows that a file is missing, and reads none outside of the workspace', async () => {
    const path = (one: string) => hoverAt(`cases: [{ id: a, transcript: ${one} }]\n`);
    assert.equal(await path('./t.j|son'), '**./t.json** — this file does not exist yet.');
    assert.doesNotMatch(await path('../../etc/pas|swd'), /passwd/);
  });
});

describe('hover on turn numbers', () => {
  const transcript = (at: string) => `cases:
  - id: a
    transcript: [{ user: Hi }, { user: Are you there? }, { assistant: "*Yes*" }, { user: Bye }, { assistant: Ciao }]
    assert: [{ type: criterion, criterion: x, at: ${at} }]
`;

  it('shows the text of the turn', async () => {
    const { value, at, markdown } = await hovered(transcript('|2'));
    assert.deepEqual([value, at], ['**Turn 2** (assistant): *Yes*', '4: 2']);
    assert.ok(!markdown.includes('*Yes*'));
    assert.equal(await hoverAt(transcript('|1')), '**Turn 1** (user): Hi Are you there?');
  });

  it('counts turns of a history, and live turns from the end', async () => {
    const live = (at: string) => `target: { type: module, path: ./agent.mjs }
cases:
  - id: one
    history: [{ user: Hi }, { assistant: Hello }]
    turns: [Bye]
    assert: [{ type: criterion, criterion: x, at: ${at} }]
`;
    assert.equal(await hoverAt(live('|2')), '**Turn 2** (assistant): Hello');
    assert.equal(await hoverAt(live('|3')), '**Turn 3** (user): Bye');
    assert.match(await hoverAt(live('-|1')), /Turn 4.*the target's reply, when it runs/);
  });

  it('counts from the end, and shows a turn of a list', async () => {
    assert.equal(await hoverAt(transcript('-|1')), '**Turn 4** (assistant): Ciao');
    assert.equal(await hoverAt(transcript('[2, |4]')), '**Turn 4** (assistant): Ciao');
  });

  it('shows the turns of a range', async () => {
    assert.equal(
      await hoverAt(transcript('"2-|9"')),
      '**Turn 2** (assistant): *Yes*\n\n**Turn 3** (user): Bye\n\n**Turn 4** (assistant): Ciao',
    );
    const huge = transcript('"1-99999|9999"');
    assert.match(await hoverAt(huge), /Turn 4/);
  });

  it('shows nothing if there is no such turn', async () => {
    assert.equal(await hoverAt(transcript('|9')), '');
    assert.equal(await hoverAt(transcript('|0')), '');
  });

  it('reads a transcript in a file', async () => {
    const files = {
      'suite.eval.yaml':
        'cases: [{ id: a, transcript: t.json, assert: [{ type: criterion, criterion: x, at: |2 }] }]\n',
      't.json': '[{"role":"user","content":"Hi"},{"role":"assistant","content":"Hello"}]',
    };
    assert.equal(await hoverAt(files), '**Turn 2** (assistant): Hello');
  });

  const scripted = `targets: { t: { type: module, path: bot.mjs } }
target: t
cases:
  - id: a
    context: { name: Ann }
    turns: ["I am {{name}}", Bye]
    assert: [{ type: criterion, criterion: x, at: 2 }]
`;

  it('shows scripted turns and replies of the last run', async () => {
    const user = scripted.replace(/\{ type: criterion.* \}/, '{ type: user-frustration, at: |1 }');
    assert.equal(await hoverAt(user), '**Turn 1** (user): I am Ann');
    const reply = scripted.replace('at: 2', 'at: |2');
    assert.match(await hoverAt(reply), /^\*\*Turn 2\*\* \(assistant\): the target's reply/);
    const line = buildCaseLine({ id: 'a', status: 'pass', conversation: talk('Hi', 'Hello Ann') });
    assert.match(
      await hoverAt(reply, line),
      /\*\*Turn 2\*\* \(assistant\), in the last run: Hello Ann/,
    );
  });

  it('shows the reply of the last run on the scripted turn that it answers', async () => {
    const line = buildCaseLine({ id: 'a', status: 'pass', conversation: talk('Hi', 'Hello Ann') });
    const said = '**Turn 2** (assistant), in the last run: Hello Ann';
    assert.ok((await hoverAt(scripted.replace('I am', 'I |am'), line)).includes(said));
    assert.equal((await hoverAt(scripted.replace('Bye', 'B|ye'), line)).includes(said), false);
  });
});

describe('hover on assertions, of a record of version 1', () => {
  const text = (assertions: string) =>
    `cases:\n  - id: one\n    transcript: [{ user: Hi }, { assistant: Hello }]\n    assert:\n${assertions}`;
  const verdict = (
    name: string,
    index: number,
    given: Partial<Parameters<typeof buildVerdict>[0]> = {},
  ) =>
    buildVerdict({ status: 'pass', score: 1, name, index, rationale: `About ${name}.`, ...given });

  async function lineOf(marked: string, verdicts: Verdict[], fresh: boolean): Promise<CaseLine> {
    const { document } = await markedFiles({ 'suite.eval.yaml': marked });
    const outline = document.suite.outline[0];
    const hash = fresh ? (outline?.hash ?? '') : 'other';
    const range = outline?.range ?? {
      start: { line: 0, character: 0 },
      end: { line: 0, character: 0 },
    };
    const line = buildCaseLine({ id: 'one', status: 'pass', verdicts });
    return { ...line, source: { ...line.source, range, hash } };
  }

  const said = async (marked: string, verdicts: Verdict[], fresh = true) =>
    hoverAt(marked, await lineOf(marked, verdicts, fresh));

  it("finds the verdict by index if the case hasn't changed", async () => {
    const two = text('      - It is kind.\n      - It is |short.\n');
    const value = await said(two, [verdict('It is kind.', 0), verdict('It is short.', 1)]);
    assert.match(value, /About It is short\./);
    assert.doesNotMatch(value, /changed since/);
  });

  it('finds it by type and name if another was added before it', async () => {
    const inserted = text('      - It is |new.\n      - It is kind.\n');
    const moved = text('      - It is new.\n      - It is |kind.\n');
    const value = await said(moved, [verdict('It is kind.', 0)], false);
    assert.match(value, /has changed since this run/);
    assert.match(value, /About It is kind\./);
    assert.equal(await said(inserted, [verdict('It is kind.', 0)], false), '');
  });

  it('keeps the order of similar assertions', async () => {
    const contains = (value: string) => `      - { type: contains, value: ${value} }\n`;
    const alike = text(`      - Is it new?\n${contains('a')}${contains('|b')}`);
    const first = verdict('contains', 0, { type: 'contains', rationale: 'The first.' });
    const second = verdict('contains', 1, { type: 'contains', rationale: 'The second.' });
    assert.match(await said(alike, [first, second], false), /The second\./);
  });

  it('finds a changed assertion by index', async () => {
    const value = await said(
      text('      - It is very ki|nd.\n'),
      [verdict('It is kind.', 0)],
      false,
    );
    assert.match(value, /About It is kind\./);
  });

  const group = `      - type: any-of
        assert:
          - It is kind.
          - type: all-of
            assert: [It is short., It is true.]
`;
  const nested = [
    verdict('any-of', 0, {
      type: 'any-of',
      nested: [
        verdict('It is kind.', 0),
        verdict('all-of', 0, {
          type: 'all-of',
          nested: [verdict('It is short.', 0), verdict('It is true.', 0)],
        }),
      ],
    }),
  ];

  it('shows the verdicts of nested assertions', async () => {
    for (const [cursor, name] of [
      ['any-|of', 'any-of'],
      ['It is ki|nd.', 'It is kind.'],
      ['all-|of', 'all-of'],
      ['It is sh|ort.', 'It is short.'],
      ['It is tr|ue.', 'It is true.'],
    ] as const) {
      const marked = text(group.replace(cursor.replace('|', ''), cursor));
      assert.match(await said(marked, nested), new RegExp(`About ${name}`), name);
      assert.match(await said(marked, nested, false), new RegExp(`About ${name}`), `stale ${name}`);
    }
  });

  const graph = `      - type: decision-graph
        nodes:
          ask: { type: yes-no, question: Is it?, if_yes: good, if_no: bad }
          good: { type: assertion, assert: It is kind. }
          bad: { type: assertion, assert: It is rude. }
`;
  const end = verdict('It is rude.', 0, { line: 9 });
  const came = [verdict('decision-graph', 0, { type: 'decision-graph', nested: [end] })];

  it("shows the node where a graph ended, and which assertion it didn't reach", async () => {
    const marked = (cursor: string) => text(graph.replace(cursor.replace('|', ''), cursor));
    assert.match(await said(marked('It is ru|de.'), came), /About It is rude\./);
    assert.match(await said(marked('It is ki|nd.'), came), /did not reach this assertion/);
    assert.match(await said(marked('Is i|t?'), came), /About decision-graph\./);
  });
});

describe('hover on assertions', () => {
  const text = (assertions: string) =>
    `cases:\n  - id: one\n    transcript: [{ user: Hi }, { assistant: Hello }]\n    assert:\n${assertions}`;
  const contains = (value: string) => `      - { type: contains, value: ${value} }\n`;

  /** The hover at the cursor in `marked`, with the results of a run of the text `ran`. */
  async function saidAt(ran: string, marked: string): Promise<string> {
    const { suite } = await documentOf(ran);
    const [suiteCase] = suite.suite?.cases ?? [];
    assert.ok(suiteCase);
    const verdictOf = ({ key, index, type, params, nested = [], ...rest }: Assertion): Verdict => ({
      ...buildVerdict({ status: 'pass', score: 1, key, index, type, name: rest.name }),
      rationale: `About ${params.value ?? params.criterion ?? type}.`,
      nested: nested.map(({ assertion }) => verdictOf(assertion)),
    });
    const verdicts = suiteCase.assertions.map(verdictOf).map(addQuestionHashes(suiteCase));
    const line = buildCaseLine({ id: 'one', status: 'pass', verdicts });
    const { hash } = suiteCase.source;
    return hoverAt(marked, { ...line, source: { ...line.source, hash } });
  }

  it('finds each verdict if others were added before it', async () => {
    const ran = text(contains('a') + contains('b'));
    for (const value of ['a', 'b']) {
      const now = text(contains('new') + contains('a') + contains('b'));
      const said = await saidAt(ran, now.replace(`value: ${value} `, `value: |${value} `));
      assert.match(said, /has changed since this run/);
      assert.match(said, new RegExp(`About ${value}\\.`));
    }
    const inserted = text(contains('|new') + contains('a') + contains('b'));
    assert.equal(await saidAt(ran, inserted), '');
  });

  it('finds it by its question if another of its type was added or removed', async () => {
    assert.match(
      await saidAt(text(contains('a')), text(contains('new') + contains('|a'))),
      /About a/,
    );
    assert.equal(await saidAt(text(contains('a')), text(contains('|new') + contains('a'))), '');
    assert.match(
      await saidAt(text(contains('a') + contains('b')), text(contains('|b'))),
      /About b/,
    );
  });

  it('finds the only one of its type after its question was changed', async () => {
    const said = await saidAt(text(contains('a')), text(contains('|b')));
    assert.match(said, /has changed since this run/);
    assert.match(said, /About a/);
  });

  it('finds a nested one, even if the group has a different key now', async () => {
    const group = (inner: string) => `      - { type: all-of, assert: [${inner}] }\n`;
    const ran = text(group('It is kind., It is short.'));
    const inserted = text(group('It is new., It is kind., It is |short.'));
    assert.match(await saidAt(ran, inserted), /About It is short/);
    assert.match(await saidAt(text(group('a, b')), text(group('new') + group('a, |b'))), /About b/);
  });
});
