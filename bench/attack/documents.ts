import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { uniqueBy } from '../../src/core/data/data.ts';
import type { Position } from '../../src/core/problem.ts';
import { loadSuite } from '../../src/evalfile/load.ts';
import { nodeFiles } from '../../src/evalfile/nodeFiles.ts';
import type { LanguageService, RequestName, Requests } from '../../src/language/service.ts';
import { hostileDocuments } from '../../test/support/hostileDocuments.ts';
import { serviceOver, type TestedService } from '../../test/support/language/languageService.ts';
import { type Attack, oneOf, type Random, type Scene } from './attack.ts';

const DOCUMENTS = 1_000;

/** Maximum length of a damaged document, in characters. Undamaged ones are longer. */
const LONGEST = 3_000;

const GOOD = `judge: openai:gpt-5-mini
cases:
  - id: good
    transcript: [{user: Hi}, {assistant: Hello}]
    assert: [{type: contains, value: Hello}]
`;
const HOVERED = { line: 4, character: 16 };

/**
 * Opens hostile documents, intact and damaged, and sends the requests that an editor sends. For intact documents, it
 * sends all of them, at several positions. After each document, hovering in another file must still work.
 */
export const documents: Attack = {
  name: 'documents',
  tries: DOCUMENTS,
  async run(found, scene) {
    const folder = await folderOf(scene);
    const tested = serviceOver(nodeFiles(), folder);
    const good = join(folder, 'good.eval.yaml');
    await writeFile(good, GOOD);
    const whole = hostileDocuments();
    for (let index = 0; index < DOCUMENTS; index += 1) {
      const document = whole[index] ?? oneOf(whole, scene.random);
      const path = join(folder, `${index}-${document.file}`);
      const content =
        index < whole.length ? document.content : damaged(document.content, scene.random);
      if (typeof content === 'string') tested.type(path, content);
      await writeFile(path, content);
      const wrong =
        index < whole.length
          ? await askedAll(path, content, tested)
          : await askedSome(path, tested, scene.random);
      for (const one of wrong) found(`${document.name}: ${one}`);
      if (!(await hovered(tested.service, good))) found(`${document.name}: no hover elsewhere`);
      await rm(path);
      tested.close(path);
    }
  },
};

async function folderOf(scene: Scene): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'turnlight-attack-')));
  scene.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** A piece of a hostile document at a random offset, possibly with part of a valid file before or after it. */
function damaged(content: string | Uint8Array, random: Random): string | Uint8Array {
  const from = random(Math.max(1, content.length - LONGEST));
  const piece = content.slice(from, from + 1 + random(LONGEST));
  if (typeof piece !== 'string') return piece;
  const at = random(GOOD.length);
  const [before, after] = [GOOD.slice(0, at), GOOD.slice(at)];
  return oneOf([piece, before + piece, piece + after, before + piece + after], random);
}

type Attempt = (what: string, work: () => Promise<unknown>) => Promise<void>;

/** Collects the errors of failed attempts. Yields to other tasks between attempts. */
function attempts() {
  const wrong: string[] = [];
  const attempt: Attempt = async (what, work) => {
    await work().catch((error: unknown) => wrong.push(`${what}: ${String(error).slice(0, 200)}`));
    await setImmediate();
  };
  return { wrong, attempt };
}

/** Sends all requests, and reads and loads the document, as the server and the Testing panel do. */
async function askedAll(
  path: string,
  content: string | Uint8Array,
  tested: TestedService,
): Promise<string[]> {
  const { wrong, attempt } = attempts();
  const { service, workspace } = tested;
  await attempt('reading', () => workspace.documentAt(path));
  await attempt('loading', () =>
    loadSuite(path, workspace.files, { workspace: dirname(path), env: () => undefined }),
  );
  for (const [index, position] of placesIn(Buffer.from(content).toString()).entries()) {
    const asked = paramsAt(path, position);
    for (const name of Object.keys(asked) as RequestName[]) {
      if (index > 0 && !('position' in asked[name] || 'range' in asked[name])) continue;
      const { line, character } = position;
      await attempt(`${name} at ${line}:${character}`, () =>
        service.request(name, asked[name], waited()),
      );
    }
  }
  return wrong;
}

/** Sends two random requests at a random position. */
async function askedSome(path: string, tested: TestedService, random: Random): Promise<string[]> {
  const { wrong, attempt } = attempts();
  const { service, workspace } = tested;
  await attempt('reading', () => workspace.documentAt(path));
  const asked = paramsAt(path, { line: random(20), character: random(20) });
  const names = Object.keys(asked) as RequestName[];
  for (const name of [oneOf(names, random), oneOf(names, random)]) {
    await attempt(name, () => service.request(name, asked[name], waited()));
  }
  return wrong;
}

/** Positions at both ends of the text, at both ends of lines in its middle, within words, and on the first lines. */
function placesIn(text: string): Position[] {
  const lines = text.split('\n');
  const lengthOf = (line: number) => lines[line]?.length ?? 0;
  const [middle, last] = [lines.length >> 1, lines.length - 1];
  const places = [
    { line: 0, character: 0 },
    { line: 0, character: 17 },
    { line: 0, character: lengthOf(0) >> 1 },
    { line: 1, character: 3 },
    { line: 3, character: lengthOf(3) >> 1 },
    { line: middle, character: 0 },
    { line: middle, character: lengthOf(middle) },
    { line: last, character: lengthOf(last) },
  ];
  return uniqueBy(places, ({ line, character }) => `${line}:${character}`);
}

function waited(): AbortSignal {
  return new AbortController().signal;
}

async function hovered(service: LanguageService, path: string): Promise<boolean> {
  const textDocument = { uri: pathToFileURL(path).href };
  const hover = await service.request('hover', { textDocument, position: HOVERED }, waited());
  return hover !== undefined;
}

/** The parameters of every editor request for a document, at a position in it. */
function paramsAt(
  path: string,
  position: Position,
): { [Name in RequestName]: Requests[Name]['params'] } {
  const textDocument = { uri: pathToFileURL(path).href };
  const range = { start: { line: 0, character: 0 }, end: position };
  const options = { insertSpaces: true, tabSize: 2 };
  const at = { textDocument, position };
  return {
    codeActions: { textDocument, range, context: { diagnostics: [] } },
    codeLenses: { textDocument },
    completion: at,
    definition: at,
    documentLinks: { textDocument },
    documentSymbols: { textDocument },
    foldingRanges: { textDocument },
    formatting: { textDocument, options },
    hover: at,
    inlayHints: { textDocument, range },
    onTypeFormatting: { ...at, ch: '\n', options },
    prepareRename: at,
    references: { ...at, context: { includeDeclaration: true } },
    rename: { ...at, newName: 'x' },
    selectionRanges: { textDocument, positions: [position] },
    semanticTokens: { textDocument },
  };
}
