import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { parse, stringify } from 'yaml';
import { loadSuite } from '../../src/evalfile/load.ts';
import type { LoadedSuite } from '../../src/evalfile/loadedSuite.ts';
import { nodeFiles } from '../../src/evalfile/nodeFiles.ts';
import { workspaceWith } from './runs.ts';

/** The first YAML example in Markdown. */
export function exampleOf(markdown: string): unknown {
  return parse(/```yaml\n([\s\S]+?)\n```/.exec(markdown)?.[1] ?? '');
}

/** The example as an eval file of its own, with a judge and a case to judge. */
function fileOf(example: unknown): string {
  const one = { id: 'a', transcript: [{ user: 'Hi' }, { assistant: 'Hello' }] };
  const judge = 'openai:gpt-5-mini';
  if (Array.isArray(example)) return stringify({ judge, cases: [{ ...one, assert: example }] });
  const { assert, ...top } = example as { assert?: unknown };
  return stringify({ judge, ...top, cases: [{ ...one, ...(assert !== undefined && { assert }) }] });
}

/** What the editor would make of the first YAML example in Markdown. */
export async function loadExample(t: TestContext, markdown: string): Promise<LoadedSuite> {
  const workspace = await workspaceWith(t, { 'suite.eval.yaml': fileOf(exampleOf(markdown)) });
  await mkdir(join(workspace, 'judges'));
  await writeFile(join(workspace, 'judges/context-retention.md'), '{{conversation}}');
  await mkdir(join(workspace, 'checks'));
  await writeFile(join(workspace, 'checks/order-number.ts'), 'export default () => true;');
  const options = { workspace, env: () => undefined };
  return loadSuite(join(workspace, 'suite.eval.yaml'), nodeFiles(), options);
}
