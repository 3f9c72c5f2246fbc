import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { appendFile, copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { runProgram } from '../../../src/cli/commands.ts';
import { turnlight } from '../../support/commandLine.ts';
import {
  buildVerdict,
  type Given,
  judgedLine,
  noisyRun,
  writeRun,
} from '../../support/comparing.ts';
import { fakeShell } from '../../support/fakeShell.ts';
import { tries } from '../../support/long.ts';
import { workspaceWith } from '../../support/runs.ts';

const SUITE =
  'cases:\n  - {id: a, transcript: [{user: Hi}, {assistant: x}], assert: [{type: contains, value: x}]}\n';

const folderWith = (t: TestContext) => workspaceWith(t, { 'suite.eval.yaml': SUITE });

function cases(count: number, given: (id: number) => Given) {
  return Array.from({ length: count }, (_, id) =>
    judgedLine(`case-${id}`, [buildVerdict(given(id))]),
  );
}

describe('turnlight compare', () => {
  it('compares the last run with the previous one, and fails a build with --fail-on', async (t) => {
    const folder = await folderWith(t);
    await writeRun(folder, { lines: cases(200, () => 1) });
    await writeRun(folder, { lines: cases(200, (id) => (id === 137 ? 0 : 1)) });
    const told = await turnlight(folder, ['compare']);
    assert.equal(told.err, '');
    assert.equal(told.code, 0);
    assert.match(told.out, /What changed\n {2}No recorded differences/);
    assert.match(told.out, /No evidence of a change in 200 cases\./);
    assert.match(told.out, /↓ 1 worse\n {2}case-137: passed → failed {2}suite\.eval\.yaml:10\n/);
    assert.match(told.out, /Kind: passed 1\.00 → failed 0\.00 {2}suite\.eval\.yaml:14: It is 0\./);
    assert.match(told.out, /Judge noise\n {2}openai:judge changed its verdict on 1 of 200/);
    assert.match(told.out, /Cases: 1 worse, 199 unchanged\n$/);
    assert.equal((await turnlight(folder, ['compare', '--fail-on', 'worse'])).code, 1);
    assert.equal((await turnlight(folder, ['compare', '--fail-on', 'evidence'])).code, 0);
    assert.equal(
      (await turnlight(folder, ['compare', 'last', 'previous', '--fail-on', 'worse'])).code,
      0,
    );
  });

  it('takes a run of another file that includes the same cases as the previous one', async (t) => {
    const shared = 'cases:\n  - {id: a, turns: [Hi], assert: [{type: contains, value: short}]}\n';
    const suite = (name: string) =>
      `target: {type: module, path: ./${name}.mjs}\ninclude: [cases.yaml]\n`;
    const folder = await workspaceWith(t, {
      'cases.yaml': shared,
      'long.eval.yaml': suite('long'),
      'short.eval.yaml': suite('short'),
      'long.mjs': 'export default () => "long";\n',
      'short.mjs': 'export default () => "short";\n',
      'suite.eval.yaml': SUITE,
    });
    const run = async (file: string) => (await turnlight(folder, ['run', file])).code;
    assert.equal(await run('long.eval.yaml'), 1);
    assert.equal(await run('suite.eval.yaml'), 0);
    assert.equal(await run('short.eval.yaml'), 0);
    const { code, out, err } = await turnlight(folder, ['compare']);
    assert.equal(code, 0, err);
    assert.match(out, /↑ 1 better\n {2}a: failed 0\.00 → passed 1\.00/);
    // A run of the same file is preferred, even if it is older.
    assert.equal(await run('long.eval.yaml'), 1);
    assert.match((await turnlight(folder, ['compare'])).out, /Cases: 1 unchanged\n$/);
    assert.equal(await run('suite.eval.yaml'), 0);
    assert.match((await turnlight(folder, ['compare'])).out, /Cases: 1 unchanged\n$/);
  });

  it('treats a system text from another environment as another agent', async (t) => {
    const text = `target: {type: module, path: ./bot.mjs, system: "\${env:PROMPT}", env: {TOKEN: "\${env:TOKEN}"}}
cases:
  - {id: a, turns: [Hi], assert: [{type: contains, value: Hi}]}
`;
    const folder = await workspaceWith(t, {
      'bot.mjs': 'export default () => "Hi";\n',
      'suite.eval.yaml': text,
    });
    const run = async (PROMPT: string, TOKEN: string) => {
      const { code, out, err } = await turnlight(folder, ['run'], { PROMPT, TOKEN });
      assert.equal(code, 0, out + err);
    };
    const compared = async () => (await turnlight(folder, ['compare'])).out;
    await run('Be brief.', 'secret-one');
    await run('Be brief.', 'secret-two');
    assert.doesNotMatch(await compared(), /environment [0-9a-f]{8}.*environment/s);
    await run('Be rude.', 'secret-two');
    assert.match(await compared(), /environment [0-9a-f]{8}.*environment [0-9a-f]{8}/s);
  });

  it('lists the only turn that got worse in 200 cases, even if its case still passes', async (t) => {
    const folder = await folderWith(t);
    const run = (worse: number) =>
      Array.from({ length: 200 }, (_, id) => {
        const last = id === worse ? 0 : 1;
        const turns = [2, 4].map((turn): [number, Given] => [turn, turn === 4 ? last : 1]);
        return judgedLine(`case-${id}`, [buildVerdict((1 + last) / 2, { turns })]);
      });
    await writeRun(folder, { lines: run(-1) });
    await writeRun(folder, { lines: run(137) });
    const { code, out } = await turnlight(folder, ['compare', '--fail-on', 'worse']);
    assert.equal(code, 1);
    assert.match(out, /↓ 1 worse\n {2}case-137: passed → passed.*\n.*Kind: .*worse in turn 4/);
    assert.match(out, /No evidence of a change in 200 cases\./);
    assert.match(out, /Cases: 1 worse, 199 unchanged\n$/);
  });

  it('finds no evidence between two runs of the same agent with a noisy judge, in 95% of simulations', async (t) => {
    const folder = await folderWith(t);
    const told = async (seed: number, isBad: (id: number) => boolean) => {
      const base = await writeRun(folder, { lines: noisyRun(2 * seed, 0.1, 3, () => false) });
      const head = await writeRun(folder, { lines: noisyRun(2 * seed + 1, 0.1, 3, isBad) });
      const { shell, text } = fakeShell(folder);
      const args = ['compare', base.path, head.path, '--fail-on', 'evidence'];
      return { code: await runProgram(args, shell), ...text };
    };
    const simulations = tries(100, 10);
    let silent = 0;
    for (let seed = 500; seed < 500 + simulations; seed += 1) {
      const { code, out, err } = await told(seed, () => false);
      assert.equal(err, '');
      // The judge changes some verdicts in every simulation.
      assert.match(out, /↓ [1-9]\d* worse\n/);
      assert.match(out, /openai:judge changed its verdict on [1-9]/);
      if (code === 0 && /No evidence of a change in 200 cases\./.test(out)) silent += 1;
    }
    assert.ok(silent >= 0.95 * simulations, `${silent} of ${simulations}`);
    // Judge errors don't hide a real change.
    const { code, out } = await told(600, (id) => id % 4 === 0);
    assert.equal(code, 1);
    assert.match(out, /Evidence of a change for the worse: Assertion 0/);
  });

  it('explains its arguments if there is no eval file', async (t) => {
    const folder = await folderWith(t);
    await mkdir(join(folder, 'empty'));
    const { code, err } = await turnlight(join(folder, 'empty'), ['compare']);
    assert.equal(code, 3);
    assert.match(
      err,
      /No eval files .* in this folder\. Change to the folder .* run record \(\*\.jsonl\)\./,
    );
    assert.doesNotMatch(err, /glob/);
  });

  it('compares with the previous run of the same file', async (t) => {
    const folder = await folderWith(t);
    const base = await writeRun(folder, { lines: cases(2, () => 1) });
    const files = [
      { path: 'other.eval.yaml', hash: '' },
      { path: 'unseen.eval.yaml', hash: '' },
    ];
    await writeFile(join(folder, 'other.eval.yaml'), 'cases: []\n');
    await writeRun(folder, { lines: cases(2, () => 0), files });
    await writeRun(folder, { lines: cases(2, () => 1) });
    const { out } = await turnlight(folder, ['compare']);
    assert.match(out, new RegExp(`^Before: ${base.id} `));
  });

  it('fails on evidence of 20 of 200, in Markdown and JSON', async (t) => {
    const folder = await folderWith(t);
    const base = await writeRun(folder, { lines: cases(200, () => 1) });
    const head = await writeRun(folder, { lines: cases(200, (id) => (id % 10 === 0 ? 0 : 1)) });
    const args = ['compare', base.id, head.path, '--fail-on', 'evidence', '--format'];
    const markdown = await turnlight(folder, [...args, 'markdown']);
    assert.equal(markdown.code, 1);
    assert.match(markdown.out, /^# Evidence of a change for the worse: Kind 1\.00 → 0\.90/);
    assert.match(markdown.out, /\n\| --- \|/);
    const json = await turnlight(folder, [...args, 'json']);
    assert.equal(json.code, 1);
    const parsed = JSON.parse(json.out);
    assert.equal(parsed.counts.worse, 20);
    assert.equal(parsed.cases.length, 20);
    assert.equal(parsed.evidence[0].says, 'worse');
    assert.match(parsed.sentence, /^Evidence of a change for the worse/);
  });

  it('exits with 2 if a passed case can no longer be judged', async (t) => {
    const folder = await folderWith(t);
    await writeRun(folder, { lines: cases(8, () => 1) });
    await writeRun(folder, { lines: cases(8, (id) => (id === 0 ? 'error' : 1)) });
    const { code, out } = await turnlight(folder, ['compare', '--fail-on', 'worse']);
    assert.equal(code, 2);
    assert.match(
      out,
      /\? 1 could not be judged in one of the runs, or did not apply\n {2}case-0: passed → errored/,
    );
  });

  it('accepts a commit or branch for its last run, and a copied record', async (t) => {
    const folder = await folderWith(t);
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@example.com', ...args], {
        cwd: folder,
        encoding: 'utf8',
      }).trim();
    git('init', '-q', '-b', 'main');
    git('add', '.');
    git('commit', '-qm', 'First');
    const commit = git('rev-parse', 'HEAD');
    await writeRun(folder, { lines: cases(8, () => 0), commit });
    const base = await writeRun(folder, { lines: cases(8, () => 1), commit });
    const files = [{ path: 'suite.eval.yaml', hash: '0'.repeat(64), cases: ['case-0'] }];
    await writeRun(folder, { lines: cases(1, () => 0), commit, files });
    await writeRun(folder, { lines: cases(8, () => 0) });
    for (const name of ['main', commit.slice(0, 10)]) {
      const { out, code } = await turnlight(folder, ['compare', name]);
      assert.equal(code, 0);
      assert.match(out, new RegExp(`Before: ${base.id} .* at ${commit.slice(0, 12)}`));
    }
    const elsewhere = join(folder, 'downloads/base.jsonl');
    await mkdir(join(folder, 'downloads'));
    await copyFile(base.path, elsewhere);
    const { out } = await turnlight(folder, ['compare', 'downloads/base.jsonl', 'last']);
    assert.match(out, /Cases: 8 worse\n$/);
    git('commit', '-qm', 'Second', '--allow-empty');
    const { err, code } = await turnlight(folder, ['compare', 'main']);
    assert.equal(code, 3);
    assert.match(
      err,
      /These files have no run at commit [0-9a-f]{12} \(main\)\. Run them at that commit first\./,
    );
  });

  it('reports invalid names and unreadable lines', async (t) => {
    const folder = await folderWith(t);
    assert.match((await turnlight(folder, ['compare'])).err, /These files have no runs/);
    const base = await writeRun(folder, { lines: cases(2, () => 1) });
    const only = await turnlight(folder, ['compare']);
    assert.equal(only.code, 3);
    assert.match(
      only.err,
      /There is only one run of these files\. Run them again to have two to compare\./,
    );
    assert.match((await turnlight(folder, ['compare', 'last', base.id])).err, /are the same run/);
    assert.match(
      (await turnlight(folder, ['compare', '--output=x', 'last'])).err,
      /unknown option/,
    );
    assert.match(
      (await turnlight(folder, ['compare', 'nowhere'])).err,
      /"nowhere" is not a run\. Expected a run id/,
    );
    await writeFile(join(folder, 'none.jsonl'), '{}\n');
    assert.match((await turnlight(folder, ['compare', 'none.jsonl'])).err, /not a run record/);
    await writeRun(folder, { lines: cases(2, () => 1), ended: false });
    await appendFile(base.path, 'torn');
    const { out, err } = await turnlight(folder, ['compare']);
    assert.match(err, /line 5: this is not a line of a run record/);
    assert.match(out, /After: .*not finished/);
  });
});
