import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toConversation } from '../../../../src/core/conversation.ts';
import { buildCaseLine } from '../../../support/buildRun.ts';
import { WORKSPACE } from '../../../support/evalFiles.ts';
import { portsOver } from '../../../support/language/codeActions.ts';
import { chosen, inAssert, itemsAt, labelsAt } from '../../../support/language/completing.ts';

const HEAD = `models:
  fast: openai:gpt-5-mini
  taped: {provider: replay, model: gpt-5, path: a.jsonl}
targets:
  bot: {type: module, path: agent.mjs}
topics: [Orders, Refunds]
tools:
  - name: lookup_order
  - function: {name: refund}
`;

describe('completion of names', () => {
  it('offers models and short forms for a judge', async () => {
    const expected = [
      'fast',
      'taped',
      'openai:gpt-5-mini',
      'openai:',
      'azure-openai:',
      'ollama:',
      'vscode:',
    ];
    assert.deepEqual(await labelsAt(`${HEAD}judge: |\n`), expected);
    assert.deepEqual(await labelsAt(`${HEAD}cases:\n  - id: a\n    judge: "|"\n`), expected);
    const assertion = inAssert('      - {type: coherence, judge: |}\n');
    assert.deepEqual(await labelsAt(HEAD + assertion), expected);
    assert.match(await chosen(`${HEAD}judge: op|\n`, 'openai:'), /\njudge: openai:\n/);
  });

  it('offers models in a target, a type, or `models`', async () => {
    assert.ok(
      (
        await labelsAt(`models: {fast: openai:a}\ntargets:\n  bot:\n    type: chat\n    model: |\n`)
      ).includes('fast'),
    );
    assert.ok(
      (await labelsAt(HEAD + inAssert('      - type: similar\n        model: |\n'))).includes(
        'fast',
      ),
    );
    assert.deepEqual(await labelsAt('models:\n  fast: |\n'), [
      'openai:',
      'azure-openai:',
      'ollama:',
      'vscode:',
    ]);
    const editorModels = async () => ['vscode:copilot/gpt-4.1'];
    const known = ['vscode:copilot/gpt-4.1', 'openai:', 'azure-openai:', 'ollama:', 'vscode:'];
    for (const text of ['models:\n  fast: |\n', 'judge: |\n', 'cases:\n  - judge: |\n']) {
      assert.deepEqual(await labelsAt(text, { editorModels }), known);
    }
  });

  it('offers targets and models in a variant', async () => {
    assert.deepEqual(await labelsAt(`${HEAD}variants:\n  warm:\n    target: |\n`), ['bot']);
    const inCase = `${HEAD}cases:\n  - id: a\n    variants:\n      warm:\n        `;
    assert.deepEqual(await labelsAt(`${inCase}target: |\n`), ['bot']);
    assert.ok((await labelsAt(`${inCase}model: |\n`)).includes('fast'));
  });

  it("offers no names for a provider's own model", async () => {
    assert.deepEqual(await labelsAt(`${HEAD}judge:\n  provider: openai\n  model: |\n`), []);
    assert.deepEqual(
      await labelsAt('models: {a: openai:x}\ncases:\n  - id: a\n    context: {model: |}\n'),
      [],
    );
  });

  it('offers targets', async () => {
    assert.deepEqual(await labelsAt(`${HEAD}target: |\n`), ['bot']);
    assert.deepEqual(await labelsAt(`${HEAD}cases:\n  - id: a\n    target: 'b|\n`), ['bot']);
  });

  it('offers tools to the assertions about them', async () => {
    const expected = ['lookup_order', 'refund'];
    for (const lines of [
      '      - type: tool-called\n        name: |\n',
      '      - {type: tool-not-called, name: "|"}\n',
      '      - type: tool-sequence\n        tools: [|]\n',
      '      - type: tool-sequence\n        tools:\n          - name: |\n',
    ]) {
      assert.deepEqual(await labelsAt(HEAD + inAssert(lines)), expected, lines);
    }
    const label = inAssert('      - type: contains\n        name: |\n');
    assert.deepEqual(await labelsAt(HEAD + label), [], 'the name of others is a label');
  });

  it("prefers the case's own tools, and offers those that its transcript calls", async () => {
    const own = `${HEAD}cases:
  - id: a
    tools: [{name: search}]
    transcript:
      - user: Hi
      - assistant: null
        tool_calls: [{id: c1, type: function, function: {name: ping, arguments: '{}'}}]
    assert:
      - type: tool-called
        name: |
`;
    assert.deepEqual(await labelsAt(own), ['search', 'ping']);
  });

  describe('of agents', () => {
    const conversation = toConversation([
      { message: { role: 'user', content: 'Hi' } },
      { message: { role: 'assistant', content: 'One moment.', agent: 'triage' } },
      { message: { role: 'assistant', content: 'Done.', agent: 'refunds: late' } },
    ]);
    const ran: string[] = [];
    const lastRuns = async (_suite: string, id: string) => {
      ran.push(id);
      return id === 'other' ? [buildCaseLine({ id, status: 'pass', conversation })] : [];
    };
    const own = (lines: string) => `cases:
  - id: other
    turns: [Hi]
  - id: a
    transcript:
      - user: Hi
      - assistant: Hello
        agent: billing
    assert:
${lines}`;

    for (const lines of [
      '      - { type: contains, value: a, at: { agent: | } }\n',
      '      - { type: tool-called, name: refund, agent: | }\n',
      '      - type: handoff\n        to: |\n',
      '      - type: handoff\n        to: billing\n        from: |\n',
    ]) {
      it(`offers those of the case and of the last run: ${lines.trim()}`, async () => {
        assert.deepEqual((await labelsAt(own(lines), { lastRuns })).sort(), [
          ...['billing', 'refunds: late', 'triage'],
        ]);
        assert.deepEqual(await labelsAt(own(lines)), ['billing']);
      });
    }

    it('prefers the last run of the case, and writes names so that YAML reads them', async () => {
      const marked = 'cases:\n  - id: other\n    assert:\n      - type: handoff\n        to: |\n';
      ran.length = 0;
      assert.match(await chosen(marked, 'refunds: late', { lastRuns }), /to: "refunds: late"/);
      assert.deepEqual(ran, ['other']);
    });

    it('offers those in a transcript file, and in the defaults those of the first cases', async () => {
      const text = '- user: Hi\n- assistant: Hello\n  agent: sales\n';
      const inFile = portsOver({ 'a.yaml': text });
      const marked =
        'cases:\n  - id: b\n    transcript: ./a.yaml\n    assert:\n      - type: handoff\n        to: |\n';
      assert.deepEqual(await labelsAt(marked, { ...inFile, workspace: WORKSPACE }), ['sales']);
      const defaults = `defaults:\n  assert:\n    - { type: handoff, to: | }\n${own('      - Kind.\n')}`;
      assert.deepEqual(await labelsAt(defaults, { lastRuns }), ['triage', 'refunds: late']);
    });
  });

  it("offers the file's topics to a case, each once", async () => {
    const marked = `${HEAD}cases:\n  - id: a\n    topics:\n      - Orders\n      - |\n`;
    assert.deepEqual(await labelsAt(marked), ['Refunds']);
  });

  it('offers the tags of other cases and of the defaults', async () => {
    const marked = `defaults: {tags: [all]}
cases:
  - id: a
    tags:
      - smoke
      - slow one
  - tags: [fast]
    id: b
  - id: c
    description: >
      tags: [not-one]
    tags: [smoke, |]
`;
    assert.deepEqual(await labelsAt(marked), ['all', 'slow one', 'fast']);
  });

  it('offers the nodes of a decision graph, but never the node itself', async () => {
    const graph = (keys: string) =>
      inAssert(`      - type: decision-graph
        ${keys.includes('start') ? keys : 'start: first'}
        nodes:
          first:
            ${keys.includes('start') ? 'type: task' : keys}
          bad: {type: verdict, score: 0}
          good: {type: verdict, score: 10}
`);
    assert.deepEqual(await labelsAt(graph('start: |')), ['first', 'bad', 'good']);
    const others = ['bad', 'good'];
    assert.deepEqual(await labelsAt(graph('{type: task, next: |}')), others);
    assert.deepEqual(await labelsAt(graph('{type: yes-no, if_yes: |}')), others);
    assert.deepEqual(await labelsAt(graph('{type: yes-no, if_no: |}')), others);
    assert.deepEqual(await labelsAt(graph('{type: choice, choices: {polite: "|"}}')), others);
    assert.deepEqual(await labelsAt(graph('{type: verdict, score: |}')), []);
  });

  it('quotes a name if needed', async () => {
    const topics =
      'topics: ["Orders: new", "a # b", "plain one"]\ncases:\n  - id: a\n    topics: [|]\n';
    assert.match(await chosen(topics, 'Orders: new'), /\["Orders: new"\]/);
    assert.match(await chosen(topics, 'a # b'), /\["a # b"\]/);
    assert.match(await chosen(topics, 'plain one'), /\[plain one\]/);
    const quoted = topics.replace('[|]', "['|']").replace('a # b', "it's");
    assert.match(await chosen(quoted, "it's"), /\['it''s'\]/);
  });

  it('shows names from files without deceptive characters', async () => {
    const marked = `cases:\n  - id: a\n    turns: ["x\\u202Ey\\nz"]\n    assert:\n      - {type: contains, at: |}\n`;
    const items = await itemsAt(marked);
    assert.equal(items.find(({ label }) => label === '2')?.detail, 'reply to: x[U+202E]y z');
  });
});
