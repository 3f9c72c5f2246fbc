import { sha256 } from '../../node/hashes.ts';
import { FileError, type Files } from '../files.ts';

/** A question about other files that was asked for a case. */
export interface Look {
  ask(files: Files): Promise<unknown>;
  /** What tells its answer from others. */
  readonly answer: Promise<string>;
}

/** Files that note what they are asked. */
export function watched(files: Files, looks: Look[]): Files {
  return askedThrough((_question, ask) => {
    const answer = ask(files);
    looks.push({ ask, answer: markOf(answer) });
    return answer;
  });
}

/** Whether all questions still have the answers that they had. */
export async function areStillSo(looks: readonly Look[], files: Files): Promise<boolean> {
  const same = await Promise.all(
    looks.map(async ({ ask, answer }) => (await markOf(ask(files))) === (await answer)),
  );
  return same.every(Boolean);
}

/** Files of which each question is asked once: cases that name the same file share its answer. */
export function askedOnce(files: Files): Files {
  const answers = new Map<string, Promise<unknown>>();
  return askedThrough(<Answer>(question: string, ask: (from: Files) => Promise<Answer>) => {
    const answer = (answers.get(question) as Promise<Answer> | undefined) ?? ask(files);
    answers.set(question, answer);
    return answer;
  });
}

/** Files of which each question goes through a function, which is told it in words as well. */
function askedThrough(
  through: <Answer>(question: string, ask: (from: Files) => Promise<Answer>) => Promise<Answer>,
): Files {
  return {
    read: (path, most) => through(`read ${most} ${path}`, (from) => from.read(path, most)),
    kindOf: (path) => through(`kindOf ${path}`, (from) => from.kindOf(path)),
    realPath: (path) => through(`realPath ${path}`, (from) => from.realPath(path)),
    glob: (patterns, folder) =>
      through(JSON.stringify([patterns, folder]), (from) => from.glob(patterns, folder)),
  };
}

/** Of a text its digest, so that no text is kept for the comparison. */
const MARKS = new WeakMap<Promise<unknown>, Promise<string>>();

function markOf(answer: Promise<unknown>): Promise<string> {
  const known = MARKS.get(answer);
  if (known) return known;
  const mark = answer.then(
    (given) => (typeof given === 'string' ? sha256(given) : JSON.stringify(given)),
    (error: unknown) => (error instanceof FileError ? error.reason : String(error)),
  );
  MARKS.set(answer, mark);
  return mark;
}
