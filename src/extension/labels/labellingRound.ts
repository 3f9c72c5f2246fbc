import { agreementOf, readLabelledRuns } from '../../analysis/agreement.ts';
import { type InformativeCase, LabelingOrder } from '../../analysis/labelingOrder.ts';
import { executionTitle, LABEL_WORDS } from '../../core/presentation/words.ts';
import { type PlacedLabel, sameSubject } from '../../core/record/label.ts';
import type { CaseLine } from '../../core/record/runRecord.ts';
import { reaches } from '../../core/scoring.ts';
import type { StatedAssertion } from '../../core/statedAssertion.ts';
import { visibleLine } from '../../core/text/visibleText.ts';
import { allKeyedVerdicts, type Verdict } from '../../core/verdict.ts';
import { conversationHash, withoutCircumstances } from '../../node/hashes.ts';
import type { FromLabelling, LabellingSnapshot } from '../../protocol/labellingProtocol.ts';
import { readLabels } from '../../store/labels.ts';
import { LatestRuns, labelledLines } from '../../store/records/latest.ts';
import { LabelBook, type Said } from './labelBook.ts';

type Answer = Extract<FromLabelling, { kind: 'answer' }>;

/** What can be said of a verdict. */
type Choice = Pick<Said, 'status' | 'label' | 'score'> & { readonly words: string };

/** Where a person is. */
interface Place {
  readonly item: number;
  readonly question: number;
}

/** What came to an answer, for undo: where it was asked, and whether something was written. */
interface Step extends Place {
  readonly written: boolean;
}

export interface RoundParts {
  /** The eval file, absolute. */
  readonly file: string;
  readonly person: string;
  /** The keys of all that the file asks now, by the ids of its cases; undefined where it cannot be read. */
  readonly asked: () => Promise<ReadonlyMap<string, ReadonlySet<string>> | undefined>;
  /** The assertions of a case as its file has them now. */
  readonly stated: (id: string, variant: string | undefined) => Promise<readonly StatedAssertion[]>;
}

/** One person labels the judged conversations of an eval file, one after the other, and sees no verdict. */
export class LabellingRound {
  readonly #parts: RoundParts;
  readonly #book = new LabelBook();
  readonly #runs = new LatestRuns();
  readonly #steps: Step[] = [];
  #items: readonly InformativeCase[] = [];
  /** Whether models judged conversations of cases that the file no longer has. */
  #gone = false;
  #at: Place = { item: 0, question: 0 };
  /** How many were labelled when the round began. */
  #before = 0;

  constructor(parts: RoundParts) {
    this.#parts = parts;
  }

