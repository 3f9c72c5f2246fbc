import type { CaseLine } from '../record/runRecord.ts';
import { scoreText } from './score.ts';
import { STATUS_WORDS } from './status.ts';

/** `2 of 3 repetitions passed, scores 0.40 to 1.00`; undefined of fewer than two. */
export function repeatedText(
  lines: readonly Pick<CaseLine, 'status' | 'score' | 'threshold'>[],
): string | undefined {
  if (lines.length < 2) return undefined;
  const passed = lines.filter(({ status }) => status === 'pass').length;
  const scores = lines.flatMap(({ score }) => score ?? []);
  const limits = lines.flatMap(({ threshold }) => threshold ?? []);
  const told = `${passed} of ${lines.length} repetitions ${STATUS_WORDS.pass}`;
  if (scores.length < 2) return told;
  const ends = [Math.min(...scores), Math.max(...scores)].map((one) => scoreText(one, ...limits));
  return ends[0] === ends[1] ? told : `${told}, scores ${ends.join(' to ')}`;
}
