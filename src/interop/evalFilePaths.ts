import { basename, dirname, join } from 'node:path';

const ENDINGS = /(\.eval)?\.(jsonl|ndjson|json|ya?ml|csv|md|txt)$/i;
const EVAL_FILE = /\.eval\.ya?ml$/i;

/**
 * Where the eval files of an imported file belong: beside it and called like it, `traces.eval.yaml`,
 * and never the file itself.
 *
 * @param path absolute
 * @param given the path for the first of them, absolute
 */
export function evalFilePaths(path: string, count: number, given?: string): string[] {
  const name = basename(path).replace(ENDINGS, '') || 'imported';
  const own = EVAL_FILE.test(path) ? `${name}.imported` : name;
  const first = (given ?? join(dirname(path), own)).replace(EVAL_FILE, '');
  return Array.from({ length: count }, (_one, index) =>
    index === 0 ? `${first}.eval.yaml` : `${first}-${index + 1}.eval.yaml`,
  );
}
