import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import type { CaseLine, RunLine } from '../core/record/runRecord.ts';
import type { Verdict } from '../core/verdict.ts';

/** Whether a path is in a folder, without following links. */
export function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

/** @param what the path's name in the message, such as `"../agent.mjs"` */
export function outsideMessage(what: string): string {
  return `${what} is outside the workspace folder. Paths are relative to the file that contains them and must stay inside the workspace, symbolic links included.`;
}

/** The absolute path of the documentation, which is next to the folder of the bundle. */
export const DOCS_FOLDER = resolve(
  import.meta.dirname,
  import.meta.url.endsWith('.ts') ? '../../docs' : '../docs',
);

export const DATA_FOLDER = '.turnlight';

export const RUNS_FOLDER = 'runs';

export const RECORD_FILES = `**/${DATA_FOLDER}/${RUNS_FOLDER}/*.jsonl`;

/** The root of an eval file's records. Paths are absolute. */
export interface RecordRoot {
  /** The eval file's path as given. */
  readonly named: string;
  /** The same path, with links in its folder resolved. */
  readonly path: string;
  /** The folder that contains, or will contain, `.turnlight`. Paths in records are relative to it. */
  readonly root: string;
}

/** The root folder of a record. @param path `ROOT/.turnlight/runs/NAME.jsonl` */
export function rootOfRecord(path: string): string {
  return dirname(dirname(dirname(path)));
}

/** Whether a path is in a records folder. */
export function isInDataFolder(path: string): boolean {
  return dirname(path).endsWith(join(sep, DATA_FOLDER, RUNS_FOLDER));
}

/** A path as written in an eval file's records: relative to the records' root, with `/`. */
export function recordedPath({ named, path, root }: RecordRoot, given: string): string {
  const followed = resolve(dirname(path), relative(dirname(named), given));
  return relative(root, followed).split(sep).join('/');
}

/** Makes a path in a record absolute; version 1 records contain absolute paths. @param root the record's root */
export function absolutePath(root: string, recorded: string): string {
  return isAbsolute(recorded) ? recorded : resolve(root, recorded);
}

/** A recorded file's path, relative to the eval file as it was opened, even if through a link. */
export function namedPath(
  { named, path }: Pick<RecordRoot, 'named' | 'path'>,
  absolute: string,
): string {
  return resolve(dirname(named), relative(dirname(path), absolute));
}

/** A run's line with all of its paths changed. @param change gets the path of the eval file, too */
export function mapRunPaths(
  line: RunLine,
  change: (path: string, suite: string) => string,
): RunLine {
  const files = line.files.map(({ path, includes, ...file }) => ({
    ...file,
    path: change(path, path),
    ...(includes && { includes: includes.map((one) => change(one, path)) }),
  }));
  return { ...line, files };
}

/** A case's line with all of its paths changed: suite, case, fault, turns, and assertions. */
export function mapCasePaths(line: CaseLine, change: (path: string) => string): CaseLine {
  const { conversation, source, suite, verdicts, fault, failed_turn } = line;
  const changed = <Located extends { readonly path: string }>(source: Located): Located => ({
    ...source,
    path: change(source.path),
  });
  const judged = (verdict: Verdict): Verdict => ({
    ...verdict,
    assertion: changed(verdict.assertion),
    ...(verdict.nested && { nested: verdict.nested.map(judged) }),
  });
  return {
    ...line,
    suite: change(suite),
    source: changed(source),
    ...(fault && { fault: changed(fault) }),
    ...(failed_turn && {
      failed_turn: {
        ...failed_turn,
        ...(failed_turn.source && { source: changed(failed_turn.source) }),
      },
    }),
    conversation: {
      ...conversation,
      entries: conversation.entries.map((entry) =>
        entry.kind === 'turn' && entry.source ? { ...entry, source: changed(entry.source) } : entry,
      ),
    },
    verdicts: verdicts.map(judged),
  };
}

/** The folder for an eval file's labels: `shop.labels` next to `shop.eval.yaml`. */
export function labelsFolder(evalFile: string): string {
  return join(dirname(evalFile), `${evalName(evalFile)}.labels`);
}

/** The file's name without `.eval.yaml`. */
export function evalName(evalFile: string): string {
  return basename(evalFile).replace(EVAL_ENDING, '');
}

/** A safe file name for a person. `ann@example.com` is kept as it is, but path separators are removed. */
export function personName(person: string): string {
  const name = person
    .replace(/[^A-Za-z0-9@._+-]+/g, '-')
    .replace(/^[^A-Za-z0-9]+|(?<![^A-Za-z0-9])[^A-Za-z0-9]+$/g, '');
  return name.slice(0, 80) || 'someone';
}

export const EVAL_GLOB = '**/*.eval.{yaml,yml}';
export const EVAL_ENDING = /\.eval\.ya?ml$/;
export const MESSAGES_GLOB = '**/*.messages.{json,jsonl,yaml,yml}';

/** @param name a path or URI */
export function isEvalFile(name: string): boolean {
  return EVAL_ENDING.test(name);
}

/** @param name a path or URI */
export function isMessagesFile(name: string): boolean {
  return /\.messages\.(?:jsonl?|ya?ml)$/i.test(name);
}
