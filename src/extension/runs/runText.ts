import { basename } from 'node:path';
import { STATUS_WORDS } from '../../core/presentation/words.ts';
import { costText, durationText } from '../../core/text/format.ts';
import { labelText } from '../../core/text/visibleText.ts';
import type { Status } from '../../core/verdict.ts';
import type { ListedRun } from '../../store/records/list.ts';

/** How a run appears in a list. */
interface RunText {
  readonly label: string;
  /** Short text that distinguishes runs of the same files in a narrow list. */
  readonly description: string;
  readonly detail: string;
  /** Text for screen readers. */
  readonly spoken: string;
  readonly icon: 'running' | 'passed' | 'failed' | 'none';
}

const MAX_LENGTH = 80;

const STATE_WORDS: Readonly<Record<ListedRun['state'], string>> = {
  running: 'running',
  finished: '',
  cancelled: 'cancelled',
  stopped: 'stopped at its cost limit',
  unfinished: 'not finished',
};

const TIME = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const TIME_OF_DAY = new Intl.DateTimeFormat(undefined, { timeStyle: 'short' });
const DAY = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });

export function runText(run: ListedRun, full = timeText, short = shortTimeText): RunText {
  const { note, counts, state, cost, duration } = run;
  const started = new Date(run.run.started);
  const pinned = note.pinned ? 'pinned' : '';
  const price = cost === null ? '' : costText(cost);
  const time = duration === undefined ? '' : durationText(duration);
  const words = STATE_WORDS[state];
  const label = runTitle(run);
  const facts = [pinned, words, passedText(counts), price && `cost ${price}`, time, full(started)];
  const details = facts.filter(Boolean);
  return {
    label,
    description: [pinned, ...shortCounts(counts), words, short(started), price, time]
      .filter(Boolean)
      .join(' · '),
    detail: details.join(' · '),
    spoken: [label, ...details].join(', '),
    icon: iconOf(run),
  };
}

function iconOf({ state, counts }: ListedRun): RunText['icon'] {
  if (state === 'running') return 'running';
  if (counts.fail + counts.error > 0) return 'failed';
  return counts.pass > 0 && state === 'finished' ? 'passed' : 'none';
}

/** The run's name: the one that the user gave it, or else the files' names. */
export function runTitle({ note, run }: Pick<ListedRun, 'note' | 'run'>): string {
  if (note.name !== undefined) return labelText(note.name, MAX_LENGTH);
  const [first, ...others] = run.files.map(({ path }) => basename(path));
  const more = others.length === 0 ? '' : ` and ${others.length} more`;
  return `${labelText(first ?? run.id, MAX_LENGTH)}${more}`;
}

/** The name of a file that isn't a run record. */
export function fileTitle(path: string): string {
  return labelText(basename(path), MAX_LENGTH);
}

/** `12 of 13 passed, 1 failed, 1 errored`; as in a pass rate, the total counts only cases that passed or failed. */
function passedText(counts: ListedRun['counts']): string {
  const { pass, fail } = counts;
  const passed = pass + fail === 0 ? [] : [`${pass} of ${pass + fail} ${STATUS_WORDS.pass}`];
  const parts = [...passed, ...countTexts(counts, ['fail', ...UNDECIDED])];
  return parts.length === 0 ? 'no case finished' : parts.join(', ');
}

/** `12/13`, `1 errored` */
function shortCounts(counts: ListedRun['counts']): string[] {
  const { pass, fail } = counts;
  return [
    ...(pass + fail === 0 ? [] : [`${pass}/${pass + fail}`]),
    ...countTexts(counts, UNDECIDED),
  ];
}

const UNDECIDED = ['error', 'skipped'] as const;

function countTexts(counts: ListedRun['counts'], statuses: readonly Status[]): string[] {
  return statuses
    .filter((status) => counts[status] > 0)
    .map((status) => `${counts[status]} ${STATUS_WORDS[status]}`);
}

/** A time in the user's locale. */
export function timeText(time: Date): string {
  return Number.isNaN(time.getTime()) ? '' : TIME.format(time);
}

/** The time of day if the run is from today, or else its date. */
function shortTimeText(time: Date): string {
  if (Number.isNaN(time.getTime())) return '';
  const isToday = time.toDateString() === new Date().toDateString();
  return (isToday ? TIME_OF_DAY : DAY).format(time);
}

/** Whether a command's argument is a row of the list. */
export function isListed(value: unknown): value is ListedRun {
  return typeof value === 'object' && value !== null && 'records' in value && 'note' in value;
}
