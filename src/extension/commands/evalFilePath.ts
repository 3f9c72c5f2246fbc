import { capitalized } from '../../core/text/format.ts';
import { EVAL_ENDING, isEvalFile } from '../../node/paths.ts';

const FOLDER = 'evals';

/** Where a new eval file goes unless another place is named. */
export const SUGGESTED = `${FOLDER}/support.eval.yaml`;

export type EvalFilePath = { readonly path: string } | { readonly problem: string };

/**
 * The path of an eval file in its workspace folder, of what somebody typed: `support` is
 * `evals/support.eval.yaml`, `./support.yaml` is `support.eval.yaml`.
 */
export function evalFilePath(typed: string): EvalFilePath {
  const text = typed.trim().replaceAll('\\', '/');
  const steps = text.split('/').filter((step) => step !== '' && step !== '.');
  const name = steps.pop();
  if (name === undefined || text.endsWith('/')) return { problem: 'Give the file a name.' };
  if (/^(?:\/|[A-Za-z]:)/.test(text) || steps.includes('..') || name === '..') {
    return { problem: 'Name a place within the workspace folder, such as evals/support.' };
  }
  const bad = /[<>:"|?*\p{Cc}]/u.exec(text)?.[0];
  if (bad !== undefined) return { problem: `A file name cannot hold ${JSON.stringify(bad)}.` };
  const folders = text.includes('/') ? steps : [FOLDER];
  return { path: [...folders, evalFileName(name)].join('/') };
}

/** The name with the ending by which eval files are known. */
export function evalFileName(name: string): string {
  if (isEvalFile(name)) return name;
  return `${name.replace(/\.ya?ml$|\.eval$/, '')}.eval.yaml`;
}

/** `evals/refund-agent.eval.yaml` is about the "Refund agent". */
export function suiteName(path: string): string {
  const words = (path.split('/').at(-1) ?? '')
    .replace(EVAL_ENDING, '')
    .replaceAll(/[-_.]+/g, ' ')
    .trim();
  return capitalized(words);
}

/**
 * Whether a YAML file holds what an eval file does, whatever its name: cases, and assertions in
 * them.
 */
export function looksLikeEvalFile(text: string): boolean {
  return (
    /^["']?cases["']?[ \t]*:/m.test(text) &&
    /^(?:-|[ \t]+(?:-[ \t])?)[ \t]*["']?assert["']?[ \t]*:/m.test(text)
  );
}
