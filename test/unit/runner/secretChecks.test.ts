import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { Scrubber } from '../../../src/core/scrubber.ts';
import { earlierRuns } from '../../../src/store/records/list.ts';
import { emptyCache } from '../../support/answersFolder.ts';
import { startModelServer } from '../../support/modelServer/server.ts';
import type { Step } from '../../support/modelServer/steps.ts';
import { botSuite, type RunFilesOptions, runFiles, workspaceWith } from '../../support/runs.ts';

const SECRET = 'sk-0123456789abcdef';

const LEAKY = `export default async () => ({ messages: [
  { role: 'assistant', content: 'I use ${SECRET}.', tool_calls: [
    { id: '1', type: 'function', function: { name: 'log_in', arguments: '{"key":"${SECRET}"}' } },
  ] },
  { role: 'tool', tool_call_id: '1', content: 'ok' },
  { role: 'assistant', content: 'Done.' },
] });`;

/** Assertions about the secret. Each fails if the secret was revealed. */
const LEAK_CHECKS = [
  `{type: contains, value: ${SECRET}, negate: true}`,
  `{type: contains, value: SK-0123456789ABCDEF, ignore_case: true, negate: true}`,
  `{type: contains-any, values: [password, ${SECRET}], negate: true}`,
  `{type: contains-all, values: [use, ${SECRET}], negate: true}`,
  `{type: equals, value: "I use ${SECRET}.\\n\\nDone.", negate: true}`,
  `{type: starts-with, value: I use ${SECRET}, negate: true}`,
  `{type: ends-with, value: "${SECRET}.\\n\\nDone.", negate: true}`,
  `{type: regex, pattern: 'sk\\-0123456789[a-f]+', negate: true}`,
  `{type: regex, pattern: 'sk-[0-9a-f]{16}', negate: true}`,
  `{type: regex, pattern: '^I use sk\\-0123456789abcdef', negate: true}`,
  `{type: tool-called, name: log_in, args: {key: ${SECRET}}, negate: true}`,
  `{type: tool-not-called, name: log_in, args: {key: ${SECRET}}}`,
  `{type: tool-not-called, name: log_in, args: {key: 'sk-.*'}, match: pattern}`,
  `{type: tool-sequence, tools: [{name: log_in, args: {key: ${SECRET}}}], negate: true}`,
  `{type: script, path: ./check.mjs, options: {secret: ${SECRET}}}`,
  `{type: all-of, assert: [{type: contains, value: ${SECRET}, negate: true}]}`,
];

/** Assertions that contain the whole secret, as written. */
const NAMING_CHECKS = LEAK_CHECKS.filter((one) => /sk\\?-0123456789abcdef/.test(one));

/** Whether an assertion has no backslashes, which would hide a secret in it. */
function isPlain(check: string): boolean {
  return !check.includes('\\');
}

/** Assertions that show their text to a judge. */
const JUDGED_CHECKS = [
  `Never says ${SECRET}.`,
  `{type: criterion, criterion: Keeps ${SECRET}.}`,
  `{type: all-of, assert: [Hides ${SECRET}.]}`,
  `{type: llm-judge, instructions: Score how well it hides ${SECRET}.}`,
  `{type: llm-judge, name: ${SECRET}, instructions: Score how kindly it hides ${SECRET}.}`,
  `{type: similar, value: It is ${SECRET}., model: {provider: openai, model: e, base_url: BASE_URL}}`,
];

const CHECK = `export default ({ conversation, options }) =>
  !JSON.stringify(conversation).includes(options.secret);`;

function options(): RunFilesOptions {
  return { scrubber: new Scrubber({ MY_API_KEY: SECRET }) };
}

function suiteOf(checks: readonly string[]): Record<string, string> {
  const asserts = checks.map((one) => `      - ${one}\n`).join('');
  return {
    'bot.mjs': LEAKY,
    'check.mjs': CHECK,
    'suite.eval.yaml': botSuite(`  - id: a\n    turns: [x]\n    assert:\n${asserts}`),
  };
}

async function statusesOf(
  t: TestContext,
  files: Readonly<Record<string, string>>,
  more: RunFilesOptions = {},
) {
  const ran = await runFiles(t, files, { ...options(), ...more });
  const [line] = ran.lines;
  const verdicts = line?.verdicts ?? [];
  return { ...ran, line, verdicts, failed: verdicts.map(({ status }) => status === 'fail') };
}

function allOf(checks: readonly string[]): boolean[] {
  return checks.map(() => true);
}

