import { readable } from '../limits.ts';
import type { Usage } from '../verdict.ts';

/** `3 files`, `1 case` */
export function counted(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}

/** `yes ×2`, `4 ×2` */
export function timesText(name: string, count: number): string {
  return `${name} ×${count}`;
}

/** `12 of 14 answers from the cache`; undefined if none are. */
export function cacheText({ calls, from_cache = 0 }: Usage): string | undefined {
  if (from_cache === 0) return undefined;
  return `${from_cache} of ${counted(calls + from_cache, 'answer')} from the cache`;
}

/** `67%`, rounded; only 1 becomes `100%`, and only 0 becomes `0%`. @param share 0..1 */
export function shareText(share: number): string {
  const percent = Math.round(100 * share);
  if (share < 1 - 1e-9 && percent === 100) return '99%';
  return share > 1e-9 && percent === 0 ? '1%' : `${percent}%`;
}

export function costText(cost: number): string {
  return cost.toFixed(4);
}

/** `12.4 MB` */
export function bytesText(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}

export function durationText(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  const seconds = milliseconds / 1000;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  if (seconds < 3600) return inUnits(Math.round(seconds), 'min', 's');
  return inUnits(Math.round(seconds / 60), 'h', 'min');
}

function inUnits(amount: number, whole: string, sixtieth: string): string {
  return `${Math.floor(amount / 60)} ${whole} ${amount % 60} ${sixtieth}`;
}

/** `a, b, and c`. `Intl.ListFormat` takes longer to load than most of our modules. */
export function formatList(items: readonly string[], word: 'and' | 'or' = 'and'): string {
  const last = items.at(-1) ?? '';
  if (items.length < 2) return last;
  const comma = items.length > 2 ? ',' : '';
  return `${items.slice(0, -1).join(', ')}${comma} ${word} ${last}`;
}

export function capitalized(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export function escapeRegExp(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
}

/** Truncates a list for a message: a file can declare thousands of names. */
export function truncateList(names: readonly string[]): string {
  const shown = names.slice(0, MAX_LISTED).join(', ');
  return names.length > MAX_LISTED ? `${shown}, … (${readable(names.length)} in total)` : shown;
}

const MAX_LISTED = 30;

/** `24 cases`, or `24 cases, 30 conversations` with repetitions. */
export function caseCountText(cases: number, conversations: number): string {
  const size = counted(cases, 'case');
  return conversations === cases ? size : `${size}, ${counted(conversations, 'conversation')}`;
}
