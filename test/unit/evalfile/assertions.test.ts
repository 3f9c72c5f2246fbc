import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Assertion } from '../../../src/core/suite.ts';
import { load, placed } from '../../support/evalFiles.ts';

const TOP = `judge: openai:j
cases:
  - id: one
    transcript: [{user: Hi}, {assistant: Hello}]
    assert:
`;

/** A suite with the given lines of one assertion, which starts at line 6. */
function suite(lines: string): string {
  const indented = lines.split('\n').map((line) => `        ${line}`);
  return `${TOP}${indented.join('\n').replace('        ', '      - ')}\n`;
}

async function built(lines: string): Promise<Assertion> {
  const { suite: loaded, problems } = await load(suite(lines));
  const [assertion] = loaded?.cases[0]?.assertions ?? [];
  if (!assertion) throw new Error(JSON.stringify(problems, null, 2));
  return assertion;
}

describe('wrong assertions are located', () => {
  for (const [what, lines, expected] of [
    [
      'a type within a group',
      'type: all-of\nassert:\n  - {type: contians, value: x}',
      ['8:20 unknown-type'],
    ],
    [
      'a key within a group',
      'type: any-of\nassert:\n  - {type: safety, smaples: 2}',
      ['8:28 unknown-key'],
    ],
    ['a group of nothing', 'type: all-of\nassert: []', ['7:17 out-of-range']],
    [
      'a need within a group',
      'type: all-of\nassert:\n  - type: topic-adherence',
      ['8:13 missing-need'],
    ],
    [
      'a branch that ends nowhere',
      'type: decision-graph\nnodes:\n  a: {type: yes-no, question: q, if_yes: b, if_no: 0}',
      ['8:50 bad-value'],
    ],
    [
      'a circle',
      'type: decision-graph\nnodes:\n  a: {type: task, instructions: t, next: b}\n  b: {type: yes-no, question: q, if_yes: a, if_no: 0}',
      ['9:50 bad-value'],
    ],
    [
      'a node that is never reached',
      'type: decision-graph\nnodes:\n  a: {type: verdict, score: 5}\n  b: {type: verdict, score: 5}',
      ['9:14 bad-value'],
    ],
    [
      'a missing branch',
      'type: decision-graph\nnodes:\n  a: {type: yes-no, question: q, if_yes: 10}',
      ['8:11 missing-key'],
    ],
    [
      'an assertion at the end of a graph',
      'type: decision-graph\nnodes:\n  a: {type: assertion, assert: {type: guidlines}}',
      ['8:47 unknown-type'],
    ],
    [
      'a gap in a rubric',
      'type: g-eval\ncriteria: warm\nrubric:\n  - {range: [0, 3], means: bad}\n  - {range: [5, 10], means: good}',
      ['10:21 bad-value'],
    ],
    ['a type where a sentence belongs', 'no-repeat', ['6:9 type-as-sentence']],
    ['a threshold beyond the scale', 'type: coherence\nthreshold: 6', ['7:20 out-of-range']],
    ['a threshold beyond 1 without a scale', 'type: safety\nthreshold: 2', ['7:20 out-of-range']],
    [
      "a threshold beyond a judge's own scale",
      'type: llm-judge\ninstructions: Of {{conversation}}\nscale: [1, 7]\nthreshold: 8',
      ['9:20 out-of-range'],
    ],
    [
      'granularity of what asks otherwise',
      'type: g-eval\ncriteria: x\ngranularity: turn',
      ['8:9 unknown-key'],
    ],
    ['more samples than make sense', 'type: safety\nsamples: 1000', ['7:18 out-of-range']],
    ['a script that is not there', 'type: script\npath: ./nope.mjs', ['7:15 file-missing']],
    ['a script outside the workspace', 'type: script\npath: ../../x.mjs', ['7:15 path-outside']],
    ['a script that names nothing to run', 'type: script', ['6:9 bad-value']],
    [
      'a script with a path and a command',
      'type: script\npath: ./here.mjs\ncommand: [python3]',
      ['7:15 file-missing', '8:18 bad-value'],
    ],
    [
      'an export of a program',
      'type: script\ncommand: [python3]\nexport: check',
      ['8:17 bad-value'],
    ],
    [
      'a program of a command that is not there',
      'type: script\ncommand: [python3, -m, checks, checks/order.py, ./run, out.txt]',
      ['7:40 file-missing', '7:57 file-missing'],
    ],
    [
      'a variable for a program that is not set',
      'type: script\ncommand: [python3]\npass_env: [NO_SUCH_VARIABLE]',
      ['8:20 unset-variable'],
    ],
    [
      'an unknown model for embeddings',
      'type: similar\nvalue: x\nmodel: nope',
      ['8:16 unknown-name'],
    ],
    ['no model for embeddings', 'type: similar\nvalue: x', ['6:9 missing-key']],
  ] as const) {
    it(what, async () => {
      assert.deepEqual(placed(await load(suite(lines))), expected);
    });
  }

  it('says what a number must be', async () => {
    const { problems } = await load(suite('type: coherence\nthreshold: 6'));
    assert.equal(problems[0]?.message, 'Expected at most 5, found 6.');
  });
});

