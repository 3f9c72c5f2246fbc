import assert from 'node:assert/strict';
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { Workbench } from '../support/host/workbench.ts';
import { answer, entry, fails } from '../support/judging.ts';
import { describeLong } from '../support/long.ts';
import { type ModelServer, startModelServer } from '../support/modelServer/server.ts';
import { json } from '../support/modelServer/steps.ts';

const suiteOf = (
  baseUrl: string,
) => `judge: {provider: azure-openai, model: m, base_url: "${new URL(baseUrl).origin}", api_key_env: TURNLIGHT_TEST_KEY}
role: A service desk.
cases:
  - id: order
    together: true
    transcript:
      - user: Where is my order?
      - assistant: It was shipped on Monday.
    assert: [{type: turn-relevancy}, {type: role-adherence, threshold: 1}]
`;

describeLong('questions asked together, in the editor', () => {
  let folder: string;
  let server: ModelServer;
  let suite: string;
  let workbench: Workbench;

  before(async () => {
    const answers = { 'turn-relevancy': answer(entry(2)), 'role-adherence': answer(fails(2)) };
    server = await startModelServer([json(answers)]);
    folder = await realpath(await mkdtemp(join(tmpdir(), 'turnlight-together-')));
    suite = join(folder, 'suite.eval.yaml');
    await writeFile(suite, suiteOf(server.baseUrl));
    workbench = await Workbench.open({ folder, trusted: true });
    await workbench.window.open(suite, 4);
    await workbench.window.served(suite);
    await workbench.window.command('turnlight.openConversation');
  });

  after(async () => {
    await workbench?.close();
    await server?.close();
    await rm(folder, { recursive: true, force: true });
  });

  it('are one request, as the view shows at each verdict', async () => {
    const view = await workbench.frameWith('.facts');
    await view.getByRole('button', { name: 'Run' }).click();
    await view.locator('.badge[data-status="fail"]').first().waitFor();
    assert.equal(server.requests.length, 1);
    const rows = await view.locator('.assertions > .assertion').allTextContents();
    assert.match(rows[0] ?? '', /asked together with role-adherence/);
    assert.match(rows[1] ?? '', /asked together with turn-relevancy/);
    // The file doesn't set the format, so it depends on the endpoint.
    assert.match(rows[1] ?? '', /"answer_format": "json_schema"/);
    await workbench.screenshot('together');
  });

  it('come from the cache together, as the view shows at each verdict', async () => {
    const view = await workbench.frameWith('.facts');
    await view.getByRole('button', { name: 'Run' }).click();
    await workbench.until(
      'the words of the cache',
      () => view.locator('.assertions > .assertion').allTextContents(),
      (rows) => rows.length === 2 && rows.every((row) => row.includes('from the cache')),
    );
    assert.equal(server.requests.length, 1);
    await workbench.screenshot('together-from-the-cache');
  });

  it('have separate verdicts in the file, with hovers that mention the others', async () => {
    await workbench.until(
      'the mark',
      () => workbench.editor().innerText(),
      (text) => text.includes('✗'),
    );
    await workbench.hover('role-adherence', (shown) =>
      shown.includes('asked together with turn-relevancy'),
    );
    await workbench.screenshot('together-hover');
  });
});
