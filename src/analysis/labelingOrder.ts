import type { CaseRef } from '../core/identity.ts';
import { labeledConversation } from '../core/record/label.ts';
import type { CaseLine } from '../core/record/runRecord.ts';
import { allKeyedVerdicts, type Verdict } from '../core/verdict.ts';
import { conversationHash } from '../node/hashes.ts';
import { isDecided } from './agreement.ts';

/** A judged conversation, and its record. */
export interface InformativeCase extends CaseRef {
  /** Absolute path of the run's record. */
  readonly record: string;
  /** By `conversationHash`. */
  readonly conversation: string;
  /** Keys of the model-judged assertions. */
  readonly assertions: readonly string[];
}

interface JudgedConversation {
  readonly place: InformativeCase;
  /** Each judge's newest verdict, by assertion. */
  readonly verdicts: Map<string, Map<string, JudgeVerdict>>;
}

type JudgeVerdict = Pick<Verdict, 'status' | 'score' | 'threshold'> & {
  readonly unstable: boolean;
  readonly spread: number;
};

/**
 * Sorts conversations by how informative their labels would be: first conversations whose samples disagree, then those
 * whose judges disagree, then those with scores near the threshold. Add the newest run first: of a case's identical
 * conversations, only the first one added is kept.
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
    const key = labeledConversation({ case: id, variant, conversation_hash: conversation });
    const known = this.#known.get(key) ?? { place, verdicts: new Map() };
    this.#known.set(key, known);
    for (const [assertion, { status, score, threshold, judge }] of judged) {
      const byJudge: Map<string, JudgeVerdict> = known.verdicts.get(assertion) ?? new Map();
      known.verdicts.set(assertion, byJudge);
      const { model = '', unstable = false, spread } = judge ?? {};
      if (byJudge.has(model)) continue;
      byJudge.set(model, { status, score, threshold, unstable, spread: spread ?? 0 });
    }
  }

  /** The conversations, most informative first. */
  ordered(): InformativeCase[] {
    const ranked = [...this.#known.values()].map(({ place, verdicts }) => {
      const each = [...verdicts.values()].map((byJudge) => informativeness([...byJudge.values()]));
      return { place, score: Math.max(...each) };
    });
    return ranked.sort((a, b) => b.score - a.score).map(({ place }) => place);
  }
}

/** @param verdicts each judge's verdict on one assertion, newest first */
function informativeness(verdicts: readonly JudgeVerdict[]): number {
  const [newest] = verdicts;
  if (!newest) return 0;
  const decided = new Set(verdicts.map(({ status }) => status).filter(isDecided));
  const samples = newest.unstable ? 4 : newest.spread;
  return samples + (decided.size > 1 ? 2 : 0) + nearness(newest);
}

/** 1 at the threshold; 0 at the far end of the scale, or if the verdict is a plain yes or no. */
function nearness({ score, threshold }: JudgeVerdict): number {
  if (score === null || score === 0 || score === 1) return 0;
  return 1 - Math.abs(score - threshold) / Math.max(threshold, 1 - threshold);
}
