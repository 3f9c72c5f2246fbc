import {
  assignLabels,
  casesOf,
  type HasCase,
  type Label,
  type LabelCandidate,
  type Opinion,
  type PlacedLabel,
  subjectKey,
  validityOf,
} from '../../core/record/label.ts';
import type { CaseLine } from '../../core/record/runRecord.ts';
import { allKeyedVerdicts } from '../../core/verdict.ts';
import { conversationHash } from '../../node/hashes.ts';

type JudgedLine = Pick<CaseLine, 'id' | 'variant' | 'conversation' | 'verdicts'>;

/** What is known about the other cases of an eval file. */
export interface OtherCases {
  readonly hasCase?: HasCase | undefined;
  /** Finds verdicts of other cases on a label's conversation and assertion. */
  readonly candidatesFor?: ((label: Label) => readonly LabelCandidate[]) | undefined;
}

/** Finds the verdicts of a case, and of others, on a label's conversation and assertion. */
function candidatesOf(line: JudgedLine, { candidatesFor = () => [] }: OtherCases) {
  const { id, variant } = line;
  const conversation = conversationHash(line.conversation);
  const verdicts = new Map(allKeyedVerdicts(line.verdicts));
  return (label: Label): readonly LabelCandidate[] => {
    const verdict = verdicts.get(label.assertion);
    const isJudged = verdict && label.conversation_hash === conversation;
    const own = isJudged ? [{ id, variant, question: verdict.question_hash }] : [];
    return [...own, ...candidatesFor(label)];
  };
}

/** Returns whether a label is about one of a case's verdicts, and about its conversation. */
export function isAbout(line: JudgedLine, others: OtherCases = {}): (label: Label) => boolean {
  const candidatesFor = candidatesOf(line, others);
  const conversation = conversationHash(line.conversation);
  return (label) =>
    label.conversation_hash === conversation &&
    casesOf(label, candidatesFor(label), others.hasCase).some(
      ({ id, variant }) => id === line.id && variant === line.variant,
    );
}

/**
 * People's opinions on a case's verdicts: about this conversation or, if a person has none, about an earlier
 * conversation of the case.
 */
export function opinionsOn(
  line: JudgedLine,
  labels: readonly PlacedLabel[],
  others: OtherCases = {},
): Opinion[] {
  const conversation = conversationHash(line.conversation);
  const verdicts = new Map(allKeyedVerdicts(line.verdicts));
  const current: Opinion[] = [];
  const earlier = new Map<string, { readonly opinion: Opinion; readonly at: string }>();
  for (const label of assignLabels(labels, candidatesOf(line, others), others.hasCase)) {
    if (label.case !== line.id || label.variant !== line.variant) continue;
    const verdict = verdicts.get(label.assertion);
    if (!verdict) continue;
    const standing = validityOf(label, { conversation, question: verdict.question_hash });
    const opinion = opinionOf(label, standing);
    if (standing !== 'earlier-text') current.push(opinion);
    else {
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