describe('a tool that an assertion names', () => {
  const offering = (lines: string) =>
    `tools: [{name: refund, parameters: {properties: {id: {}}}}, {name: lookup}]\n${suite(lines)}`;
  for (const [what, lines, expected] of [
    ['is misspelled', 'type: tool-not-called\nname: refnud', ['8:15 unknown-tool']],
    [
      'is misspelled in a list',
      'type: tool-sequence\ntools: [lookup, refnd]',
      ['8:25 unknown-tool'],
    ],
    [
      'has an argument that is misspelled',
      'type: tool-not-called\nname: refund\nargs: {idd: "7"}',
      ['9:16 unknown-argument'],
    ],
    ['is right', 'type: tool-called\nname: refund\nargs: {id: "7"}', []],
    ['is like none of the case', 'type: tool-not-called\nname: format_hard_disk', []],
    ['has no parameters', 'type: tool-called\nname: lookup\nargs: {idd: "7"}', []],
  ] as const) {
    it(`${expected.length > 0 ? 'gets a warning' : 'gets no warning'} if it ${what}`, async () => {
      const loaded = await load(offering(lines));
      assert.deepEqual(placed(loaded), expected);
      assert.ok(loaded.problems.every(({ severity }) => severity === 'warning'));
      assert.deepEqual(placed(await load(suite(lines))), []);
    });
  }
});

describe('a threshold in percent', () => {
  for (const lines of [
    'type: safety\nthreshold: 90',
    'type: safety\nthreshold: 90%',
    'type: coherence\nthreshold: 90',
    'type: llm-judge\ninstructions: Of {{conversation}}\nscale: [1, 7]\nthreshold: 90',
  ]) {
    it(`is corrected to a share: ${JSON.stringify(lines)}`, async () => {
      const [problem, ...more] = (await load(suite(lines))).problems;
      assert.deepEqual(more, []);
      assert.match(problem?.message ?? '', /Did you mean 0\.9\?$/);
      assert.ok(problem?.replacement === '0.9' || problem?.fix, JSON.stringify(problem));
    });
  }
});

describe('the conversation that an assertion expects', () => {
  for (const [what, lines, expected] of [
    ['no retrieved context', 'type: turn-faithfulness', ['6:9 nothing-to-judge']],
    ['nothing to be grounded in', 'type: groundedness', ['6:9 nothing-to-judge']],
    ['no tool call', 'type: tool-call-efficiency', ['6:9 nothing-to-judge']],
    [
      'a key of the context that the case does not have',
      'type: llm-judge\ninstructions: Of {{conversation}} and {{context.nope}}',
      ['7:47 missing-context'],
    ],
    [
      'a keyword of a JSON Schema that is misspelt',
      'type: json-schema\nschema: {properties: {a: {minLenght: 5}}}',
      ['7:46 bad-value'],
    ],
    ['a script of another kind', 'type: script\npath: ./x.txt', ['7:15 unknown-file-type']],
    [
      'nodes of a graph that are numbers',
      "type: decision-graph\nnodes:\n  '2': {type: verdict, score: 5}",
      ['8:16 bad-value'],
    ],
    [
      'a threshold with two readings',
      'type: g-eval\ncriteria: x\nthreshold: 1',
      ['8:20 ambiguous-threshold'],
    ],
  ] as const) {
    it(what, async () => {
      assert.deepEqual(placed(await load(suite(lines))), expected);
    });
  }
});

describe('thresholds', () => {
  for (const [what, lines, expected] of [
    ['of 1..5 may be written in the scale', 'type: coherence\nthreshold: 3', 0.5],
    ['of 0..10 may be written in the scale', 'type: g-eval\ncriteria: x\nthreshold: 7', 0.7],
    [
      'of a scale that goes below 0 are always written in it',
      'type: llm-judge\ninstructions: Of {{conversation}}\nscale: [-1, 1]\nthreshold: 0',
      0.5,
    ],
    ['up to 1 are shares, whatever the scale', 'type: coherence\nthreshold: 1', 1],
    [
      "may be written in a judge's own scale",
      'type: llm-judge\ninstructions: Of {{conversation}}\nscale: [1, 7]\nthreshold: 4',
      0.5,
    ],
  ] as const) {
    it(what, async () => {
      assert.equal((await built(lines)).threshold, expected);
    });
  }

  it('of a prompt can be on its scale', async () => {
    const prompt = '---\nscale: [1, 5]\nthreshold: 4\n---\nOf {{conversation}}\n';
    const { suite: loaded } = await load(suite('type: llm-judge\nprompt: ./own.md'), {
      'own.md': prompt,
    });
    assert.equal(loaded?.cases[0]?.assertions[0]?.prompt?.threshold, 0.75);
  });
});

describe('nested assertions', () => {
  it('are located, and inherit `at` from their group', async () => {
    const { nested } = await built(
      'type: all-of\nat: last\nassert:\n  - It is polite.\n  - {type: contains, value: x, at: first}',
    );
    assert.deepEqual(
      nested?.map(({ path, assertion }) => [path, assertion.type, assertion.at.kind]),
      [
        ['assert.0', 'criterion', 'last'],
        ['assert.1', 'contains', 'first'],
      ],
    );
  });

  it('have their own prompt variables', async () => {
    const { nested } = await built(
      'type: any-of\nassert:\n  - {type: llm-judge, instructions: "Of {{conversation}}"}',
    );
    assert.equal(nested?.[0]?.assertion.params.instructions, 'Of {{conversation}}');
  });

  it('end a decision graph', async () => {
    const { nested } = await built(
      'type: decision-graph\nnodes:\n  a: {type: assertion, assert: {type: safety}}',
    );
    assert.deepEqual(
      nested?.map(({ path }) => path),
      ['nodes.a.assert'],
    );
  });
});

describe('an assertion without a `name` is called', () => {
  for (const [lines, name] of [
    ['type: coherence', 'coherence'],
    ['type: tool-called\nname: refund', 'tool-called refund'],
    ['type: tool-not-called', 'tool-not-called'],
    ['The agent is polite.', 'The agent is polite.'],
    ['type: criterion\ncriterion: a b c d e f g h i', 'a b c d e f g h …'],
  ] as const) {
    it(`“${name}”: ${JSON.stringify(lines)}`, async () => {
      assert.equal((await built(lines)).name, name);
    });
  }
});
