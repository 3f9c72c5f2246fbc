import { scoreText } from '../../src/core/presentation/score.ts';
import { LABEL_WORDS } from '../../src/core/presentation/words.ts';
import { agreesWith, type Opinion } from '../../src/core/record/label.ts';
import { visibleLine } from '../../src/core/text/visibleText.ts';

/** The outcome that an opinion is compared with. */
export type JudgedOutcome = Parameters<typeof agreesWith>[1];

/** `right`, `wrong, should be failed (score 0.25)` */
export function opinionText(opinion: Opinion, judged: JudgedOutcome): string {
  const { status, label, score } = opinion;
  const scored = score === undefined ? '' : ` (score ${scoreText(score)})`;
  if (agreesWith(opinion, judged)) return `right${scored}`;
  const named = label === undefined ? LABEL_WORDS[status] : `“${visibleLine(label)}”`;
  const wanted = status === 'skipped' ? 'it does not apply' : `should be ${named}`;
  return judged.status === 'error' ? `${wanted}${scored}` : `wrong, ${wanted}${scored}`;
}

/** `you: wrong · others: 2 right`; undefined if there are no opinions about the visible text. */
export function opinionsText(
  opinions: readonly Opinion[],
  judged: JudgedOutcome,
  person: string,
): string | undefined {
  const current = opinions.filter(({ standing }) => standing !== 'earlier-text');
  const own = current.find((one) => one.person === person);
  const others = current.filter((one) => one !== own);
  const same = others.filter((one) => agreesWith(one, judged)).length;
  const counts = [
    ...(same > 0 ? [`${same} right`] : []),
    ...(others.length > same ? [`${others.length - same} wrong`] : []),
  ];
  const parts = [
    ...(own ? [`you: ${agreesWith(own, judged) ? 'right' : 'wrong'}`] : []),
    ...(counts.length > 0 ? [`${own ? 'others' : 'people'}: ${counts.join(', ')}`] : []),
  ];
  return parts.length === 0 ? undefined : parts.join(' · ');
}

/** Whether any person disagrees with a verdict about the same text. */
export function isDisputed(opinions: readonly Opinion[], verdict: JudgedOutcome): boolean {
  return opinions.some((one) => one.standing !== 'earlier-text' && !agreesWith(one, verdict));
}
