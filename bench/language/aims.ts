import { type Aim, ratio } from '../print.ts';
import { type BenchResult, type FileResult, MEMORY_LINES, type Row } from './bench.ts';
import { DIAGNOSTICS } from './measure.ts';

const LINES = 10_000;
const TIMES_FASTER = 5;
const TIMES_BARE = 3;

/** Maximum length of an empty answer: `null` or `[]`. */
const NOTHING = 4;

/** Maximum ratio of memory growth per file, late to early, that still counts as linear. */
const STRAIGHT = 1.5;

export function aimsOf({ files, memory }: BenchResult): Aim[] {
  const file = files.find(({ lines }) => lines >= LINES && lines < 2 * LINES);
  if (!file) return [];
  return [
    ...file.rows.filter(({ theirs }) => theirs !== undefined).map(fasterAim),
    bareAim(file),
    memoryAim(memory),
  ];
}

function fasterAim({ what, ours, theirs }: Row): Aim {
  const aim = `${what} of ${LINES} lines: at least ${TIMES_FASTER} × faster`;
  if (!ours || !theirs) return { aim, measured: 'not offered' };
  if (theirs.size <= NOTHING && ours.size > NOTHING) {
    return { aim, measured: 'the other has no answer here' };
  }
  const times = theirs.time / ours.time;
  const answers = `answers of ${kilobytes(ours.size)} and ${kilobytes(theirs.size)}`;
  return { aim, measured: `${ratio(times)}, ${answers}`, met: times >= TIMES_FASTER };
}

function bareAim({ rows, bareParse }: FileResult): Aim {
  const ours = rows.find(({ what }) => what === DIAGNOSTICS)?.ours?.time;
  return {
    aim: `${DIAGNOSTICS} of ${LINES} lines: at most ${TIMES_BARE} × a bare parse`,
    measured: ours === undefined ? 'not offered' : ratio(ours / bareParse),
    met: ours === undefined ? undefined : ours / bareParse <= TIMES_BARE,
  };
}

function memoryAim(memory: BenchResult['memory']): Aim {
  const steps = memory.slice(1).map(({ files, ours }, index) => {
    const before = memory[index];
    return before ? (ours - before.ours) / (files - before.files) : Number.NaN;
  });
  // The first file also initializes what all files share.
  const [, early = Number.NaN, late = Number.NaN] = steps;
  return {
    aim: `memory per open file of ${MEMORY_LINES} lines: linear`,
    measured: `${megabytes(early)} for each of files 2 to 5, ${megabytes(late)} for each of 6 to 10`,
    met: late <= early * STRAIGHT,
  };
}

export function kilobytes(characters: number): string {
  return `${(characters / 1_000).toFixed(characters < 10_000 ? 1 : 0)} kB`;
}

export function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1_000_000)} MB`;
}
