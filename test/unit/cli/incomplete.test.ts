import assert from 'node:assert/strict';
import { mkdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { turnlight } from '../../support/commandLine.ts';
import { startModelServer } from '../../support/modelServer/server.ts';
import { recordsOf } from '../../support/resuming.ts';
import { ECHO, workspaceWith } from '../../support/runs.ts';

const TARGET = 'target: {type: module, path: ./bot.mjs}\n';

function aCase(id: string, value = 'x', more = ''): string {
  return `  - {id: ${id}, ${more}turns: [x ${id}], assert: [{type: contains, value: ${value}}]}\n`;
}

function suite(...cases: readonly string[]): string {
  return `${TARGET}cases:\n${cases.join('')}`;
}

async function ranWith(t: TestContext, text: string, ...args: readonly string[]): Promise<string> {
  const folder = await workspaceWith(t, { 'bot.mjs': ECHO, 'a.eval.yaml': text });
  await turnlight(folder, ['run', ...args]);
  return folder;
}

/** Cuts the newest record, as if its run had been killed after the given number of cases. */
async function kill(folder: string, cases: number): Promise<void> {
  const record = (await recordsOf(folder)).at(-1) ?? '';
  const lines = (await readFile(record, 'utf8')).split('\n');
  await writeFile(record, `${lines.slice(0, cases + 1).join('\n')}\n`);
}

describe('a run without some of its cases', () => {
  it('does not pass if the cost limit stopped it', async (t) => {
    // More than the expected maximum cost of a request, as with reasoning tokens.
    const usage = { input: 100, output: 5_000_000 };
    const server = await startModelServer(() => ({ text: 'x', usage }));
    t.after(() => server.close());
    const model = `{provider: openai, model: m, base_url: "${server.baseUrl}", price: {input: 1, output: 1}}`;
    const folder = await workspaceWith(t, {
      'a.eval.yaml': `target: {type: chat, model: ${model}}\ncases:\n${aCase('a')}${aCase('b')}${aCase('c', 'y')}`,
    });
    const args = ['run', '--max-cost', '1', '--concurrency', '1', '--reporter', 'junit'];
    const { code, out } = await turnlight(folder, args, { OPENAI_API_KEY: 'test-key' });
    assert.match(out, /<testsuites name="Turnlight" tests="3" failures="0" errors="2"/);
    assert.equal(out.match(/type="not-finished"/g)?.length, 2);
    assert.equal(code, 2);
  });

  it('does not pass when it is judged again', async (t) => {
    const folder = await ranWith(t, suite(aCase('a'), aCase('b', 'y')), '--concurrency', '1');
    await kill(folder, 1);
    const { code, err } = await turnlight(folder, ['judge']);
    assert.match(err, /^Run [0-9a-f]{8} did not finish 1 case\.$/m);
    assert.equal(code, 2);
  });

  it('does not hide the failure of an earlier run from --only-failed', async (t) => {
    const repeated = (value: string) => suite(aCase('a', value, 'repeat: 3, '));
    const folder = await ranWith(t, repeated('y'));
    await writeFile(join(folder, 'a.eval.yaml'), repeated('x'));
    await turnlight(folder, ['run']);
    await kill(folder, 1);
    await writeFile(join(folder, 'a.eval.yaml'), repeated('y'));
    const { code, out } = await turnlight(folder, ['run', '--only-failed']);
    assert.match(out, /0 of 3 repetitions passed/);
    assert.equal(code, 1);
  });

  it('does not pass compare --fail-on', async (t) => {
    const folder = await ranWith(t, suite(aCase('a'), aCase('b')));
    await turnlight(folder, ['run']);
    const args = ['compare', '--fail-on', 'worse'];
    assert.equal((await turnlight(folder, args)).code, 0);
    await kill(folder, 1);
    const { code, err } = await turnlight(folder, args);
    assert.match(err, /Cases may be missing/);
    assert.equal(code, 2);
  });

  it('does not pass compare --fail-on if a line of its record is damaged', async (t) => {
    const folder = await ranWith(t, suite(aCase('a'), aCase('b')));
    await turnlight(folder, ['run']);
    const record = (await recordsOf(folder)).at(-1) ?? '';
    const text = await readFile(record, 'utf8');
    await writeFile(record, text.replace('{"kind":"case"', '{{"kind":"case"'));
    assert.equal((await turnlight(folder, ['compare', '--fail-on', 'evidence'])).code, 2);
  });

  it('does not pass as shards of different divisions', async (t) => {
    const cases = ['a', 'b', 'c', 'd', 'e'].map((id) => aCase(id));
    const folder = await ranWith(t, suite(...cases), '--shard', '2/2');
    await turnlight(folder, ['run', '--shard', '1/3']);
    const { code, out } = await turnlight(folder, ['merge', '.turnlight/runs']);
    assert.match(out, /--shard 1\/2.*\n.*--shard 2\/3.*\n.*--shard 3\/3/);
    assert.equal(code, 2);
  });

  it('does not pass once it is merged, whatever reads it', async (t) => {
    const folder = await ranWith(t, suite(...['a', 'b', 'c'].map((id) => aCase(id))));
    await turnlight(folder, ['run', '--shard', '1/3']);
    const [whole = '', shard = ''] = await recordsOf(folder);
    assert.equal((await turnlight(folder, ['merge', shard])).code, 2);
    await rm(shard);
    const again = await turnlight(folder, ['merge', (await recordsOf(folder))[1] ?? '']);
    assert.match(again.out, /Run [0-9a-f]{8} is based on records that are incomplete/);
    assert.equal(again.code, 2);
    const compare = ['compare', basename(whole, '.jsonl').slice(-8), 'last', '--fail-on', 'worse'];
    assert.equal((await turnlight(folder, compare)).code, 2);
    for (const _again of [1, 2]) {
      const { code, err } = await turnlight(folder, ['judge']);
      assert.match(err, /Run [0-9a-f]{8} is based on records that are incomplete/);
      assert.equal(code, 2);
    }
    assert.equal((await turnlight(folder, compare)).code, 2);
  });
});

describe('a run that counts only some of its results', () => {
  it('does not reach --min-pass-rate if all its cases are skipped', async (t) => {
    const folder = await workspaceWith(t, {
      'bot.mjs': ECHO,
      'a.eval.yaml': suite(aCase('a', 'x', 'skip: true, ')),
    });
    assert.equal((await turnlight(folder, ['run'])).code, 0);
    assert.equal((await turnlight(folder, ['run', '--min-pass-rate', '0.5'])).code, 2);
  });

  it('shows that `only` narrows it', async (t) => {
    const text = suite(aCase('a', 'x', 'only: true, '), aCase('b'));
    const folder = await workspaceWith(t, { 'bot.mjs': ECHO, 'a.eval.yaml': text });
    assert.match((await turnlight(folder, ['run'])).out, /Running 1 of 2 cases, because of `only`/);
  });

  it('fails a case that stopped at a failing turn, whatever its threshold', async (t) => {
    const turn = (text: string) => `{user: ${text}, assert: [{type: contains, value: x}]}`;
    const stops = `  - {id: a, threshold: 0.5, stop_on_failure: true, turns: [${turn('y')}, ${turn('y')}], assert: [{type: contains, value: y}]}\n`;
    const folder = await workspaceWith(t, { 'bot.mjs': ECHO, 'a.eval.yaml': suite(stops) });
    assert.equal((await turnlight(folder, ['run'])).code, 1);
  });

  it('does not pass if it merges runs of different commits', async (t) => {
    const folder = await ranWith(t, suite(aCase('a'), aCase('b')), '--shard', '1/2');
    await turnlight(folder, ['run', '--shard', '2/2']);
    for (const [index, record] of (await recordsOf(folder)).entries()) {
      const text = await readFile(record, 'utf8');
      await writeFile(record, text.replace('{"kind":"run",', `$&"commit":"${index}abc",`));
    }
    const { code, out } = await turnlight(folder, ['merge', '.turnlight/runs']);
    assert.match(out, /different commits: 0abc, 1abc/);
    assert.equal(code, 2);
  });
});

describe('an earlier run', () => {
  it('is judged again wherever its record is', async (t) => {
    const folder = await ranWith(t, suite(aCase('a', 'y')));
    const [record = ''] = await recordsOf(folder);
    await mkdir(join(folder, 'downloaded'));
    await rename(record, join(folder, 'downloaded', 'run.jsonl'));
    const { code, out } = await turnlight(folder, ['judge', 'downloaded/run.jsonl']);
    assert.match(out, /1 failed/);
    assert.equal(code, 1);
  });

  it('does not pass if none of its cases is left', async (t) => {
    const folder = await ranWith(t, suite(aCase('a')));
    await writeFile(join(folder, 'a.eval.yaml'), suite(aCase('b')));
    assert.equal((await turnlight(folder, ['judge'])).code, 2);
  });

  for (const [kind, keys] of [
    ['function', 'path: ./check.mjs'],
    ['program', 'command: [node, check.mjs]'],
  ]) {
    it(`is resumed with new verdicts of a ${kind} that has changed`, async (t) => {
      const check = (pass: boolean) =>
        kind === 'function' ? `export default () => ${pass};` : `console.log('${pass}');`;
      const scripted = `  - {id: a, turns: [x], assert: [{type: script, ${keys}}]}\n`;
      const folder = await workspaceWith(t, {
        'bot.mjs': ECHO,
        'check.mjs': check(true),
        'a.eval.yaml': suite(scripted, aCase('b')),
      });
      assert.equal((await turnlight(folder, ['run', '--concurrency', '1'])).code, 0);
      await kill(folder, 1);
      await writeFile(join(folder, 'check.mjs'), check(false));
      assert.equal((await turnlight(folder, ['run', '--resume'])).code, 1);
    });
  }

  it('is not a pass for --only-failed if its record is empty', async (t) => {
    const folder = await ranWith(t, suite(aCase('a', 'y')));
    await writeFile((await recordsOf(folder))[0] ?? '', '');
    assert.equal((await turnlight(folder, ['run', '--only-failed'])).code, 2);
  });
});

describe('a variable that counts as a secret, and equals the name of a folder and a case', () => {
  it('changes no results', async (t) => {
    // The conversation doesn't contain the variable; otherwise, it couldn't be judged again.
    const failing = '  - {id: late-order, turns: [x], assert: [{type: contains, value: y}]}\n';
    const root = await workspaceWith(t, {
      'late-order/bot.mjs': ECHO,
      'late-order/a.eval.yaml': suite(failing, aCase('b')),
    });
    const folder = join(root, 'late-order');
    const env = { SONAR_PROJECT_KEY: 'late-order' };
    for (const args of [['run'], ['run', '--only-failed'], ['judge']]) {
      const { code, out } = await turnlight(folder, args, env);
      assert.match(out, /1 failed, 0 errored/);
      assert.equal(code, 1, args.join(' '));
    }
  });
});

describe('the files of a run', () => {
  const judged = (id: string, prompt: string, more = '') =>
    `  - {id: ${id}, skip: true, turns: [x], assert: [{type: llm-judge, prompt: ${prompt}, judge: "openai:m"}${more}]}\n`;

  it('include a suite that another one only refers to', async (t) => {
    const folder = await workspaceWith(t, {
      'bot.mjs': ECHO,
      'a.eval.yaml': suite(aCase('a'), judged('j', './b.eval.yaml')),
      'b.eval.yaml': suite(aCase('b', 'y')),
    });
    const { code, out } = await turnlight(folder, ['run']);
    assert.match(out, /1 passed, 1 failed/);
    assert.equal(code, 1);
  });

  it('include a file once that is named directly and through a link', async (t) => {
    const folder = await workspaceWith(t, {
      'd/bot.mjs': ECHO,
      'd/a.eval.yaml': suite(aCase('a', 'y'), aCase('b')),
    });
    await symlink(join(folder, 'd'), join(folder, 'link'), 'junction');
    const { out } = await turnlight(folder, ['run', 'link', 'd']);
    assert.match(out, /Cases: 1 passed, 1 failed/);
    const { code, err } = await turnlight(folder, ['judge']);
    assert.doesNotMatch(err, /missing/);
    assert.equal(code, 1);
  });

  it('include a suite that refers to itself', async (t) => {
    const text = suite(judged('j', './a.eval.yaml', ', {type: no-such-type}'));
    const folder = await workspaceWith(t, { 'bot.mjs': ECHO, 'a.eval.yaml': text });
    const { code, err, out } = await turnlight(folder, ['check']);
    assert.match(`${out}${err}`, /no-such-type/);
    assert.equal(code, 3);
  });

  it('include one of two suites that include each other', async (t) => {
    const folder = await workspaceWith(t, {
      'bot.mjs': ECHO,
      'a.eval.yaml': `include: [./b.eval.yaml]\n${suite(aCase('a'))}`,
      'b.eval.yaml': `include: [./a.eval.yaml]\n${suite(aCase('b'))}`,
    });
    const { code, out, err } = await turnlight(folder, ['check']);
    assert.match(`${out}${err}`, /Checked 1 file/);
    assert.equal(code, 3);
  });
});
