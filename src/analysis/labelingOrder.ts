import type { CaseRef } from '../core/identity.ts';
import type { CaseLine } from '../core/record/runRecord.ts';
import { allKeyedVerdicts, type Verdict } from '../core/verdict.ts';
import { conversationHash } from '../node/hashes.ts';

/** A conversation that models judged, where it stands. */
export interface InformativeCase extends CaseRef {
  /** The run's record, absolute. */
  readonly record: string;
  /** By `conversationHash`. */
  readonly conversation: string;
  /** The keys of the assertions that models judged. */
  readonly assertions: readonly string[];
}

interface JudgedConversation {
  readonly place: InformativeCase;
  /** What each judge said, by assertion: the newest of each. */
  readonly said: Map<string, Map<string, JudgeVerdict>>;
}

type JudgeVerdict = Pick<Verdict, 'status' | 'score' | 'threshold'> & {
  readonly unstable: boolean;
  readonly spread: number;
};

/**
 * Puts conversations in the order in which labels tell most about a judge: samples that disagree, judges that
 * disagree with each other, scores near the threshold. Lines are added newest run first; of the same conversation the
 * first stands for all.
 */
export class LabelingOrder {
  readonly #known = new Map<string, JudgedConversation>();

  add(line: CaseLine, record: string): void {
    const judged = allKeyedVerdicts(line.verdicts).filter(([, { judge }]) => judge !== undefined);
    if (judged.length === 0) return;
    const conversation = conversationHash(line.conversation);
    const { suite, id, variant, repetition } = line;
    const assertions = judged.map(([key]) => key);
    const place = { suite, id, variant, repetition, record, conversation, assertions };
    const known = this.#known.get(conversation) ?? { place, said: new Map() };
    this.#known.set(conversation, known);
    for (const [key, { status, score, threshold, judge }] of judged) {
      const byJudge: Map<string, JudgeVerdict> = known.said.get(key) ?? new Map();
      known.said.set(key, byJudge);
      const { model = '', unstable = false, spread } = judge ?? {};
      if (byJudge.has(model)) continue;
      byJudge.set(model, { status, score, threshold, unstable, spread: spread ?? 0 });
    }
  }

  /** The most telling first; those that tell as much stay in their order. */
  ordered(): InformativeCase[] {
    const told = [...this.#known.values()].map(({ place, said }) => ({
      place,
      telling: Math.max(
        ...[...said.values()].map((byJudge) => informativenessOf([...byJudge.values()])),
      ),
    }));
    return told.sort((a, b) => b.telling - a.telling).map(({ place }) => place);
  }
}

/** @param said of one assertion, a verdict of each judge, the newest first */
function informativenessOf(said: readonly JudgeVerdict[]): number {
  const [newest] = said;
  if (!newest) return 0;
  const decided = new Set(
    said.flatMap(({ status }) => (status === 'pass' || status === 'fail' ? [status] : [])),
  );
  const samples = newest.unstable ? 4 : newest.spread;
  return samples + (decided.size > 1 ? 2 : 0) + nearness(newest);
}

/** 1 at the threshold, 0 at the far end of the scale; a plain yes or no is never near. */
function nearness({ score, threshold }: JudgeVerdict): number {
  if (score === null || score === 0 || score === 1) return 0;
  return 1 - Math.abs(score - threshold) / Math.max(threshold, 1 - threshold);
}
