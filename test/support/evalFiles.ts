import { FileError, type Files } from '../../src/evalfile/files.ts';
import { loadSuite } from '../../src/evalfile/load.ts';
import type { LoadedSuite, LoadOptions } from '../../src/evalfile/loadedSuite.ts';

export const WORKSPACE = '/work/space';
export const SUITE = `${WORKSPACE}/suite.eval.yaml`;

/** Files that exist only in the test, by absolute path. */
export function memoryFiles(texts: Readonly<Record<string, string>>): Files {
  return {
    async read(path) {
      const text = texts[path];
      if (text === undefined) throw new FileError('missing', 'There is no such file.');
      return text;
    },
    exists: async (path) => Object.hasOwn(texts, path),
    realPath: async (path) => path,
    async glob(patterns, folder) {
      const [pattern = ''] = patterns;
      const tail = pattern.replace(/^.*\*/, '');
      return Object.keys(texts)
        .filter((path) => path.startsWith(`${folder}/`) && path.endsWith(tail))
        .sort();
    },
  };
}

/** Loads a suite's text, other files beside it by their path in the workspace. */
export function load(
  text: string,
  beside: Readonly<Record<string, string>> = {},
  options: Partial<LoadOptions> = {},
): Promise<LoadedSuite> {
  const others = Object.entries(beside).map(([path, one]) => [`${WORKSPACE}/${path}`, one]);
  return loadSuite(SUITE, memoryFiles({ [SUITE]: text, ...Object.fromEntries(others) }), {
    workspace: WORKSPACE,
    defaultJudge: 'openai:test-judge',
    env: () => undefined,
    ...options,
  });
}

/** `line:column code`, counted from 1 as an editor shows them. */
export function placed(loaded: LoadedSuite): string[] {
  return loaded.problems.map(({ code, path, range: { start } }) => {
    const file = path === SUITE ? '' : `${path.slice(WORKSPACE.length + 1)}:`;
    return `${file}${start.line + 1}:${start.character + 1} ${code}`;
  });
}

/** A suite with one valid case, in which the test changes what it is about. */
export function suiteWith(caseKeys: string, top = ''): string {
  const lines = caseKeys.split('\n').map((line) => (line === '' ? '' : `    ${line}`));
  return `${top}cases:\n  - id: one\n${lines.join('\n')}\n`;
}

export const TRANSCRIPT = 'transcript: [{user: Hi}, {assistant: Hello}]\nassert: [It is friendly.]';
