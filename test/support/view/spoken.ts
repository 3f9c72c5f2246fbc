import assert from 'node:assert/strict';
import type { Frame, Page } from 'playwright-core';

/** Checks lines in the accessibility tree, which screen readers use. @returns the tree */
export async function assertSpoken(page: Page | Frame, lines: readonly string[]): Promise<string> {
  const tree = await page.locator('body').ariaSnapshot();
  for (const line of lines) assert.ok(tree.includes(line), `${line} in\n${tree}`);
  return tree;
}
