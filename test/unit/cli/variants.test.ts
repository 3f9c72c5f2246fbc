import assert from 'node:assert/strict';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { caseName } from '../../../src/core/presentation/words.ts';
import { readRecord } from '../../../src/store/records/runRecord.ts';
import { turnlight } from '../../support/commandLine.ts';
import { workspaceWith } from '../../support/runs.ts';

/** A target that echoes its system prompt. */
const BOT = 'export default (messages) => messages[0].content;\n';

const SUITE = `targets:
  bot: {type: module, path: bot.mjs, system: Hello}
  gruff: {type: module, path: bot.mjs, system: What}
target: bot
variants:
  plain: {target: bot}
  warm: {system: Hello dear}
cases:
  - id: greets
    turns: [Hi]
    matrix: {name: [Ann, Bob]}
    assert: [{type: contains, value: dear}]
  - id: said
    transcript: [{user: Hi}, {assistant: Hello}]
    assert: [{type: contains, value: Hello}]
`;

async function lastRecord(folder: string) {
  const runs = join(folder, '.turnlight/runs');
  const names = (await readdir(runs)).filter((name) => name.endsWith('.jsonl')).sort();
  return readRecord(join(runs, names.at(-1) ?? ''));
}

describe('run with variants of a target', () => {
  it('runs each case that calls a target once per variant, and records the variant', async (t) => {
    const folder = await workspaceWith(t, { 'bot.mjs': BOT, 'a.eval.yaml': SUITE });
    const { code, out } = await turnlight(folder, ['run']);
    assert.equal(code, 1, out);
    const { cases } = await lastRecord(folder);
    const of = ['plain', 'warm'];
    assert.deepEqual(cases.map((one) => [caseName(one), one.status, one.target_variant]).sort(), [
      ['greets/Ann/plain', 'fail', { name: 'plain', of }],
      ['greets/Ann/warm', 'pass', { name: 'warm', of }],
      ['greets/Bob/plain', 'fail', { name: 'plain', of }],
      ['greets/Bob/warm', 'pass', { name: 'warm', of }],
      ['said', 'pass', undefined],
    ]);
    const [plain, warm] = ['plain', 'warm'].map((name) =>
      cases.find((one) => one.target_variant?.name === name),
    );
    assert.notEqual(plain?.target?.digest, warm?.target?.digest);
  });

  it('runs one variant if --case names it', async (t) => {
    const folder = await workspaceWith(t, { 'bot.mjs': BOT, 'a.eval.yaml': SUITE });
    const { code } = await turnlight(folder, ['run', '--case', '*/warm']);
    assert.equal(code, 0);
    assert.equal((await lastRecord(folder)).cases.length, 2);
  });
});

describe('run --target', () => {
  it('replaces the targets of all cases and their variants, also when the run is resumed', async (t) => {
    const folder = await workspaceWith(t, { 'bot.mjs': BOT, 'a.eval.yaml': SUITE });
    await turnlight(folder, ['run', '--target', 'gruff']);
    const replies = async () => {
      const { run, cases } = await lastRecord(folder);
      assert.equal(run?.options.target, 'gruff');
      return cases.map((one) => [caseName(one), one.target?.name, one.status]).sort();
    };
    const expected = [
      ['greets/Ann', 'gruff', 'fail'],
      ['greets/Bob', 'gruff', 'fail'],
      ['said', undefined, 'pass'],
    ];
    assert.deepEqual(await replies(), expected);
    const { code, out } = await turnlight(folder, ['run', '--resume']);
    assert.match(out, /is complete: nothing is left to run\./);
    assert.equal(code, 1);
    await turnlight(folder, ['judge']);
    assert.deepEqual(await replies(), expected);
  });

  it('lists the targets of the file if it has no such target', async (t) => {
    const folder = await workspaceWith(t, { 'bot.mjs': BOT, 'a.eval.yaml': SUITE });
    const { code, err } = await turnlight(folder, ['run', '--target', 'rude']);
    assert.equal(code, 3);
    assert.match(err, /There is no target "rude"\. Known: bot, gruff\./);
  });

  it('is refused with a queue, whose workers read the files themselves', async (t) => {
    const folder = await workspaceWith(t, { 'bot.mjs': BOT, 'a.eval.yaml': SUITE });
    const args = ['run', '--target', 'gruff', '--queue', 'redis://127.0.0.1:1'];
    const { code, err } = await turnlight(folder, args);
    assert.equal(code, 3);
    assert.match(err, /--queue.* cannot be used with .*--target/);
  });
});

