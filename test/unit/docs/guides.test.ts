import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { ROOT } from '../../../scripts/docs/pages.ts';
import { turnlight } from '../../support/commandLine.ts';
import { exampleFiles } from '../../support/docsExample.ts';
import { workspaceWith } from '../../support/runs.ts';

const guide = (name: string) => readFileSync(join(ROOT, `docs/guides/${name}.md`), 'utf8');

const noPython =
  spawnSync('python3', ['--version']).status === 0 ? false : 'SKIPPED: there is no python3 here';

describe('the guides, followed by the letter', () => {
  it('lead from a new file that passes to a change that fails', async (t) => {
    const page = guide('first-eval');
    const files = exampleFiles(page);
    const folder = await workspaceWith(t, {});
    const commands = [...page.matchAll(/^turnlight (.+)$/gm)].map(([, args = '']) =>
      args.split(' '),
    );
    const [init = [], run = [], report = []] = commands;
    assert.deepEqual([init, run], [['init'], ['run', 'evals']]);
    await turnlight(folder, init);
    for (const name of ['evals/support.eval.yaml', 'evals/agent.mjs']) {
      const text = readFileSync(join(folder, name), 'utf8');
      assert.ok(files[name]?.trim().endsWith(text.trim()), name);
    }
    const { code, out } = await turnlight(folder, run);
    assert.equal(code, 0, out);
    const [, change = ''] = /```js\n(const said = .+)\n```/.exec(page) ?? [];
    const agent = files['evals/agent.mjs'] ?? '';
    await writeFile(join(folder, 'evals/agent.mjs'), agent.replace(/const said = .+/, change));
    const broken = await turnlight(folder, report);
    assert.equal(broken.code, 1, broken.out);
    assert.match(broken.out, /Turn 4/);
    assert.doesNotMatch(broken.out, /Turn 2/);
    assert.match(readFileSync(join(folder, 'evals.html'), 'utf8'), /98765/);
  });

  it('have a Python agent that passes its case', { skip: noPython }, async (t) => {
    const folder = await workspaceWith(t, exampleFiles(guide('targets')));
    const { code, out } = await turnlight(folder, ['run', 'orders.eval.yaml']);
    assert.equal(code, 0, out);
  });

  it('have a function and transcripts that pass their cases', async (t) => {
    const folder = await workspaceWith(t, exampleFiles(guide('targets')));
    const files = ['echo.eval.yaml', 'recorded.eval.yaml', 'team.eval.yaml'];
    const { code, out } = await turnlight(folder, ['run', ...files]);
    assert.equal(code, 0, out);
  });
});
