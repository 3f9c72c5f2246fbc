import assert from 'node:assert/strict';
import { isError } from '../../src/core/problem.ts';
import type { Entry } from '../../src/interop/importer.ts';
import { importFile } from '../../src/interop/importFile.ts';
import { parseYaml } from '../../src/yaml/yamlDocument.ts';
import { filesIn, load, WORKSPACE } from './evalFiles.ts';

export interface ImportedFile {
  readonly importer: string | undefined;
  readonly texts: readonly string[];
  /** The first eval file as data. */
  readonly file: Record<string, unknown>;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into cases of every form
  readonly cases: readonly any[];
  readonly entries: readonly Entry[];
  /** `line message` of what could not be read, and of what has no counterpart. */
  readonly broken: readonly string[];
  readonly lost: readonly string[];
}

/**
 * Imports a file, and finds nothing wrong with what is written.
 *
 * @param beside files beside the eval file
 */
export async function imported(
  name: string,
  content: unknown,
  beside: Readonly<Record<string, string>> = {},
): Promise<ImportedFile> {
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  const { importer, texts, cases, entries } = await importFile(`${WORKSPACE}/${name}`, text, {
    path: `${WORKSPACE}/imported.eval.yaml`,
    workspace: WORKSPACE,
    files: filesIn(beside),
    env: () => undefined,
  });
  const values = await Promise.all(
    texts.map(async (one) => {
      const { problems, suite } = await load(one, beside);
      assert.deepEqual(problems.filter(isError), [], one);
      return { suite, value: parseYaml(one, '/a.yaml').value as Record<string, unknown> };
    }),
  );
  const all = values.flatMap(({ value }) => value.cases as unknown[]);
  assert.equal(all.length, cases);
  const of = (broken: boolean) =>
    entries.filter((one) => one.broken === broken).map(({ line, message }) => `${line} ${message}`);
  return {
    importer,
    texts,
    file: values[0]?.value ?? {},
    cases: all,
    entries,
    broken: of(true),
    lost: of(false),
  };
}

export function jsonLines(...values: readonly unknown[]): string {
  return values.map((one) => `${JSON.stringify(one)}\n`).join('');
}
