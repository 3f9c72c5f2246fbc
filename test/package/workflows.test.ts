import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdir, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { glob } from 'tinyglobby';
import { ownFolders } from '../support/answersFolder.ts';
import { startModelServer } from '../support/modelServer/server.ts';
import { json } from '../support/modelServer/steps.ts';
import { pack } from '../support/pack.ts';
import { workspaceWith } from '../support/runs.ts';
import { GUIDE, type Job, workflows } from '../support/workflows.ts';

const passing = (turn: number) => ({
  turn,
  applicable: true,
  rationale: 'It does.',
  evidence: '',
  verdict: 'pass',
});
const MET = { criterion: 1, rationale: 'It does.', outcome: 'met', turns: [2, 4].map(passing) };

/** Runs a command line without a network, except for the model server. */
async function shell(command: string, cwd: string, baseUrl: string): Promise<string> {
  const { PATH, HOME } = process.env;
  const env = {
    ...ownFolders({ PATH, HOME, CI: 'true', npm_config_offline: 'true' }),
    OPENAI_BASE_URL: baseUrl,
    OPENAI_API_KEY: 'sk-of-a-test',
  };
  const { stdout } = await promisify(execFile)('bash', ['-c', command], { cwd, env });
  return stdout;
}

/** A new repository that installs Turnlight as the guide says, with an eval file that needs a judge. */
async function repository(t: TestContext, baseUrl: string): Promise<string> {
  const tarball = await pack(t);
  const folder = await workspaceWith(t, { 'package.json': '{"name": "theirs", "private": true}' });
  await cp(tarball, join(folder, 'vendor', basename(tarball)));
  const [install = ''] = /^npm install .+\.tgz$/m.exec(GUIDE) ?? [];
  await shell(install, folder, baseUrl);
  await shell('npx turnlight init --judge openai:gpt-5-mini', folder, baseUrl);
  await rm(join(folder, 'node_modules'), { recursive: true });
  return folder;
}

/** Runs the steps of a job in a clone, as a runner does. @returns the output @throws if a command fails */
async function runJob(
  { steps }: Job,
  clone: string,
  artifacts: string,
  part: number,
  baseUrl: string,
): Promise<string> {
  let output = '';
  const filled = (text: unknown) =>
    String(text).replaceAll(/\$\{\{ matrix\.part \}\}/g, String(part));
  for (const { run, uses = '', with: given = {} } of steps) {
    if (run) output += await shell(filled(run), clone, baseUrl);
    if (uses.startsWith('actions/upload-artifact')) {
      const paths = filled(given.path).trim().split('\n');
      const files = await glob(paths, { cwd: clone, dot: true });
      for (const file of files) {
        await cp(join(clone, file), join(artifacts, filled(given.name), basename(file)));
      }
    }
    if (uses.startsWith('actions/download-artifact')) {
      const files = await glob(`${given.pattern}/*`, { cwd: artifacts, absolute: true });
      for (const file of files) await cp(file, join(clone, String(given.path), basename(file)));
    }
  }
  return output;
}

describe('the workflows in the guide to CI', { timeout: 300_000 }, () => {
  for (const [index, jobs] of workflows().entries()) {
    it(`exit with 0 in a repository without a registry: ${Object.keys(jobs).join()}`, async (t) => {
      const server = await startModelServer(() => json({ criteria: [MET], rationale: 'It does.' }));
      t.after(() => server.close());
      const folder = await repository(t, server.baseUrl);
      const scratch = await workspaceWith(t, {});
      const artifacts = join(scratch, 'artifacts');
      await mkdir(artifacts);
      let output = '';
      for (const [name, job] of Object.entries(jobs)) {
        for (const part of job.strategy?.matrix.part ?? [1]) {
          const clone = join(scratch, `${name}-${part}`);
          await cp(folder, clone, { recursive: true });
          output = await runJob(job, clone, artifacts, part, server.baseUrl);
        }
      }
      assert.match(output, /Cases: 1 passed, 0 failed, 0 errored/, String(index));
      assert.equal(server.requests.length, 1);
      const uploaded = await glob('evals/*', { cwd: artifacts });
      assert.match(uploaded.sort().join(), /^evals\/[^,]+\.jsonl,evals\/evals\.xml$/);
    });
  }
});
