import { capitalized } from '../core/text/format.ts';
import { EVAL_ENDING, isEvalFile } from '../node/paths.ts';

const FOLDER = 'evals';

/** Default path of a new eval file. */
export const DEFAULT_PATH = `${FOLDER}/support.eval.yaml`;

export type EvalFilePath = { readonly path: string } | { readonly problem: string };

/**
 * Completes the path that a user typed, relative to the workspace folder: `support` becomes `evals/support.eval.yaml`,
 * and `./support.yaml` becomes `support.eval.yaml`.
 */
export function evalFilePath(typed: string): EvalFilePath {
  const text = typed.trim().replaceAll('\\', '/');
  const steps = text.split('/').filter((step) => step !== '' && step !== '.');
  const name = steps.pop();
  if (name === undefined || text.endsWith('/')) return { problem: 'Enter a file name.' };
  if (/^(?:\/|[A-Za-z]:)/.test(text) || steps.includes('..') || name === '..') {
    return { problem: 'Enter a path in the workspace folder, such as evals/support.' };
  }
  const bad = /[<>:"|?*\p{Cc}]/u.exec(text)?.[0];
  if (bad !== undefined) return { problem: `A file name can't contain ${JSON.stringify(bad)}.` };
  const folders = text.includes('/') ? steps : [FOLDER];
  return { path: [...folders, evalFileName(name)].join('/') };
}

/** Adds the extension of eval files to a name. */
export function evalFileName(name: string): string {
  if (isEvalFile(name)) return name;
  return `${name.replace(/\.ya?ml$|\.eval$/, '')}.eval.yaml`;
}

/** The suite of `evals/refund-agent.eval.yaml` is named "Refund agent". */
export function suiteName(path: string): string {
  const words = (path.split('/').at(-1) ?? '')
    .replace(EVAL_ENDING, '')
    .replaceAll(/[-_.]+/g, ' ')
    .trim();
  return capitalized(words);
}

/** Whether a YAML file has the keys of an eval file, whatever its name. */
export function looksLikeEvalFile(text: string): boolean {
  return (
    /^["']?cases["']?[ \t]*:/m.test(text) &&
    /^(?:-[ \t]*|[ \t]+(?:-[ \t]+)?)["']?assert["']?[ \t]*:/m.test(text)
  );
}
