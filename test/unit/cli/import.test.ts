import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { LIMITS } from '../../../src/core/limits.ts';
import { turnlight } from '../../support/commandLine.ts';
import { jsonLines } from '../../support/imports.ts';
import { workspaceWith } from '../../support/runs.ts';

const TALK = {
  messages: [
    { role: 'user', content: 'Where is order 7?' },
    { role: 'assistant', content: 'It was shipped.' },
  ],
  reward: 1,
  score: 3,
};

describe('turnlight import', () => {
  it('writes an eval file beside the file that passes `check` and runs, and says what is left out', async (t) => {
    const folder = await workspaceWith(t, { 'log.jsonl': jsonLines(TALK) });
    const { code, out } = await turnlight(folder, ['import', 'log.jsonl']);
    assert.equal(
      out,
      `log.jsonl: chat logs, OpenAI chat messages

Found          Number  Details
conversations  1
turns          2
feedback       1       reward

log.jsonl:1: not imported: \`score\` has no Turnlight equivalent.
log.jsonl: 1 new label from log.
log.jsonl: 1 case in log.eval.yaml.
`,
    );
    assert.equal(code, 0);
    const check = await turnlight(folder, ['check']);
    assert.deepEqual([check.code, check.out], [0, 'Checked 1 file: 0 errors, 0 warnings.\n']);
    const run = await turnlight(folder, ['run', '--no-save']);
    assert.equal(run.code, 0, run.err);
  });

  it("hides the environment's keys in the imported texts", async (t) => {
    const key = 'sk-planted-key-1234567890';
    const log = jsonLines(TALK).replace('It was shipped.', `It is ${key}.`);
    const folder = await workspaceWith(t, { 'log.jsonl': log });
    await turnlight(folder, ['import', 'log.jsonl'], { OPENAI_API_KEY: key });
    const text = readFileSync(join(folder, 'log.eval.yaml'), 'utf8');
    assert.match(text, /It is \[hidden: OPENAI_API_KEY\]\./);
    assert.ok(!text.includes(key));
  });

  it('overwrites no file without --force, even if several files are imported', async (t) => {
    const folder = await workspaceWith(t, {
      'log.jsonl': jsonLines(TALK),
      'log.eval.yaml': 'mine',
    });
    const { code, err } = await turnlight(folder, ['import', 'log.jsonl']);
    assert.equal(code, 3);
    assert.match(err, /^log\.eval\.yaml already exists\. Pass --force/);
    assert.equal(readFileSync(join(folder, 'log.eval.yaml'), 'utf8'), 'mine');
    assert.equal((await turnlight(folder, ['import', 'log.jsonl', '--force'])).code, 0);
    assert.match(readFileSync(join(folder, 'log.eval.yaml'), 'utf8'), /where-is-order-7/);
  });

  const TRIALS = [0, 1].map((reward) => ({ ...TALK, task_id: 'late', trial: reward, reward }));

  it('replaces its own file if a file is imported again, unless somebody edited it', async (t) => {
    const folder = await workspaceWith(t, { 'log.jsonl': jsonLines(...TRIALS) });
    const again = (...args: string[]) => turnlight(folder, ['import', 'log.jsonl', ...args]);
    const path = join(folder, 'log.eval.yaml');
    const trials = join(folder, 'log.trials', 'late.jsonl');
    await again();
    writeFileSync(join(folder, 'log.jsonl'), jsonLines(...TRIALS, TALK));
    const { code, out } = await again();
    assert.equal(code, 0);
    assert.match(out, /2 cases in log\.eval\.yaml, which replaces the earlier import\.\n$/);
    assert.match(out, /1 new label from log\./);
    assert.match(readFileSync(path, 'utf8'), /where-is-order-7/);

    // Git may change line breaks; that is not an edit.
    writeFileSync(path, readFileSync(path, 'utf8').replaceAll('\n', '\r\n'));
    assert.equal((await again()).code, 0);
    for (const edited of [path, trials]) {
      const before = readFileSync(edited, 'utf8');
      writeFileSync(edited, before.replace('order', 'parcel'));
      const refused = await again();
      assert.equal(refused.code, 3);
      assert.match(
        refused.err,
        /^log\.eval\.yaml was edited since it was imported\. Pass --force to replace it and lose the edits, or --output with another file\./,
      );
      assert.equal(readFileSync(edited, 'utf8'), before.replace('order', 'parcel'));
      assert.equal((await again('--force')).code, 0);
      assert.equal(readFileSync(edited, 'utf8'), before);
    }

    writeFileSync(join(folder, 'other.jsonl'), jsonLines(TALK));
    const other = await turnlight(folder, ['import', 'other.jsonl', '--output', 'log.eval.yaml']);
    assert.equal(other.code, 3);
    assert.match(other.err, /^log\.eval\.yaml already exists\./);
  });

  it('names the eval files of an earlier import that had more cases', async (t) => {
    const long = ['a', 'b', 'c'].map((id) => ({
      ...{ id, messages: [...TALK.messages, { role: 'user', content: id.repeat(300_000) }] },
    }));
    const folder = await workspaceWith(t, { 'log.jsonl': jsonLines(...long) });
    const again = () => turnlight(folder, ['import', 'log.jsonl']);
    assert.match(
      (await again()).out,
      /in log\.eval\.yaml, log-2\.eval\.yaml, log-3\.eval\.yaml\.\n$/,
    );
    writeFileSync(join(folder, 'log-3.eval.yaml'), 'mine');
    writeFileSync(join(folder, 'log.jsonl'), jsonLines(TALK));
    const { code, out } = await again();
    assert.equal(code, 0);
    assert.match(
      out,
      /log-2\.eval\.yaml is from an earlier import, and was not replaced\. Its cases still run/,
    );
    assert.doesNotMatch(out, /log-3/);
    assert.ok(existsSync(join(folder, 'log-2.eval.yaml')));
  });

  it('says so if identical trials have opposite rewards', async (t) => {
    const folder = await workspaceWith(t, { 'log.jsonl': jsonLines(...TRIALS) });
    const { code, out } = await turnlight(folder, ['import', 'log.jsonl']);
    assert.equal(code, 0);
    assert.match(out, /late: reward is both good and bad for identical conversations\./);
    const other = [TALK.messages[0], { role: 'assistant', content: 'It was lost.' }];
    writeFileSync(
      join(folder, 'log.jsonl'),
      jsonLines({ ...TRIALS[0], messages: other }, TRIALS[1]),
    );
    assert.doesNotMatch(
      (await turnlight(folder, ['import', 'log.jsonl'])).out,
      /both good and bad/,
    );
  });

  it('reports labels that do not fit into the file, and exits with 4', async (t) => {
    const folder = await workspaceWith(t, { 'log.jsonl': jsonLines(...TRIALS) });
    const path = join(folder, 'log.labels', 'log.jsonl');
    mkdirSync(join(folder, 'log.labels'));
    writeFileSync(path, '');
    truncateSync(path, LIMITS.labels);
    const { code, out } = await turnlight(folder, ['import', 'log.jsonl']);
    assert.equal(code, 4);
    assert.match(
      out,
      /The label cannot be written to .*log\.jsonl: left out 2 labels\. A label can/,
    );
    assert.match(out, /0 new labels from log\./);
  });

  it('refuses to overwrite the trials of an eval file that is gone', async (t) => {
    const folder = await workspaceWith(t, {
      'log.jsonl': jsonLines(...TRIALS),
      'log.trials/late.jsonl': 'mine',
    });
    const { code, err } = await turnlight(folder, ['import', 'log.jsonl']);
    assert.equal(code, 3);
    assert.match(err, /late\.jsonl already exists/);
    assert.ok(!existsSync(join(folder, 'log.eval.yaml')));
  });

  it('turns rewards into labels that count for runs of the trials', async (t) => {
    const lost = [TALK.messages[0], { role: 'assistant', content: 'It was lost.' }];
    const trials = [{ ...TRIALS[0], messages: lost }, TRIALS[1]];
    const folder = await workspaceWith(t, { 'log.jsonl': jsonLines(...trials) });
    await turnlight(folder, ['import', 'log.jsonl']);
    const path = join(folder, 'log.eval.yaml');
    const check = '- { name: reward, type: regex, pattern: shipped }';
    const text = readFileSync(path, 'utf8').replace('assert:', () => `assert:\n      ${check}`);
    writeFileSync(path, text);
    assert.equal((await turnlight(folder, ['run'])).code, 1);
    const labels = readFileSync(join(folder, 'log.labels', 'log.jsonl'), 'utf8');
    assert.deepEqual(
      labels
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
        .map(({ variant, status }) => [variant, status]),
      [
        ['trial-0', 'fail'],
        ['trial-1', 'pass'],
      ],
    );
    const { out } = await turnlight(folder, ['agreement', '--format', 'json']);
    const { rows, unmatched } = JSON.parse(out);
    assert.deepEqual(unmatched, []);
    const { compared, accuracy } = rows.find((one: { assertion?: object }) => one.assertion);
    assert.deepEqual([compared, accuracy], [2, 1]);
  });

  it('imports a file of unknown format with the options that the error suggests', async (t) => {
    const chat = [
      { from: 'client', text: 'Hi' },
      { from: 'bot', text: 'Hello' },
    ];
    const folder = await workspaceWith(t, { 'log.json': JSON.stringify({ data: [{ chat }] }) });
    const options = ['--path', '/data/*/chat', '--roles', 'client=user,bot=assistant'];
    const failed = await turnlight(folder, ['import', 'log.json']);
    assert.match(
      failed.out,
      /add --path '\/data\/\*\/chat' --roles client=user,bot=assistant\. Turnlight imports/,
    );
    const { code, out } = await turnlight(folder, ['import', 'log.json', ...options]);
    assert.equal(code, 0, out);
    for (const wrong of [
      ['--path', 'data'],
      ['--roles', 'client'],
      ['--roles', 'client=person'],
    ]) {
      const { code, err } = await turnlight(folder, ['import', 'log.json', ...wrong]);
      assert.equal(code, 3);
      assert.match(err, /^--(path|roles): expected /);
    }
  });

  it('writes one imported file to --output', async (t) => {
    const folder = await workspaceWith(t, { 'log.jsonl': jsonLines(TALK), evals: '' });
    const args = ['import', 'log.jsonl', '--output', 'mine.eval.yaml'];
    assert.equal((await turnlight(folder, args)).code, 0);
    assert.ok(existsSync(join(folder, 'mine.eval.yaml')));
    const two = await turnlight(folder, [...args, 'log.jsonl']);
    assert.equal(two.code, 3);
    const itself = await turnlight(folder, [
      'import',
      'mine.eval.yaml',
      '--output',
      'mine.eval.yaml',
    ]);
    assert.equal(itself.code, 3);
  });

  it('imports the readable part of a broken file, and exits with 3', async (t) => {
    const folder = await workspaceWith(t, { 'log.jsonl': `${jsonLines(TALK)}{"mess\n` });
    const { code, out } = await turnlight(folder, ['import', 'log.jsonl']);
    assert.equal(code, 3);
    assert.match(out, /log\.jsonl:2: error: This line is not valid JSON: /);
    assert.ok(existsSync(join(folder, 'log.eval.yaml')));
  });

  it('imports no assertion that would run a program, not even a nested one', async (t) => {
    const script = { type: 'script', command: ['sh', '-c', 'id'], pass_env: ['OPENAI_API_KEY'] };
    const nested = { type: 'all-of', assert: [{ type: 'contains', value: 'o' }, script] };
    const vars = { _conversation: [{ input: 'i', output: 'o' }] };
    const assertions = [script, nested, { type: 'contains', value: 'o' }];
    const promptfoo = JSON.stringify([{ vars, assert: assertions }]);
    const agentv = JSON.stringify({ id: 'a', input: 'i', expected_output: 'o', assertions });
    const folder = await workspaceWith(t, { 'p.json': promptfoo, 'a.jsonl': `${agentv}\n` });
    for (const [from, to] of [
      ['p.json', 'p.eval.yaml'],
      ['a.jsonl', 'a.eval.yaml'],
    ] as const) {
      const { out } = await turnlight(folder, ['import', from]);
      assert.match(out, /would run a program/, from);
      const text = readFileSync(join(folder, to), 'utf8');
      assert.match(text, /contains/);
      assert.doesNotMatch(text, /\bscript|OPENAI_API_KEY/);
    }
  });

  it('exits with 3 and writes nothing if the format is unknown or the file is missing', async (t) => {
    const folder = await workspaceWith(t, { 'x.json': '{"colour": "red"}' });
    const unknown = await turnlight(folder, ['import', 'x.json']);
    assert.equal(unknown.code, 3);
    assert.match(
      unknown.out,
      /x\.json:1: error: Unrecognized format: .*Turnlight imports: .*promptfoo/,
    );
    const missing = await turnlight(folder, ['import', 'y.json']);
    assert.deepEqual([missing.code, missing.out], [3, '']);
    assert.match(missing.err, /y\.json: The file does not exist\./);
    assert.ok(!existsSync(join(folder, 'x.eval.yaml')));
  });
});
