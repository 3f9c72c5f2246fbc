import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { it } from 'node:test';
import { VIEW_PAGES, viewTypeOf } from '../../../src/protocol/viewPage.ts';

it('VS Code activates the extension to restore each page after a reload', () => {
  const path = resolve(import.meta.dirname, '../../../package.json');
  const { activationEvents } = JSON.parse(readFileSync(path, 'utf8'));
  const restored = activationEvents.filter((event: string) => event.startsWith('onWebviewPanel:'));
  const expected = VIEW_PAGES.map((page) => `onWebviewPanel:${viewTypeOf(page)}`);
  assert.deepEqual(restored.sort(), expected.sort());
});