  /** Finds what is to be labelled. */
  async begin(): Promise<void> {
    const order = new LabelingOrder();
    for await (const { line, record } of labelledLines(this.#parts.file)) order.add(line, record);
    const judged = order.ordered();
    const all = stillAsked(judged, await this.#parts.asked());
    this.#gone = all.length < judged.length;
    this.#items = await this.#unlabelled(all);
    this.#before = all.length - this.#items.length;
  }

  /** Those of which something is still to be said. */
  async #unlabelled(items: readonly InformativeCase[]): Promise<InformativeCase[]> {
    const labelled = new Set((await this.#own()).map(sameSubject));
    return items.filter(
      ({ conversation, assertions }) =>
        !assertions.every((key) =>
          labelled.has(sameSubject({ conversation_hash: conversation, assertion: key })),
        ),
    );
  }

  async shown(): Promise<LabellingSnapshot> {
    const total = this.#before + this.#items.length;
    const undo = this.#steps.length > 0;
    const asked = await this.#asked();
    if (!asked) {
      const left = await this.#unlabelled(this.#items);
      const labelled = total - left.length;
      const agreement = await this.#agreement();
      return { phase: 'done', labelled, total, gone: this.#gone, agreement, undo };
    }
    const { item, line, key, verdict, stated, choices } = asked;
    const own = (await this.#own()).filter(
      (one) => one.assertion === key && one.conversation_hash === item.conversation,
    );
    return {
      phase: 'asking',
      title: executionTitle(line),
      conversation: withoutCircumstances(line.conversation),
      at: this.#before + this.#at.item + 1,
      total,
      question: {
        at: this.#at.question + 1,
        count: item.assertions.length,
        name: verdict.assertion.name,
        stated: stated
          ? [stated.summary, ...stated.keys.map((one) => `${one.key}: ${one.text}`)]
          : [],
        choices: choices.map(({ words }) => words),
        turns: verdict.turns.map(({ turn }) => turn),
        said: own.map(({ turn, status, label }) => ({
          ...(turn !== undefined && { turn }),
          words: label ?? LABEL_WORDS[status],
        })),
      },
      undo,
    };
  }

  /** @throws UnwritableError */
  async answer({ choice, turn, comment }: Answer): Promise<void> {
    const asked = await this.#asked();
    const chosen = asked?.choices[choice];
    if (!asked || !chosen) return;
    if (turn !== undefined && !asked.verdict.turns.some((one) => one.turn === turn)) return;
    const { file, person } = this.#parts;
    const { words: _words, ...said } = chosen;
    await this.#book.say(
      { file, person, line: asked.line },
      {
        assertion: asked.key,
        ...said,
        ...(turn !== undefined && { turn }),
        ...(comment !== undefined && comment !== '' && { comment }),
      },
    );
    this.#steps.push({ ...this.#at, written: true });
    if (turn === undefined) this.#next();
  }

  skip(): void {
    if (this.#at.item >= this.#items.length) return;
    this.#steps.push({ ...this.#at, written: false });
    this.#next();
  }

  /** @throws UnwritableError */
  async undo(): Promise<void> {
    const step = this.#steps.at(-1);
    if (!step) return;
    if (step.written) await this.#book.undo();
    this.#steps.pop();
    this.#at = { item: step.item, question: step.question };
  }

  #next(): void {
    const { item, question } = this.#at;
    const isLast = question + 1 >= (this.#items[item]?.assertions.length ?? 0);
    this.#at = isLast ? { item: item + 1, question: 0 } : { item, question: question + 1 };
  }

  /** What is asked; what is no longer there is passed over. */
  async #asked() {
    for (;;) {
      const item = this.#items[this.#at.item];
      const key = item?.assertions[this.#at.question];
      if (!item || key === undefined) return undefined;
      const line = await this.#lineOf(item);
      const verdict = line && new Map(allKeyedVerdicts(line.verdicts)).get(key);
      if (line && verdict) {
        const stated = statedBy(key, await this.#parts.stated(item.id, item.variant));
        return { item, key, line, verdict, stated, choices: choicesOf(verdict, stated) };
      }
      this.#next();
    }
  }

  async #lineOf(item: InformativeCase): Promise<CaseLine | undefined> {
    const { id, variant, record, conversation } = item;
    const found = await this.#runs.find(this.#parts.file, id, { record, variant });
    return found.find(({ line }) => conversationHash(line.conversation) === conversation)?.line;
  }

  async #own(): Promise<readonly PlacedLabel[]> {
    const { labels } = await readLabels(this.#parts.file);
    return labels.filter(({ person }) => person === this.#parts.person);
  }

  async #agreement(): Promise<string[]> {
    const runs = await readLabelledRuns([this.#parts.file]);
    if (!runs) return [];
    const { rows } = agreementOf(runs.labels, runs.data);
    return rows.flatMap(({ judge, assertion, of, compared, confusion, kappa }) => {
      if (!assertion || compared === 0) return [];
      const right = confusion.failFail + confusion.passPass;
      const beyond = kappa
        ? `, kappa ${kappa.kappa.toFixed(2)} (${kappa.low.toFixed(2)} to ${kappa.high.toFixed(2)})`
        : '';
      const name = visibleLine(assertion.name, 80);
      return [`${visibleLine(judge)}, ${name}: right in ${right} of ${compared} ${of}${beyond}`];
    });
  }
}

/** Also one that decides another. */
function statedBy(key: string, all: readonly StatedAssertion[]): StatedAssertion | undefined {
  for (const one of all) {
    const found = one.key === key ? one : statedBy(key, one.nested);
    if (found) return found;
  }
  return undefined;
}

/** Without what the file no longer asks: its words would be missing. */
function stillAsked(
  items: readonly InformativeCase[],
  asked: ReadonlyMap<string, ReadonlySet<string>> | undefined,
): readonly InformativeCase[] {
  if (!asked) return items;
  return items.flatMap((item) => {
    const assertions = item.assertions.filter((key) => asked.get(item.id)?.has(key));
    return assertions.length > 0 ? [{ ...item, assertions }] : [];
  });
}

function choicesOf({ threshold, label }: Verdict, stated: StatedAssertion | undefined): Choice[] {
  const skipped = { words: LABEL_WORDS.skipped, status: 'skipped' } as const;
  const labels = label === undefined ? [] : Object.entries(stated?.labels ?? {});
  if (labels.length === 0) {
    return [
      { words: LABEL_WORDS.pass, status: 'pass' },
      { words: LABEL_WORDS.fail, status: 'fail' },
      skipped,
    ];
  }
  const named = labels.map(([name, score]): Choice => {
    const status = reaches(score, threshold) ? 'pass' : 'fail';
    return { words: `${visibleLine(name)} (${LABEL_WORDS[status]})`, status, label: name, score };
  });
  return [...named, skipped];
}