const NAMES = ['Ann', 'Bob', 'Cid', 'Dot', 'Eva', 'Fay', 'Gus', 'Hal'];

/** In all rows, `plain` fails and `warm` passes. */
const MANY = SUITE.replace('[Ann, Bob]', `[${NAMES.join()}]`);

const SENTENCE =
  '"warm" passes 8 more of 8 cases than "plain". This is unlikely to be due to chance (p = 0.0078).';

describe('reports of a run with variants', () => {
  it('all say which is better, and whether that could be due to chance', async (t) => {
    const folder = await workspaceWith(t, { 'bot.mjs': BOT, 'a.eval.yaml': MANY });
    const files = ['markdown=a.md', 'json=a.json', 'junit=a.xml', 'html=a.html', 'csv=a.csv'];
    const reporters = ['terminal', ...files].flatMap((one) => ['--reporter', one]);
    const { out } = await turnlight(folder, ['run', ...reporters]);
    assert.match(out, /\nVariants\nVariant +Cases +Pass rate +Change .*\nplain +8 +0\.00 /);
    assert.match(out, /\nwarm +8 +1\.00 +\+1\.00 +0\.\d\d to 1\.00 +0\.0078 +\d+ ms\n/);
    assert.ok(out.includes(SENTENCE), out);
    const read = (name: string) => readFile(join(folder, name), 'utf8');
    const markdown = await read('a.md');
    assert.match(markdown, /\| warm \| 8 \| 1\.00 /);
    assert.match(markdown, /- "warm" passes 8 more of 8 cases/);
    const { variants } = JSON.parse(await read('a.json'));
    assert.deepEqual(variants[0].sentences, [SENTENCE]);
    assert.equal(variants[0].differences[0].passes.better, 8);
    assert.match(
      await read('a.xml'),
      /<properties>\s+<property name="variants\.1" value="&quot;warm&quot; passes 8 more/,
    );
    assert.ok((await read('a.html')).includes(JSON.stringify(SENTENCE)));
    assert.match(
      await read('a.csv'),
      /^suite,case,variant,target_variant,.*\n.*,Ann\/plain,plain,/,
    );
  });

  it('have no part about variants if a run has only one', async (t) => {
    const folder = await workspaceWith(t, { 'bot.mjs': BOT, 'a.eval.yaml': MANY });
    const reporters = ['--reporter', 'terminal', '--reporter', 'junit=a.xml'];
    const { out } = await turnlight(folder, ['run', '--case', '*/warm', ...reporters]);
    assert.doesNotMatch(out, /Variants/);
    assert.doesNotMatch(await readFile(join(folder, 'a.xml'), 'utf8'), /propert/);
  });
});

