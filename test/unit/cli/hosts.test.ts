import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { turnlight, turnlightProcess } from '../../support/commandLine.ts';
import { workspaceWith } from '../../support/runs.ts';

/** A host that no name server knows. */
const FOREIGN = 'llm.example.invalid';

const FILES = {
  'a.eval.yaml': `models: {j: {provider: openai, model: m, base_url: "https://${FOREIGN}/v1", timeout: 300}}
cases: [{id: a, judge: j, transcript: [{user: Hi}, {assistant: x}], assert: [It greets.]}]
`,
};

const KEY = { OPENAI_API_KEY: 'sk-test-0123456789' };

/** The error of a run that tried to reach the host. */
const ASKED = /cannot be reached|did not answer/;

describe('a run that would send a key to a forbidden host', () => {
  it('sends nothing, exits with 3, and shows how to allow the host', async (t) => {
    const folder = await workspaceWith(t, FILES);
    const { code, err, out } = await turnlight(folder, ['run'], KEY);
    assert.equal(code, 3);
    assert.match(err, /wants to send OPENAI_API_KEY to llm\.example\.invalid/);
    assert.match(
      err,
      /run: turnlight trust llm\.example\.invalid=OPENAI_API_KEY\nNothing was run\./,
    );
    assert.equal(out, '');
  });

  it("sends none to its provider's own host with the file's credentials", async (t) => {
    const agent = `{type: chat, model: m, system: "\${env:OTHER_TOKEN}"}`;
    const file = `models: {m: {provider: openai, model: m, headers: {Authorization: Bearer theirs}}}
cases: [{id: a, target: ${agent}, turns: [Hi], assert: [{type: contains, value: x}]}]
`;
    const folder = await workspaceWith(t, { 'a.eval.yaml': file });
    const { code, err } = await turnlight(folder, ['run'], { OTHER_TOKEN: 'token-0123456789' });
    assert.equal(code, 3);
    assert.match(err, /trust api\.openai\.com=OTHER_TOKEN\nNothing was run\./);
  });

  for (const [how, args, env] of [
    ['--allow-host', ['--allow-host', FOREIGN], {}],
    ['--allow-host for that key', ['--allow-host', `${FOREIGN}=OPENAI_API_KEY`], {}],
    ['TURNLIGHT_ALLOW_HOSTS', [], { TURNLIGHT_ALLOW_HOSTS: `other.example.com ${FOREIGN}` }],
  ] as const) {
    it(`runs with ${how}`, async (t) => {
      const folder = await workspaceWith(t, FILES);
      const { code, out } = await turnlight(folder, ['run', ...args], { ...KEY, ...env });
      assert.equal(code, 2);
      assert.match(out, ASKED);
    });
  }

  it('goes on after `turnlight trust`, and not with another variable', async (t) => {
    const folder = await workspaceWith(t, FILES);
    const other = await turnlight(folder, ['trust', `${FOREIGN}=ANOTHER`]);
    assert.match(other.out, /Allowed: llm\.example\.invalid may receive ANOTHER\./);
    assert.equal((await turnlight(folder, ['run'], KEY)).code, 3);
    assert.equal((await turnlight(folder, ['trust', `${FOREIGN}=OPENAI_API_KEY`])).code, 0);
    const { code, out } = await turnlight(folder, ['run'], KEY);
    assert.equal(code, 2);
    assert.match(out, ASKED);
  });

  const decidedByCheckout = [
    'npm_package_config_url',
    'CI_COMMIT_TITLE',
    'GITHUB_HEAD_REF',
    'CHANGE_TITLE',
    'APPVEYOR_REPO_COMMIT_MESSAGE',
    'SEMAPHORE_GIT_PR_NAME',
    'SOME_OTHER_MESSAGE',
    'BITRISE_PULL_REQUEST_REPOSITORY_URL',
    'VERCEL_BRANCH_URL',
  ];
  for (const name of decidedByCheckout) {
    it(`also asks if the address is \${env:${name}}, which a checkout can set`, async (t) => {
      const file = FILES['a.eval.yaml'].replace(`https://${FOREIGN}/v1`, `\${env:${name}}`);
      const folder = await workspaceWith(t, { 'a.eval.yaml': file });
      const env = { ...KEY, [name]: `https://${FOREIGN}/v1` };
      const { code, err } = await turnlight(folder, ['run'], env);
      assert.equal(code, 3);
      assert.match(err, /wants to send OPENAI_API_KEY.* to llm\.example\.invalid/);
    });
  }

  it('needs no permission if no key is set', async (t) => {
    const folder = await workspaceWith(t, FILES);
    assert.match((await turnlight(folder, ['run'])).out, ASKED);
  });
});

