import { agreementOf, readLabeledRuns, verdictsIn } from '../../analysis/agreement.ts';
import { ComparisonData } from '../../analysis/comparisonData.ts';
import { type InformativeCase, LabelingOrder } from '../../analysis/labelingOrder.ts';
import { executionTitle, LABEL_WORDS } from '../../core/presentation/words.ts';
import {
  assignLabels,
  type HasCase,
  type PlacedLabel,
  sameSubject,
} from '../../core/record/label.ts';
import type { CaseLine } from '../../core/record/runRecord.ts';
import { reaches } from '../../core/scoring.ts';
import type { StatedAssertion } from '../../core/statedAssertion.ts';
import { visibleLine } from '../../core/text/visibleText.ts';
import { allKeyedVerdicts, type Verdict } from '../../core/verdict.ts';
import { conversationHash, withoutCircumstances } from '../../node/hashes.ts';
import { labelsFolder } from '../../node/paths.ts';
import type { FromLabeling, LabelingSnapshot } from '../../protocol/labelingProtocol.ts';
import { readLabels } from '../../store/labels.ts';
import { LatestRuns, labeledLines } from '../../store/records/latest.ts';
import { LabelEditor, type LabelInput } from './labelEditor.ts';

type Answer = Extract<FromLabeling, { kind: 'answer' }>;

/** A possible label of a verdict. */
type Choice = Pick<LabelInput, 'status' | 'label' | 'score'> & { readonly words: string };

interface Position {
  readonly item: number;
  readonly question: number;
}

interface LabelingSessionParts {
  /** The eval file's absolute path. */
  readonly file: string;
  readonly person: string;
  /** All keys of the current assertions, by case id; undefined if the file can't be read. */
  readonly currentKeys: () => Promise<ReadonlyMap<string, ReadonlySet<string>> | undefined>;
  readonly readCases: () => Promise<HasCase | undefined>;
  /** The current assertions of a case. */
  readonly statedAssertions: (
    id: string,
    variant: string | undefined,
  ) => Promise<readonly StatedAssertion[]>;
}

/** A person labels the judged conversations of an eval file, one at a time, without seeing the verdicts. */
export class LabelingSession {
  readonly #parts: LabelingSessionParts;
  readonly #editor = new LabelEditor();
  readonly #runs = new LatestRuns();
  /** Steps that can be undone: their positions, and whether they wrote a label. */
  readonly #steps: { readonly position: Position; readonly written: boolean }[] = [];
  #items: readonly InformativeCase[] = [];
  /** Whether some judged conversations belong to cases no longer in the file. */
  #hasRemoved = false;
  #position: Position = { item: 0, question: 0 };
  #candidatesFor: ReturnType<ReturnType<typeof verdictsIn>> = () => [];
  #hasCase: HasCase | undefined;
  /** Number of conversations that were labeled before the session started. */
  #labeledBefore = 0;

  constructor(parts: LabelingSessionParts) {
    this.#parts = parts;
  }

