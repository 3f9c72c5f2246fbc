import type { Position, Range } from '../../src/core/problem.ts';
import { loadDocument } from '../../src/evalfile/load.ts';
import type { EvalDocument } from '../../src/language/ports.ts';
import type { SymbolPorts } from '../../src/language/symbols/sameSymbol.ts';
import { indexedFile } from '../../src/language/symbols/sameSymbol.ts';
import { parseYaml } from '../../src/yaml/yamlDocument.ts';
import { filesIn, WORKSPACE } from './evalFiles.ts';
import { cursor } from './language/cursor.ts';

/** A workspace's files by name. One of them contains the cursor as `|`. */
export interface MarkedFiles {
  readonly path: string;
  readonly position: Position;
  /** Texts by file name, without the cursor. */
  readonly texts: Readonly<Record<string, string>>;
  readonly document: EvalDocument;
  readonly ports: SymbolPorts;
}

/**
 * @param files texts by name; files that end in `.eval.yaml` or `.cases.yaml` are documents, and the first `|` is the
 * cursor
 */
export async function markedFiles(files: Readonly<Record<string, string>>): Promise<MarkedFiles> {
  const entries = Object.entries(files);
  const [name, text] = entries.find(([, one]) => one.includes('|')) ?? entries[0] ?? ['', ''];
  const at = text.includes('|') ? cursor(text) : { text, position: { line: 0, character: 0 } };
  const texts = { ...files, [name]: at.text };
  const memory = filesIn(texts);
  const documents = await Promise.all(
    Object.entries(texts)
      .filter(([one]) => /\.(eval|cases)\.yaml$/.test(one))
      .map(async ([one, content]) => {
        const yaml = parseYaml(content, pathOf(one));
        const suite = await loadDocument(yaml, memory, {
          workspace: WORKSPACE,
          env: () => undefined,
          defaultJudge: 'openai:test',
        });
        return { yaml, suite };
      }),
  );
  const document = documents.find(({ yaml }) => yaml.path === pathOf(name)) ?? documents[0];
  if (!document) throw new Error('A test of names needs an eval file.');
  return {
    path: pathOf(name),
    position: at.position,
    texts,
    document,
    ports: {
      documents: documents.map(indexedFile),
      documentAt: async (one) => documents.find(({ yaml }) => yaml.path === one),
      files: memory,
      readText: async (path) =>
        (await memory.kindOf(path)) === 'file' ? memory.read(path, 1e6) : undefined,
      uriOf: (path) => `file://${path}`,
      workspaceOf: () => WORKSPACE,
    },
  };
}

export function pathOf(name: string): string {
  return `${WORKSPACE}/${name}`;
}

export function nameOf(uri: string): string {
  return uri.replace(`file://${WORKSPACE}/`, '');
}

/** The text at a range, with its line, counted from 1: `3: gpt`. */
export function shown(text: string, { start, end }: Range): string {
  const line = text.split('\n')[start.line] ?? '';
  return `${start.line + 1}: ${start.line === end.line ? line.slice(start.character, end.character) : '(several lines)'}`;
}