describe('allowed hosts', () => {
  it('must be hosts: anything else is refused', async (t) => {
    const folder = await workspaceWith(t, FILES);
    for (const wrong of ['https://a.example.com', 'a.example.com/v1', 'a b=', '=KEY', '*']) {
      const { code, err } = await turnlight(folder, ['run', '--allow-host', wrong], KEY);
      assert.equal(code, 3, wrong);
      assert.match(err, /expected a host such as llm\.example\.com/, wrong);
    }
  });

  it("are stored in the user's file; a broken file is reported, and allows nothing", async (t) => {
    const folder = await workspaceWith(t, FILES);
    await turnlight(folder, ['trust', 'a.example.com']);
    await writeFile(join(folder, '.config/turnlight/allowed-hosts.json'), '{"a": true}');
    const { code, err } = await turnlight(folder, ['run'], KEY);
    assert.equal(code, 3);
    assert.match(err, /allowed-hosts\.json, can't be read/);
  });
});

describe("the user's folders in a checkout", () => {
  const hosts = JSON.stringify({ [FOREIGN]: ['*'] });
  const CACHED = `target: {type: module, path: ./bot.mjs, cache: true}
cases: [{id: a, turns: [Hi], assert: [{type: contains, value: x}]}]
`;

  it('allow no hosts, because anyone could commit the file', async (t) => {
    const folder = await workspaceWith(t, {
      ...FILES,
      '.git/HEAD': '',
      '.config/turnlight/allowed-hosts.json': hosts,
    });
    const { code, err } = await turnlight(folder, ['run'], KEY);
    assert.equal(code, 3);
    assert.match(err, /allowed-hosts\.json, is in the workspace, where anyone who commits/);
    const relative = await turnlight(folder, ['run'], { ...KEY, XDG_CONFIG_HOME: '.config' });
    assert.doesNotMatch(relative.err, /greets/);
    assert.equal(relative.code, 3);
  });

  it('store no answers, even if a folder in the checkout looks like a workspace', async (t) => {
    const folder = await workspaceWith(t, {
      '.git/HEAD': '',
      'evals/.turnlight/runs/.keep': '',
      'evals/bot.mjs': "export default () => 'x';",
      'evals/a.eval.yaml': CACHED,
    });
    const env = { TURNLIGHT_CACHE_DIR: join(folder, '.cache') };
    const { out, err } = await turnlight(join(folder, 'evals'), ['run'], env);
    assert.match(`${out}${err}`, /answers is in the workspace, where anyone who commits a file/);
  });

  it('store no answers, even if they are in the home folder', async (t) => {
    const folder = await workspaceWith(t, {
      '.git/HEAD': '',
      'bot.mjs': "export default () => 'x';",
      'a.eval.yaml': CACHED,
    });
    const env = { HOME: folder, XDG_CACHE_HOME: '', TURNLIGHT_CACHE_DIR: '' };
    const { code, err, out } = await turnlightProcess(folder, ['run'], env);
    assert.equal(code, 0);
    assert.match(`${out}${err}`, /answers is in the workspace, where anyone who commits a file/);
    assert.equal(existsSync(join(folder, '.cache')), false);
  });
});

describe('a plan', () => {
  it('lists the contacted hosts, and the keys that they would get', async (t) => {
    const folder = await workspaceWith(t, FILES);
    const { out } = await turnlight(folder, ['plan'], KEY);
    assert.match(out, /^Requests would go to llm\.example\.invalid, with OPENAI_API_KEY\.$/m);
    const json = JSON.parse((await turnlight(folder, ['plan', '--format', 'json'])).out);
    assert.deepEqual(json.hosts, [{ host: FOREIGN, variables: [] }]);
  });
});
