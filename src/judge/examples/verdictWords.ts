import type { Question } from '../../assertions/contract.ts';
import type { ExampleVerdict } from '../../core/record/label.ts';
import { reaches } from '../../core/scoring.ts';

/** What people's verdicts are called. */
export type VerdictWords = (verdict: Pick<ExampleVerdict, 'turn' | 'status'>) => string;

/** As people say it, whatever was asked. */
export const PLAIN_WORDS: VerdictWords = ({ status }) =>
  status === 'skipped' ? 'does not apply' : status;

type Asked = Pick<Question<unknown, unknown>, 'outcomes' | 'parts'>;

/** As the answer to a question says it. */
export function wordsFor({ outcomes = {} }: Asked, threshold: number): VerdictWords {
  const those = (status: ExampleVerdict['status']) =>
    Object.entries(outcomes)
      .filter(([, score]) => reaches(score, threshold) === (status === 'pass'))
      .map(([word]) => word)
      .join(' or ');
  return (verdict) => {
    const { turn, status } = verdict;
    if (status === 'skipped')
      return turn === undefined ? PLAIN_WORDS(verdict) : 'applicable: false';
    return (turn === undefined && those(status)) || PLAIN_WORDS(verdict);
  };
}

/** What a verdict on the whole says where the answer has verdicts on turns alone; undefined where it has more. */
export function meaningOf({ parts }: Asked, threshold: number): string | undefined {
  if (parts.whole) return undefined;
  const pass = threshold === 1 ? 'none does' : 'enough of them pass';
  return `Of a whole conversation, fail says that some turn in it fails, but not which; pass says that ${pass}.`;
}
