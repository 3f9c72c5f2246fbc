import pLimit from 'p-limit';
import {
  type Label,
  labelTime,
  type Opinion,
  type Subject,
  sameSubject,
} from '../../core/record/label.ts';
import type { CaseLine } from '../../core/record/runRecord.ts';
import { Scrubber } from '../../core/scrubber.ts';
import { allKeyedVerdicts } from '../../core/verdict.ts';
import { conversationHash } from '../../node/hashes.ts';
import { personName } from '../../node/paths.ts';
import {
  appendLabels,
  readLabels,
  removeLabels,
  saveLabeledConversation,
} from '../../store/labels.ts';
import { isAbout, type OtherCases } from './opinionsOn.ts';

/** A label without its person and time. */
export type LabelInput = Omit<Opinion, 'person' | 'standing'>;

/** A judged case, and the person who labels it. */
export interface LabelTarget {
  /** The eval file's absolute path. */
  readonly file: string;
  readonly person: string;
  readonly line: CaseLine;
  readonly others?: OtherCases;
}

/** Adds and removes a person's labels, one at a time, with undo. */
export class LabelEditor {
  /** Functions that each undo one step; the last one runs first. */
  readonly #steps: (() => Promise<unknown>)[] = [];
  readonly #limit = pLimit(1);

  get canUndo(): boolean {
    return this.#steps.length > 0;
  }

  reset(): void {
    this.#steps.length = 0;
  }

  /** @throws UnwritableError */
  add({ file, person, line }: LabelTarget, input: LabelInput): Promise<void> {
    return this.#limit(async () => {
      const label = await labelFor({ file, person, line }, input);
      if (!label) return;
      const { conversation, facts = NO_FACTS } = line;
      const scrubber = new Scrubber(process.env);
      await saveLabeledConversation(file, scrubber.data({ conversation, facts }));
      await appendLabels(file, person, [label], scrubber);
      const isAdded = (one: Label) =>
        one.at === label.at && sameSubject(one) === sameSubject(label);
      this.#steps.push(() => removeLabels(file, person, isAdded));
    });
  }

  /** Removes all of a person's labels for a verdict. @throws UnwritableError */
  remove({ file, person, line, others }: LabelTarget, { assertion, turn }: Subject): Promise<void> {
    return this.#limit(async () => {
      const isOn = isAbout(line, others);
      const isUnwanted = (one: Label) =>
        one.assertion === assertion && one.turn === turn && isOn(one);
      const removed = await removeLabels(file, person, isUnwanted);
      if (removed.length > 0) this.#steps.push(() => appendLabels(file, person, removed));
    });
  }

  /** Undoes the last step. @throws UnwritableError */
  undo(): Promise<void> {
    return this.#limit(async () => {
      // Keep the step if undoing it fails.
      await this.#steps.at(-1)?.();
      this.#steps.pop();
    });
  }
}

const NO_FACTS = { topics: [], tools: [], expectations: {}, context: {} };

/** @returns undefined if there is no such verdict */
async function labelFor(
  { file, person, line }: LabelTarget,
  { assertion, turn, ...input }: LabelInput,
): Promise<Label | undefined> {
  const verdict = new Map(allKeyedVerdicts(line.verdicts)).get(assertion);
  if (!verdict) return undefined;
  const conversation_hash = conversationHash(line.conversation);
  const { labels } = await readLabels(file);
  const before = labels
    .filter((one) => one.person === personName(person) && one.turn === turn)
    .filter((one) => one.assertion === assertion && one.conversation_hash === conversation_hash)
    .map((one) => labelTime(one) ?? 0);
  // The latest label counts, so a new label needs the latest time even if the clock was set back.
  const now = Math.max(Date.now(), ...before.map((time) => time + 1));
  return {
    case: line.id,
    variant: line.variant,
    assertion,
    question_hash: verdict.question_hash,
    turn,
    conversation_hash,
    ...input,
    at: new Date(now).toISOString(),
  };
}
