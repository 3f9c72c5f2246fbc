import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { imagesIn, turnsOf } from '../core/conversation.ts';
import type { Image } from '../core/image.ts';
import { LIMITS } from '../core/limits.ts';
import { dataUrlOf } from '../node/dataUrl.ts';
import { mapCasePaths, rootOfRecord } from '../node/paths.ts';
import { type ReportPage, RUN_ELEMENT } from '../protocol/reportPage.ts';
import { viewPolicy } from '../protocol/viewPage.ts';
import type { Snapshot } from '../protocol/viewProtocol.ts';
import { readStoredImageSync } from '../store/images.ts';
import { variantTable } from './findings/variantReport.ts';
import { finishedSnapshot } from './finishedSnapshot.ts';
import type { ReportWriter, RunLog } from './reporter.ts';
import { TableBuilder } from './resultsTable.ts';
import { streamJson } from './streamJson.ts';
import { createPaint, shownPath } from './style.ts';
import { summaryLines } from './summary.ts';

/** A self-contained page with the editor's view of each conversation and a list of the cases. */
export async function htmlReport(): Promise<ReportWriter> {
  const [script, style] = await Promise.all([asset('webview.js'), asset('webview.css')]);
  return (log, folder) => {
    /** By digest. Complete once the executions are written. */
    const shown = new Map<string, Image>();
    const executions = snapshots(log, folder, shown);
    const images = imagesNextTo(log.records.map(rootOfRecord), shown);
    const sums = summaryLines(log, createPaint(false), log.duration);
    const started = log.run?.started;
    const builder = new TableBuilder((path) => shownPath(path, folder));
    for (const line of log.cases) builder.add(line);
    const { table } = builder;
    const variants = log.variants.map(variantTable);
    const rows = builder.executions.map(({ row }) => row);
    const page = { ...(started && { started }), sums, variants, table, rows, executions, images };
    return pageOf(page, script, style);
  };
}

function* snapshots(log: RunLog, folder: string, images: Map<string, Image>): Generator<Snapshot> {
  for (const { line, assertions } of log.executions()) {
    const shown = mapCasePaths(line, (path) => shownPath(path, folder));
    const { suite, id, variant, repetition, suite_name, description, repetitions } = shown;
    for (const image of imagesIn(turnsOf(line.conversation))) images.set(image.digest, image);
    yield {
      ...finishedSnapshot(shown),
      state: { file: suite, id, ...(variant !== undefined && { variant }), repetition },
      suiteName: suite_name,
      repetitions,
      ...(description !== undefined && { description }),
      assertions: [...assertions],
    };
  }
}

function* imagesNextTo(
  roots: readonly string[],
  images: ReadonlyMap<string, Image>,
): Generator<ReportPage['images'][number]> {
  let left = LIMITS.reportImages;
  for (const image of images.values()) {
    let bytes: Uint8Array | undefined;
    for (const root of roots) bytes ??= readStoredImageSync(image, root);
    if (!bytes || bytes.length > left) continue;
    left -= bytes.length;
    yield { digest: image.digest, source: dataUrlOf(image, bytes) };
  }
}

function asset(name: string): Promise<string> {
  const folder = import.meta.url.endsWith('.ts') ? '../../dist' : '.';
  return readFile(new URL(`${folder}/${name}`, import.meta.url), 'utf8');
}

function* pageOf(
  page: Omit<ReportPage, 'executions' | 'images'> & {
    readonly executions: Generator<Snapshot>;
    readonly images: Generator<ReportPage['images'][number]>;
  },
  script: string,
  style: string,
): Generator<string> {
  const code = script.replaceAll(/<\/(?=script)|<(?=!--)/gi, (found) => `\\x3c${found.slice(1)}`);
  const nonce = randomBytes(16).toString('base64url');
  yield `<!DOCTYPE html>
<html lang="en" class="report">
  <head>
    <meta charset="utf-8" />
    <meta http-equiv="Content-Security-Policy" content="${viewPolicy('report', nonce)}" />
    <meta property="csp-nonce" content="${nonce}" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>Evals</title>
    <style nonce="${nonce}">${style}</style>
  </head>
  <body>
    <nav id="cases" aria-label="Cases"></nav>
    <main id="app"></main>
    <script type="application/json" id="${RUN_ELEMENT}">`;
  for (const piece of streamJson(page)) yield escapeForElement(piece);
  yield `</script>
    <script type="module" nonce="${nonce}">${code}</script>
  </body>
</html>
`;
}

/** Escapes JSON so that it can't close the element that contains it. */
function escapeForElement(json: string): string {
  return json.replaceAll('<', '\\u003c');
}
