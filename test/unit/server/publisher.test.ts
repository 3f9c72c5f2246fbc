import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { Connection } from 'vscode-languageserver/node';
import { createPublisher } from '../../../src/server/publisher.ts';
import { createSuiteIndex, type Workspace } from '../../../src/server/workspace.ts';
import { until } from '../../support/until.ts';

it('checks open files before others', async () => {
  const OPEN = '/open.eval.yaml';
  const closed = Array.from({ length: 20 }, (_, index) => `/${index}.eval.yaml`);
  const begun: string[] = [];
  const published: string[] = [];
  let goOn = () => {};
  const mayEnd = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  const workspace = {
    index: createSuiteIndex(() => {}),
    openAt: (path: string) => (path === OPEN ? { uri: path, version: 1 } : undefined),
    openPaths: () => [OPEN],
    findFiles: async () => closed,
    async check(path: string) {
      begun.push(path);
      if (path === OPEN) await mayEnd;
      return { path, problems: [], outline: [], dependencies: [] };
    },
  };
  const connection = {
    sendDiagnostics: async ({ uri }: { readonly uri: string }) => void published.push(uri),
  };
  const { checkUsersOf, checkFolders } = createPublisher(
    connection as unknown as Connection,
    workspace as unknown as Workspace,
    (page) => page,
    async () => {},
  );
  checkUsersOf(OPEN);
  await until(
    'the open file to be checked',
    async () => begun,
    (paths) => paths.includes(OPEN),
  );
  await checkFolders();
  for (let turns = 0; turns < 50; turns += 1) await setImmediate();
  assert.deepEqual(begun, [OPEN]);
  goOn();
  await until(
    'all to be published',
    async () => published,
    (uris) => uris.length > closed.length,
  );
  assert.equal(published[0], OPEN);
});
