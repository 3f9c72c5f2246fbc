import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { turnlight } from '../../support/commandLine.ts';
import { workspaceWith } from '../../support/runs.ts';

/** An address that is never reached: each run is rejected before it starts, or the host doesn't exist. */
const AWAY = 'https://gateway.invalid/v1';
const KEY = 'sk-never-sent';

const suiteOf = (judge: string) => `judge: ${judge}
cases:
  - id: a
    transcript: [{user: Hi}, {assistant: Hello}]
    assert: [The agent greets.]
`;

const WAYS: Readonly<Record<string, readonly [judge: string, dotenv: string]>> = {
  "a provider's variable": ['openai:j', `OPENAI_BASE_URL=${AWAY}\n`],
  'a variable that the eval file has as its address': [
    `{provider: openai, model: j, base_url: '\${env:GW_URL}', timeout: 1}`,
    `GW_URL=${AWAY}\n`,
  ],
  "a provider's variable with a blank before it": [
    'azure-openai:j',
    'AZURE_OPENAI_ENDPOINT="\u00a0https://gateway.invalid"\n',
  ],
};

describe('an address in the file of --dotenv', () => {
  for (const [what, [judge, dotenv]] of Object.entries(WAYS)) {
    it(`gets no other keys through ${what}`, async (t) => {
      const folder = await workspaceWith(t, { 'suite.eval.yaml': suiteOf(judge), '.env': dotenv });
      for (const env of [{}, { CI: '1' }]) {
        const run = ['run', '--dotenv', '.env'];
        const { code, err } = await turnlight(folder, run, {
          OPENAI_API_KEY: KEY,
          AZURE_OPENAI_API_KEY: KEY,
          ...env,
        });
        assert.equal(code, 3, err);
        assert.match(err, /The --dotenv file wants to send \w+_API_KEY to gateway\.invalid/);
      }
    });

    it(`gets the key of the same file through ${what}`, async (t) => {
      const files = {
        'suite.eval.yaml': suiteOf(judge),
        '.env': `${dotenv}OPENAI_API_KEY=${KEY}\nAZURE_OPENAI_API_KEY=${KEY}\n`,
      };
      const folder = await workspaceWith(t, files);
      const { err } = await turnlight(folder, ['run', '--dotenv', '.env', '--timeout', '1']);
      assert.doesNotMatch(err, /not allowed/);
    });
  }
});

describe('variables in the file of --dotenv', () => {
  it('are passed to programs of targets, but ignored by git and Turnlight', async (t) => {
    const folder = await workspaceWith(t, {
      'suite.eval.yaml': `target: {type: module, path: ./agent.mjs}
cases: [{id: a, turns: [Hi], assert: [{type: equals, value: from the file}]}]
`,
      'agent.mjs': 'export default () => process.env.AGENT_SAYS;\n',
      victim: 'mine',
    });
    const victim = join(folder, 'victim');
    const names = ['GITHUB_STEP_SUMMARY', 'GIT_TRACE', 'GIT_TRACE2_EVENT'];
    const lines = ['AGENT_SAYS="from the file"', ...names.map((name) => `${name}=${victim}`)];
    await writeFile(join(folder, '.env'), lines.join('\n'));
    const run = ['run', '--dotenv', '.env', '--reporter', 'terminal', '--reporter', 'github'];
    const { code, err } = await turnlight(folder, run);
    assert.equal(code, 0, err);
    assert.equal(await readFile(victim, 'utf8'), 'mine');
  });
});

describe('the file of --dotenv', () => {
  it('is no judge prompt', async (t) => {
    const folder = await workspaceWith(t, {
      'suite.eval.yaml': `cases:
  - {id: a, judge: openai:j, transcript: [{user: Hi}, {assistant: x}], assert: [{type: llm-judge, prompt: ./ci.env}]}
`,
      'ci.env': `OPENAI_API_KEY=${KEY}\n`,
    });
    for (const command of ['run', 'plan']) {
      const { code, err } = await turnlight(folder, [command, '--dotenv', 'ci.env']);
      assert.equal(code, 3, command);
      assert.match(err, /"ci\.env" may contain secrets/);
    }
  });
});
