import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { recordsOf } from '../resuming.ts';
import type { Workbench } from './workbench.ts';

const foreign = (host: string) => `models:
  j: {provider: openai, model: m, base_url: "https://${host}/v1", api_key_env: TURNLIGHT_TEST_KEY, timeout: 300}
judge: j
cases:
  - id: greets
    transcript:
      - user: Hi
      - assistant: Hello
    assert: [The assistant greets.]
`;

/**
 * Runs a file that names a foreign host three times. The first question is answered with Enter, which means no, and the
 * second with yes. The third run must not ask.
 *
 * @param host `0.0.0.0` with a port that nothing listens on, which refuses at once and isn't loopback for Turnlight; no
 *   other test may use the port, since all tests share the user's list of allowed hosts
 * @returns whether each run sent something, according to its error, and the number of open questions
 */
export async function runForeignFile(workbench: Workbench, folder: string, host: string) {
  const path = join(folder, 'foreign.eval.yaml');
  await writeFile(path, foreign(host));
  const dialog = workbench.page.locator('.monaco-dialog-box', {
    hasText: `Send TURNLIGHT_TEST_KEY to ${host}?`,
  });
  const run = async (answer?: 'Enter' | 'Allow') => {
    const before = (await reasonsIn(folder)).length;
    await workbench.clickLens('Run all', path, 1);
    if (answer !== undefined) {
      await workbench.until(
        'the question about the host',
        () => dialog.locator('.monaco-button:focus').count(),
        (count) => count === 1,
      );
      await workbench.screenshot(`foreign-host-${answer}`);
      if (answer === 'Enter') await workbench.page.keyboard.press('Enter');
      else await dialog.getByText(answer, { exact: true }).click();
    }
    await workbench.until(
      'a verdict',
      () => reasonsIn(folder),
      (found) => found.length > before,
    );
  };
  await run('Enter');
  await run('Allow');
  await run();
  const reasons = await reasonsIn(folder);
  const sent = reasons.map((one) => one === 'timeout' || one === 'unreachable');
  return { sent, questions: await dialog.count() };
}

async function reasonsIn(folder: string): Promise<string[]> {
  const records = await recordsOf(folder);
  const texts = await Promise.all(records.map((one) => readFile(one, 'utf8')));
  return texts.flatMap((text) =>
    [...text.matchAll(/"reason":"([^"]+)"/g)].map(([, one]) => one ?? ''),
  );
}