describe('a check for a secret', () => {
  it('fails if a reply or an argument of a call contains it', async (t) => {
    const { failed, verdicts } = await statusesOf(t, suiteOf(LEAK_CHECKS));
    const wrong = LEAK_CHECKS.filter((_, index) => !failed[index]);
    assert.deepEqual(wrong, [], JSON.stringify(verdicts, null, 1));
  });

  it('fails if a transcript contains it', async (t) => {
    const checks = LEAK_CHECKS.slice(0, 10).map((one) => `      - ${one}\n`);
    const text = `cases:\n  - id: a\n    transcript:\n      - user: x\n      - assistant: "I use ${SECRET}.\\n\\nDone."\n    assert:\n${checks.join('')}`;
    const { failed } = await statusesOf(t, { 'suite.eval.yaml': text });
    assert.deepEqual(failed, allOf(checks));
  });

  it('fails if the conversation is judged again from its record', async (t) => {
    const files = suiteOf(NAMING_CHECKS);
    const { workspace } = await statusesOf(t, files);
    const earlier = await earlierRuns([join(workspace, 'suite.eval.yaml')]).next();
    assert.ok(!earlier.done);
    const again = await statusesOf(t, files, { workspace, judgeAgain: earlier.value });
    assert.equal(NAMING_CHECKS.length, 12);
    assert.deepEqual(again.failed, allOf(NAMING_CHECKS), JSON.stringify(again.verdicts, null, 1));
  });

  it('fails if the run is replayed', async (t) => {
    const files = suiteOf(NAMING_CHECKS);
    const recording = join(await workspaceWith(t, {}), 'recording.jsonl');
    const { workspace } = await statusesOf(t, files, { record: recording });
    const again = await statusesOf(t, files, { workspace, replay: recording });
    assert.deepEqual(again.failed, allOf(NAMING_CHECKS));
  });

  /** The statuses after running the cases, after judging the record again, and after replaying the recording. */
  async function storedStatuses(t: TestContext, files: Readonly<Record<string, string>>) {
    const recording = join(await workspaceWith(t, {}), 'recording.jsonl');
    const { workspace } = await statusesOf(t, files, { record: recording });
    const earlier = await earlierRuns([join(workspace, 'suite.eval.yaml')]).next();
    assert.ok(!earlier.done);
    const judged = await statusesOf(t, files, { workspace, judgeAgain: earlier.value });
    const replayed = await statusesOf(t, files, { workspace, replay: recording });
    return [judged, replayed].map(({ verdicts }) =>
      verdicts.map((one) => (one.status === 'error' ? one.reason : one.status)),
    );
  }

  it('is an error in a stored conversation that hides the secret', async (t) => {
    const checks = [
      `{type: regex, pattern: 'sk-[a-z0-9]{10}', negate: true}`,
      `{type: contains, value: sk-, negate: true}`,
      `{type: contains, value: sk-, negate: true, at: each}`,
      `{type: contains, value: sk-0123}`,
      `{type: contains, value: hidden}`,
      `{type: contains-any, values: [sk-012], negate: true}`,
      `{type: starts-with, value: I use sk-, negate: true}`,
      `{type: equals, value: I use it.}`,
      `{type: json-schema, schema: {not: {pattern: ^sk-}}}`,
      `{type: is-json}`,
      `{type: tool-not-called, name: log_in, args: {key: 'sk-.*'}, match: pattern}`,
      `{type: tool-sequence, tools: [{name: log_in, args: {key: sk-0}}], negate: true}`,
      `{type: all-of, assert: [{type: contains, value: sk-, negate: true}]}`,
    ];
    const hidden = checks.map(() => 'secret-hidden');
    const found = await storedStatuses(t, suiteOf(checks));
    assert.deepEqual(found, [hidden, hidden]);
  });

  it('is decided in a stored conversation if the hidden secret does not matter', async (t) => {
    const checks = [
      ['pass', `{type: contains, value: Done}`],
      ['pass', `{type: contains-all, values: [I use, Done]}`],
      ['fail', `{type: contains, value: Done, negate: true}`],
      ['pass', `{type: starts-with, value: I use}`],
      ['pass', `{type: tool-called, name: log_in}`],
      ['pass', `{type: tool-sequence, tools: [log_in]}`],
      ['pass', `{type: max-turns, max: 2}`],
    ] as const;
    const found = await storedStatuses(t, suiteOf(checks.map(([, check]) => check)));
    const wanted = checks.map(([status]) => status);
    assert.deepEqual(found, [wanted, wanted]);
  });

  it('passes in a live conversation about text that looks like a hidden secret', async (t) => {
    const files = suiteOf(['{type: contains, value: sk-, negate: true}']);
    const bot = 'export default async () => "[hidden: MY_API_KEY]";';
    const { verdicts } = await statusesOf(t, { ...files, 'bot.mjs': bot });
    assert.deepEqual(
      verdicts.map(({ status }) => status),
      ['pass'],
    );
  });

  it('passes if the secret was not said', async (t) => {
    const checks = LEAK_CHECKS.filter((one) => !one.includes('tool'));
    const files = { ...suiteOf(checks), 'bot.mjs': 'export default async () => "Hello.";' };
    const { verdicts } = await statusesOf(t, files);
    assert.ok(verdicts.every(({ status }) => status === 'pass'));
    assert.equal(verdicts.length, checks.length);
  });

  it('leaves no part of the secret in events, records, and recordings', async (t) => {
    const recording = join(await workspaceWith(t, {}), 'recording.jsonl');
    const { events, record = '' } = await statusesOf(t, suiteOf(LEAK_CHECKS.filter(isPlain)), {
      record: recording,
    });
    // A `case-started` event contains the case as written in the file.
    const later = events.filter(({ kind }) => kind !== 'case-started');
    const places = [JSON.stringify(later), await readFile(record, 'utf8')];
    for (const text of [...places, await readFile(recording, 'utf8')]) {
      assert.ok(text.includes('[hidden: MY_API_KEY]'));
      assert.ok(!text.includes('0123456789a'));
    }
  });
});

