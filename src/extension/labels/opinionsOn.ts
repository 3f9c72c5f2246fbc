import { type Opinion, type PlacedLabel, subjectKey, validityOf } from '../../core/record/label.ts';
import type { CaseLine } from '../../core/record/runRecord.ts';
import { allKeyedVerdicts } from '../../core/verdict.ts';
import { conversationHash } from '../../node/hashes.ts';

/**
 * People's opinions on a case's verdicts: about this conversation or, if a person has none, about an earlier
 * conversation of the case.
 */
export function opinionsOn(
  line: Pick<CaseLine, 'id' | 'variant' | 'conversation' | 'verdicts'>,
  labels: readonly PlacedLabel[],
): Opinion[] {
  const conversation = conversationHash(line.conversation);
  const verdicts = new Map(allKeyedVerdicts(line.verdicts));
  const current: Opinion[] = [];
  const earlier = new Map<string, { readonly opinion: Opinion; readonly at: string }>();
  for (const label of labels) {
    const verdict = verdicts.get(label.assertion);
    if (!verdict) continue;
    const standing = validityOf(label, { conversation, question: verdict.question_hash });
    const opinion = opinionOf(label, standing);
    if (standing !== 'earlier-text') current.push(opinion);
    else if (label.case === line.id && label.variant === line.variant) {
      const key = ownKey(opinion);
      const known = earlier.get(key);
      if (!known || known.at < label.at) earlier.set(key, { opinion, at: label.at });
    }
  }
  const labeled = new Set(current.map(ownKey));
  const old = [...earlier.values()].map(({ opinion }) => opinion);
  return [...current, ...old.filter((one) => !labeled.has(ownKey(one)))];
}

function opinionOf(label: PlacedLabel, standing: Opinion['standing']): Opinion {
  const { assertion, turn, status, label: given, score, comment, person } = label;
  return { assertion, turn, status, label: given, score, comment, person, standing };
}

function ownKey(opinion: Opinion): string {
  return JSON.stringify([opinion.person, subjectKey(opinion)]);
}
