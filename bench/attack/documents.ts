import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { nodeFiles } from '../../src/evalfile/nodeFiles.ts';
import type { RequestName, Requests } from '../../src/language/requests.ts';
import type { LanguageService } from '../../src/language/service.ts';
import { hostileDocuments } from '../../test/support/hostileDocuments.ts';
import { serviceOver, type TestedService } from '../../test/support/language/languageService.ts';
import { type Attack, oneOf, type Random, type Scene } from './attack.ts';

const DOCUMENTS = 1_000;

/** Characters of a damaged document; whole ones are longer. */
const LONGEST = 3_000;

const GOOD = `judge: openai:gpt-5-mini
cases:
  - id: good
    transcript: [{user: Hi}, {assistant: Hello}]
    assert: [{type: contains, value: Hello}]
`;
const HOVERED = { line: 4, character: 16 };

/**
 * Opens documents that somebody else made, as they are and damaged, and asks what an editor asks: of
 * those as they are all of it. Another file has its hover all the while.
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
      const wrong = await askedAbout(path, tested, scene.random, index >= whole.length);
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

/** A piece of it, with a piece of an honest file before or after, at random places. */
function damaged(content: string | Uint8Array, random: Random): string | Uint8Array {
  const from = random(Math.max(1, content.length - LONGEST));
  const piece = content.slice(from, from + 1 + random(LONGEST));
  if (typeof piece !== 'string') return piece;
  const at = random(GOOD.length);
  const [before, after] = [GOOD.slice(0, at), GOOD.slice(at)];
  return oneOf([piece, before + piece, piece + after, before + piece + after], random);
}

async function askedAbout(
  path: string,
  { service, workspace }: TestedService,
  random: Random,
  few: boolean,
): Promise<string[]> {
  const { signal } = new AbortController();
  const wrong: string[] = [];
  const attempt = async (what: string, work: () => Promise<unknown>) => {
    await work().catch((error: unknown) => wrong.push(`${what}: ${String(error).slice(0, 200)}`));
    await setImmediate();
  };
  await attempt('reading', () => workspace.documentAt(path));
  const asked = paramsAt(path, random);
  const names = Object.keys(asked) as RequestName[];
  for (const name of few ? [oneOf(names, random), oneOf(names, random)] : names) {
    await attempt(name, () => service.ask(name, asked[name], signal));
  }
  return wrong;
}

async function hovered(service: LanguageService, path: string): Promise<boolean> {
  const textDocument = { uri: pathToFileURL(path).href };
  const { signal } = new AbortController();
  const hover = await service.ask('hover', { textDocument, position: HOVERED }, signal);
  return hover !== undefined;
}

/** All that an editor asks about a document, at some place in it. */
function paramsAt(
  path: string,
  random: Random,
): { [Name in RequestName]: Requests[Name]['params'] } {
  const textDocument = { uri: pathToFileURL(path).href };
  const position = { line: random(20), character: random(20) };
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