describe('a verdict', () => {
  it('quotes no part of a secret, wherever the quote is cut', async (t) => {
    const bot = `export default async (messages) => {
      const before = 'x'.repeat(Number(messages.at(-1).content));
      const call = { name: 'log_in', arguments: JSON.stringify({ key: before + '${SECRET}' }) };
      return { messages: [
        { role: 'assistant', content: '', tool_calls: [{ id: '1', type: 'function', function: call }] },
        { role: 'tool', tool_call_id: '1', content: 'ok' },
        { role: 'assistant', content: '"' + before + '"${SECRET}, ' + '${SECRET}' },
      ] };
    };`;
    const checks = [
      'is-json',
      'json-schema, schema: {type: number}',
      'tool-not-called, name: log_in',
      'tool-sequence, tools: [other], match: exact',
    ];
    const asserts = checks.map((one) => `{type: ${one}}`).join(', ');
    const turns = [0, 3, 176, 180, 185, 190].map((count) => JSON.stringify(String(count)));
    const cases = `  - {id: a, turns: [${turns.join(', ')}], assert: [${asserts}]}\n`;
    const files = { 'bot.mjs': bot, 'suite.eval.yaml': botSuite(cases) };
    const { line, failed } = await statusesOf(t, files);
    assert.deepEqual(failed, allOf(checks));
    assert.deepEqual(JSON.stringify(line).match(/.{20}sk-0.{20}/g), null);
  });
});

describe('a check for a secret of a model that plays the assistant', () => {
  const suite = (baseUrl: string) =>
    `target: {type: chat, model: {provider: openai, model: m, base_url: ${JSON.stringify(baseUrl)}, api_key_env: MY_API_KEY}}\ncases:\n  - {id: a, turns: [x], assert: [{type: regex, pattern: 'sk-[0-9a-f]+', negate: true}]}\n`;

  it('fails in the first run, and in the next, whose answers are cached', async (t) => {
    const script = (): Step => `I know ${SECRET}.`;
    const server = await startModelServer(script);
    t.after(() => server.close());
    const files = { 'suite.eval.yaml': suite(server.baseUrl) };
    const cache = { folder: join(emptyCache(), 'answers'), fresh: false };
    const more = { cache, secret: async () => SECRET };
    const first = await statusesOf(t, files, more);
    const { workspace } = first;
    const second = await statusesOf(t, files, { ...more, workspace });
    assert.deepEqual([first.failed, second.failed], [[true], [true]]);
    assert.equal(server.requests.length, 2);
    assert.ok(!JSON.stringify(first.events).includes('0123456789a'));
  });
});

describe('A judge', () => {
  it('gets no secret from an assertion either', async (t) => {
    const server = await startModelServer(() => '{}', { embed: () => [1] });
    t.after(() => server.close());
    const files = suiteOf(JUDGED_CHECKS);
    const judge = 'judge: {provider: openai, model: m, base_url: BASE_URL}\ntogether: true\n';
    const suite = `${judge}${files['suite.eval.yaml']}`.replaceAll('BASE_URL', server.baseUrl);
    const { verdicts } = await statusesOf(t, { ...files, 'suite.eval.yaml': suite });
    assert.equal(verdicts.length, JUDGED_CHECKS.length);
    const asked = JSON.stringify([server.requests.map(({ body }) => body), server.embedded]);
    assert.ok(!asked.includes('0123456789a'), asked);
    for (const word of ['says', 'Keeps', 'Hides', 'well it hides', 'kindly it hides', 'is']) {
      assert.ok(asked.includes(`${word} [hidden: MY_API_KEY]`), word);
    }
  });
});
