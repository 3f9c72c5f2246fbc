import { FileError, type Files } from '../../src/evalfile/files.ts';
import { imageFactsOf } from '../../src/evalfile/imageFacts.ts';
import { loadSuite } from '../../src/evalfile/load.ts';
import type { LoadedSuite, LoadOptions } from '../../src/evalfile/loadedSuite.ts';

export const WORKSPACE = '/work/space';
export const SUITE = `${WORKSPACE}/suite.eval.yaml`;

/** Files in memory, by absolute path. */
export function memoryFiles(texts: Readonly<Record<string, string>>): Files {
  return {
    async read(path) {
      const text = texts[path];
      if (text === undefined) throw new FileError('missing', 'The file does not exist.');
      return text;
    },
    async image(path) {
      const text = texts[path];
      if (text === undefined) throw new FileError('missing', 'The file does not exist.');
      return imageFactsOf(Buffer.from(text, 'latin1'));
    },
    async kindOf(path) {
      if (Object.hasOwn(texts, path)) return 'file';
      const isFolder = Object.keys(texts).some((one) => one.startsWith(`${path}/`));
      return isFolder ? 'folder' : undefined;
    },
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

/** Programs and recordings that test suites reference; they are never read. */
const NAMED = { 'bot.mjs': '', 'agent.mjs': '', 'recordings/judge.jsonl': '' };

/** Files by their path in the workspace, plus those that test suites reference. */
export function filesIn(texts: Readonly<Record<string, string>>): Files {
  const entries = Object.entries({ ...NAMED, ...texts });
  return memoryFiles(
    Object.fromEntries(entries.map(([path, one]) => [`${WORKSPACE}/${path}`, one])),
  );
}

/** Loads a suite's text. `beside` contains other files by their path in the workspace. */
export function load(
  text: string,
  beside: Readonly<Record<string, string>> = {},
  options: Partial<LoadOptions> = {},
): Promise<LoadedSuite> {
  return loadSuite(SUITE, filesIn({ 'suite.eval.yaml': text, ...beside }), {
    workspace: WORKSPACE,
    defaultJudge: 'openai:test-judge',
    env: () => undefined,
    ...options,
  });
}

/** Problems as `line:column code`, counted from 1 as in the editor. */
export function placed(loaded: LoadedSuite): string[] {
  return loaded.problems.map(({ code, path, range: { start } }) => {
    const file = path === SUITE ? '' : `${path.slice(WORKSPACE.length + 1)}:`;
    return `${file}${start.line + 1}:${start.character + 1} ${code}`;
  });
}

/** A suite with one valid case, plus the keys that a test is about. */
export function suiteWith(caseKeys: string, top = ''): string {
  const lines = caseKeys.split('\n').map((line) => (line === '' ? '' : `    ${line}`));
  return `${top}cases:\n  - id: one\n${lines.join('\n')}\n`;
}

export const TRANSCRIPT = 'transcript: [{user: Hi}, {assistant: Hello}]\nassert: [It is friendly.]';
