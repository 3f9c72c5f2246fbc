import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createProgram } from '../../../src/cli/commands.ts';
import type { Shell } from '../../../src/cli/shell.ts';
import { workflows } from '../../support/workflows.ts';

/** The options that a command has, and those that a workflow step passes. */
function optionsOf(run: string): { readonly known: string[]; readonly given: string[] } {
  const [, name, rest = ''] = /npx turnlight (\w+)(.*)/.exec(run) ?? [];
  const program = createProgram({} as Shell, () => {});
  const command = program.commands.find((one) => one.name() === name);
  assert.ok(command, run);
  const known = command.options.flatMap(({ long }) => long ?? []);
  return { known, given: rest.match(/--[a-z-]+/g) ?? [] };
}

describe('the workflows in the guide to CI', () => {
  it('are YAML with steps that run commands with options that there are', () => {
    const found = workflows();
    assert.equal(found.length, 2);
    for (const { steps } of found.flatMap((jobs) => Object.values(jobs))) {
      for (const { run, uses } of steps) {
        assert.ok(run || uses);
        if (!run?.includes('turnlight')) continue;
        const { known, given } = optionsOf(run);
        for (const option of given) assert.ok(known.includes(option), `${run}: ${option}`);
      }
    }
  });

  it('run as many parts as the matrix has, and merge what each uploads', () => {
    const [, sharded] = workflows();
    const { run, merge } = sharded ?? {};
    const parts = run?.strategy?.matrix.part ?? [];
    const ran = run?.steps.find((step) => step.run?.includes('--shard'))?.run;
    assert.match(ran ?? '', new RegExp(`--shard \\$\\{\\{ matrix\\.part \\}\\}/${parts.length}$`));
    assert.deepEqual(
      parts,
      parts.map((_part, index) => index + 1),
    );
    assert.equal(merge?.needs, 'run');
    const down = merge?.steps.find(({ uses }) => uses?.startsWith('actions/download-artifact'));
    assert.match(
      JSON.stringify(down?.with),
      /"pattern":"evals-\*","path":"parts","merge-multiple":true/,
    );
    assert.ok(merge?.steps.some((step) => step.run?.includes('turnlight merge parts')));
  });
});