  /** Finds the conversations to label. */
  async start(): Promise<void> {
    const order = new LabelingOrder();
    const data = new ComparisonData();
    for await (const { line, record } of labeledLines(this.#parts.file)) {
      order.add(line, record);
      data.add(line);
    }
    this.#candidatesFor = verdictsIn(data)(labelsFolder(this.#parts.file));
    this.#hasCase = await this.#parts.readCases();
    const judged = order.ordered();
    const all = filterCurrent(judged, await this.#parts.currentKeys());
    this.#hasRemoved = all.length < judged.length;
    this.#items = await this.#unlabeled(all);
    this.#labeledBefore = all.length - this.#items.length;
  }

  /** Conversations in which some assertion has no label. */
  async #unlabeled(items: readonly InformativeCase[]): Promise<InformativeCase[]> {
    const labeled = new Set((await this.#ownLabels()).map(sameSubject));
    return items.filter((item) =>
      item.assertions.some((assertion) => !labeled.has(sameSubject(subjectOf(item, assertion)))),
    );
  }

  /** Absolute path of the record of the current conversation. */
  get record(): string | undefined {
    return this.#items[this.#position.item]?.record;
  }

  async snapshot(): Promise<LabelingSnapshot> {
    const total = this.#labeledBefore + this.#items.length;
    const undo = this.#steps.length > 0;
    const question = await this.#currentQuestion();
    if (!question) {
      const labeled = total - (await this.#unlabeled(this.#items)).length;
      const agreement = await this.#agreement();
      return { phase: 'done', labeled, total, gone: this.#hasRemoved, agreement, undo };
    }
    const { item, line, key, verdict, stated, choices } = question;
    const wanted = sameSubject(subjectOf(item, key));
    const own = (await this.#ownLabels()).filter(
      (one) => sameSubject({ ...one, turn: undefined }) === wanted,
    );
    return {
      phase: 'asking',
      title: executionTitle(line),
      conversation: withoutCircumstances(line.conversation),
      at: this.#labeledBefore + this.#position.item + 1,
      total,
      question: {
        at: this.#position.question + 1,
        count: item.assertions.length,
        name: verdict.assertion.name,
        stated: stated
          ? [stated.summary, ...stated.keys.map((one) => `${one.key}: ${one.text}`)]
          : [],
        choices: choices.map(({ words }) => words),
        turns: verdict.turns.map(({ turn }) => turn),
        said: own.map(({ turn, status, label }) => ({ turn, words: label ?? LABEL_WORDS[status] })),
      },
      undo,
    };
  }

  /** @throws UnwritableError */
  async answer({ choice, turn, comment }: Answer): Promise<void> {
    const question = await this.#currentQuestion();
    const chosen = question?.choices[choice];
    if (!question || !chosen) return;
    if (turn !== undefined && !question.verdict.turns.some((one) => one.turn === turn)) return;
    const { words: _, ...opinion } = chosen;
    const label = { assertion: question.key, ...opinion, turn, comment: comment || undefined };
    await this.#editor.add({ ...this.#parts, line: question.line }, label);
    this.#steps.push({ position: this.#position, written: true });
    if (turn === undefined) this.#next();
  }

  skip(): void {
    if (this.#position.item >= this.#items.length) return;
    this.#steps.push({ position: this.#position, written: false });
    this.#next();
  }

  /** @throws UnwritableError */
  async undo(): Promise<void> {
    const step = this.#steps.at(-1);
    if (!step) return;
    if (step.written) await this.#editor.undo();
    this.#steps.pop();
    this.#position = step.position;
  }

  #next(): void {
    const { item, question } = this.#position;
    const isLast = question + 1 >= (this.#items[item]?.assertions.length ?? 0);
    this.#position = isLast ? { item: item + 1, question: 0 } : { item, question: question + 1 };
  }

  /** Skips questions that no longer exist. */
  async #currentQuestion() {
    for (;;) {
      const item = this.#items[this.#position.item];
      const key = item?.assertions[this.#position.question];
      if (!item || key === undefined) return undefined;
      const line = await this.#lineOf(item);
      const verdict = line && new Map(allKeyedVerdicts(line.verdicts)).get(key);
      if (line && verdict) {
        const stated = findStated(key, await this.#parts.statedAssertions(item.id, item.variant));
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

  /** The person's labels, under the names of the cases that they are about. */
  async #ownLabels(): Promise<readonly PlacedLabel[]> {
    const { labels } = await readLabels(this.#parts.file);
    const own = labels.filter(({ person }) => person === this.#parts.person);
    return assignLabels(own, this.#candidatesFor, this.#hasCase);
  }

  async #agreement(): Promise<string[]> {
    const runs = await readLabeledRuns([this.#parts.file], this.#parts.readCases);
    if (!runs) return [];
    const { rows } = agreementOf(runs.labels, runs.data, runs.casesIn);
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

function subjectOf({ id, variant, conversation }: InformativeCase, assertion: string) {
  return { case: id, variant, conversation_hash: conversation, assertion };
}

/** Finds an assertion by its key, even if it is nested. */
function findStated(key: string, all: readonly StatedAssertion[]): StatedAssertion | undefined {
  for (const one of all) {
    const found = one.key === key ? one : findStated(key, one.nested);
    if (found) return found;
  }
  return undefined;
}

/** Leaves out assertions that were removed, because their wording is unknown. */
function filterCurrent(
  items: readonly InformativeCase[],
  question: ReadonlyMap<string, ReadonlySet<string>> | undefined,
): readonly InformativeCase[] {
  if (!question) return items;
  return items.flatMap((item) => {
    const assertions = item.assertions.filter((key) => question.get(item.id)?.has(key));
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