describe('compare --variants', () => {
  it('compares the variants of a run, assertion by assertion and case by case', async (t) => {
    const folder = await workspaceWith(t, { 'bot.mjs': BOT, 'a.eval.yaml': MANY });
    await turnlight(folder, ['run', '--no-cache']);
    const { code, out } = await turnlight(folder, ['compare', '--variants']);
    assert.equal(code, 0);
    assert.ok(out.includes(SENTENCE), out);
    assert.match(out, /warm compared with plain\n/);
    assert.match(out, /Assertion +Cases +plain +warm .*\ncontains +8 +0\.00 +1\.00 +\+1\.00 /);
    assert.match(
      out,
      /↑ 8 better\n {2}greets\/\w+: failed 0\.00 → passed 1\.00 {2}a\.eval\.yaml:9/,
    );
    const json = await turnlight(folder, ['compare', '--variants', '--format', 'json']);
    const { variants } = JSON.parse(json.out);
    assert.equal(variants[0].differences[0].evidence[0].says, 'better');
    assert.equal(variants[0].differences[0].cases.length, 8);
  });

  it('exits with 1 if one is worse than the first, and with 0 if it is better', async (t) => {
    const swapped = MANY.replace(/( {2}plain.*\n)( {2}warm.*\n)/, '$2$1');
    const folder = await workspaceWith(t, { 'bot.mjs': BOT, 'a.eval.yaml': MANY });
    const codes = async () => {
      await turnlight(folder, ['run']);
      const given = ['worse', 'evidence'].map((what) => [
        'compare',
        '--variants',
        '--fail-on',
        what,
      ]);
      return Promise.all(given.map(async (args) => (await turnlight(folder, args)).code));
    };
    assert.deepEqual(await codes(), [0, 0]);
    await writeFile(join(folder, 'a.eval.yaml'), swapped);
    assert.deepEqual(await codes(), [1, 1]);
  });

  it('refuses a run without variants, and a second run', async (t) => {
    const folder = await workspaceWith(t, { 'bot.mjs': BOT, 'a.eval.yaml': MANY });
    await turnlight(folder, ['run', '--target', 'bot']);
    const none = await turnlight(folder, ['compare', '--variants']);
    assert.equal(none.code, 3);
    assert.match(none.err, /has no two variants of a target to compare\. Add `variants`/);
    const two = await turnlight(folder, ['compare', 'last', 'last', '--variants']);
    assert.equal(two.code, 3);
  });
});

describe('comparing runs of two files that include the same cases', () => {
  const suite = (system: string) =>
    `target: {type: module, path: bot.mjs, system: ${system}}\ninclude: [cases.yaml]\n`;
  const cases = `cases:
  - id: greets
    turns: [Hi]
    matrix: {name: [${NAMES.join()}]}
    assert: [{type: contains, value: dear}]
`;

  it('pairs the cases, which different suites include', async (t) => {
    const folder = await workspaceWith(t, {
      'bot.mjs': BOT,
      'cases.yaml': cases,
      'plain.eval.yaml': suite('Hello'),
      'warm.eval.yaml': suite('Hello dear'),
    });
    await turnlight(folder, ['run', 'plain.eval.yaml']);
    const [plain = ''] = await readdir(join(folder, '.turnlight/runs'));
    await turnlight(folder, ['run', 'warm.eval.yaml']);
    const record = join('.turnlight/runs', plain);
    const { out } = await turnlight(folder, ['compare', record, 'last', '--format', 'json']);
    const { counts, evidence } = JSON.parse(out);
    assert.deepEqual([counts.better, counts.new, counts.gone], [8, 0, 0]);
    assert.equal(evidence[0].says, 'better');
  });

  it('compares them like variants if both ran in one run', async (t) => {
    const folder = await workspaceWith(t, {
      'bot.mjs': BOT,
      'cases.yaml': cases,
      'plain.eval.yaml': suite('Hello'),
      'warm.eval.yaml': suite('Hello dear'),
    });
    const { out } = await turnlight(folder, ['run']);
    assert.ok(out.includes(SENTENCE), out);
    const compared = await turnlight(folder, ['compare', '--variants', '--fail-on', 'worse']);
    assert.equal(compared.code, 0);
    assert.match(compared.out, /warm compared with plain\n/);
    assert.match(compared.out, /↑ 8 better\n {2}greets\/\w+: failed 0\.00 → passed 1\.00/);
  });
});
