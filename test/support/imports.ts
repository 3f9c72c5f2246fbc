import assert from 'node:assert/strict';
import { isError } from '../../src/core/problem.ts';
import { Scrubber } from '../../src/core/scrubber.ts';
import type { RatedConversation } from '../../src/interop/feedback.ts';
import { foundReport } from '../../src/interop/found.ts';
import type { Entry } from '../../src/interop/importer.ts';
import { importFile } from '../../src/interop/importFile.ts';
import type { Shape } from '../../src/interop/shape.ts';
import { MARKDOWN } from '../../src/report/findings/layout.ts';
import { parseYaml } from '../../src/yaml/yamlDocument.ts';
import { filesIn, load, WORKSPACE } from './evalFiles.ts';

export interface ImportedFile {
  readonly importer: string | undefined;
  /** The table of what was found, as Markdown. */
  readonly found: string | undefined;
  readonly texts: readonly string[];
  /** The first eval file, parsed. */
  readonly file: Record<string, unknown>;
  // biome-ignore lint/suspicious/noExplicitAny: tests access cases of every form
  readonly cases: readonly any[];
  readonly entries: readonly Entry[];
  /** The texts of data files, by path. */
  readonly data: Readonly<Record<string, string>>;
  readonly rated: readonly RatedConversation[];
  /** `line message` for lines that couldn't be read; `lost` is the same for content without a counterpart. */
  readonly broken: readonly string[];
  readonly lost: readonly string[];
}

/**
 * Imports a file, and checks that the written eval file has no problems.
 *
 * @param beside other files next to the eval file
 */
export async function imported(
  name: string,
  content: unknown,
  beside: Readonly<Record<string, string>> = {},
  shape: Shape = {},
  scrubber = new Scrubber(),
): Promise<ImportedFile> {
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  const place = {
    path: `${WORKSPACE}/imported.eval.yaml`,
    workspace: WORKSPACE,
    files: filesIn(beside),
    env: () => undefined,
  };
  const path = `${WORKSPACE}/${name}`;
  const { found, texts, cases, entries, ...files } = await importFile(
    path,
    text,
    place,
    scrubber,
    shape,
  );
  const data = Object.fromEntries(files.data.map((one) => [one.path, one.text]));
  const values = await Promise.all(
    texts.map(async (one) => {
      const { problems, suite } = await load(one, { ...beside, ...data });
      assert.deepEqual(problems.filter(isError), [], one);
      return { suite, value: parseYaml(one, '/a.yaml').value as Record<string, unknown> };
    }),
  );
  const all = values.flatMap(({ value }) => value.cases as unknown[]);
  assert.equal(all.length, cases);
  const of = (broken: boolean) =>
    entries.filter((one) => one.broken === broken).map(({ line, message }) => `${line} ${message}`);
  return {
    importer: found?.format,
    found: found && foundReport(name, found, MARKDOWN),
    texts,
    file: values[0]?.value ?? {},
    cases: all,
    entries,
    data,
    rated: files.rated,
    broken: of(true),
    lost: of(false),
  };
}

export function jsonLines(...values: readonly unknown[]): string {
  return values.map((one) => `${JSON.stringify(one)}\n`).join('');
}
