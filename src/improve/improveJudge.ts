import { agreementOf, isDecided } from '../analysis/agreement.ts';
import { ComparisonData } from '../analysis/comparisonData.ts';
import { compareJudges, type JudgeComparison, reasonsOf } from '../analysis/judgeComparison.ts';
import { typeOf } from '../assertions/registry.ts';
import { isMapping, valueAt } from '../core/data/data.ts';
import { ReasonedError } from '../core/errors.ts';
import type { Estimate } from '../core/estimate.ts';
import type { Range } from '../core/problem.ts';
import { labeledConversation, type PlacedLabel } from '../core/record/label.ts';
import type { CaseLine } from '../core/record/runRecord.ts';
import type { Assertion, Suite } from '../core/suite.ts';
import { counted } from '../core/text/format.ts';
import { type Disagreement, rewriteQuestion } from '../judge/examples/rewrite.ts';
import type { Model } from '../models/model.ts';
import { conversationHash } from '../node/hashes.ts';
import {
  estimateLabeled,
  type JudgingOptions,
  judgeLabeled,
  type LabeledCase,
  labeledCases,
} from '../runner/judgeLabeled.ts';
import { verdictsOf } from '../store/examples.ts';
import { replaceValue } from '../yaml/edits.ts';
import { parseYaml } from '../yaml/yamlDocument.ts';

/** Thrown if labels can't be used to improve a judge. The message says why and what to do. */
export class ImproveError extends ReasonedError<
  'no-words' | 'too-few' | 'recorded' | 'no-disagreement' | 'unjudged'
> {
  override readonly name = 'ImproveError';
}

/** A proposed new wording for a question, and how it compares to the current one. */
export interface Improvement {
  readonly before: string;
  readonly after: string;
  /** The model's explanation of its changes. */
  readonly why: string;
  /** Number of disagreements shown to the model. */
  readonly shown: number;
  /** Results of the current wording and of the new one, on conversations that the model didn't see. */
  readonly measured: JudgeComparison;
  /** Number of conversations that the model didn't see. */
  readonly leftOut: number;
}

interface ToImprove {
  readonly suite: Suite;
  readonly labels: readonly PlacedLabel[];
  /** The assertion's key. */
  readonly key: string;
  /** Writes the new wording. */
  readonly model: Model;
  readonly options: JudgingOptions;
  /** Called with a description of each step, to display. */
  readonly onProgress: (doing: string) => void;
}

type LabeledAssertion = Pick<ToImprove, 'suite' | 'labels' | 'key'>;

/**
 * Estimates judging all labeled conversations, and the held-out ones twice, not counting the request to reword the
 * question.
 *
 * @throws ImproveError
 */
export async function estimateImprovement(asked: LabeledAssertion): Promise<Estimate> {
  const { cases, leftOut } = await splitCases(asked);
  return estimateLabeled([...cases, ...leftOut]);
}

/**
 * Asks a model to reword the question of an assertion, based on disagreements between the judge and people in one half
 * of the labeled conversations, and measures both wordings on the other half.
 *
 * @throws ImproveError, ModelError, JudgeError; the signal's reason when aborted
 */
export async function improveJudge({
  suite,
  labels,
  key,
  model,
  options,
  onProgress: tell,
}: ToImprove): Promise<Improvement> {
  const { own, cases, words, seen, leftOut } = await splitCases({ suite, labels, key });
  tell(`Judging ${counted(cases.length, 'conversation')} with the original question …`);
  const now = await linesOf(cases, options);
  requireVerdicts(now);
  const disagreements = disagreementsIn(seen, own, now);
  if (disagreements.length === 0) {
    throw new ImproveError(
      'no-disagreement',
      `The judge and people agree on all ${counted(seen.length, 'conversation')} that the model would be shown. There is nothing to learn from them.`,
    );
  }
  tell(`${model.id} is rewriting the question …`);
  const { words: after, why } = await rewriteQuestion(model, words, disagreements, options.signal);
  tell(`Judging ${counted(leftOut.length, 'conversation')} with the rewritten question …`);
  const changed = leftOut.map((one) => ({
    ...one,
    case: { ...one.case, assertions: one.case.assertions.map((asked) => reworded(asked, after)) },
  }));
  const then = await linesOf(changed, options);
  requireVerdicts(then);
  const measured = compareJudges(own, [
    { name: 'original', lines: leftOut.flatMap((one) => now.get(one) ?? []) },
    { name: 'rewritten', lines: changed.flatMap((one) => then.get(one) ?? []) },
  ]);
  const shown = disagreements.length;
  return { before: words, after, why, shown, measured, leftOut: leftOut.length };
}

/** Splits the conversations: one half is shown to the model, the other is held out. @throws ImproveError */
async function splitCases({ suite, labels, key }: LabeledAssertion) {
  const given = labels.filter((one) => one.assertion === key);
  const { cases, labels: own } = await labeledCases(suite, given, 2);
  if (cases.some((one) => one.case.assertions[0]?.judge?.provider === 'replay')) {
    throw new ImproveError(
      'recorded',
      'The judge answers from a recording, which has no answers to a rewritten question. Set a model as the judge first.',
    );
  }
  const words = commonWords(cases);
  const halves = [0, 1].map((fold) => cases.filter((one) => one.fold === fold));
  const [seen = [], leftOut = []] = halves;
  if (seen.length === 0 || leftOut.length === 0) {
    throw new ImproveError('too-few', 'Label conversations of at least two cases first.');
  }
  return { own, cases, words, seen, leftOut };
}

/** The wording, if it is the same in all cases. @throws ImproveError */
function commonWords(cases: readonly LabeledCase[]): string {
  const all = cases.flatMap((one) => one.case.assertions.map(wordingOf));
  const [words] = all;
  if (words !== undefined && all.every((one) => one === words)) return words;
  throw new ImproveError(
    'no-words',
    'Only criteria, `instructions`, and judge prompts can be rewritten, and only if their text is identical in all labeled cases and contains no case variables.',
  );
}

/** The wording in the file; undefined if the assertion type has its own. */
export function wordingOf(assertion: Assertion): string | undefined {
  const { prompt, params } = assertion;
  if (prompt) return prompt.body.trim();
  const words = params[typeOf(assertion).asPrompt?.key ?? ''];
  return typeof words === 'string' ? words.trim() : undefined;
}

function reworded(assertion: Assertion, words: string): Assertion {
  const { prompt, params } = assertion;
  const key = typeOf(assertion).asPrompt?.key ?? '';
  return {
    ...assertion,
    ...(params[key] !== undefined && { params: { ...params, [key]: words } }),
    ...(prompt && { prompt: { ...prompt, body: words } }),
  };
}

/** @throws ImproveError if all verdicts are errors */
function requireVerdicts(lines: ReadonlyMap<LabeledCase, CaseLine>): void {
  const verdicts = [...lines.values()].flatMap((line) => line.verdicts);
  const errors = verdicts.filter(({ status }) => status === 'error');
  const [first] = reasonsOf(errors);
  if (!first || errors.length < verdicts.length) return;
  throw new ImproveError(
    'unjudged',
    `The judge could not judge the labeled conversations: ${first.why}`,
  );
}

async function linesOf(cases: readonly LabeledCase[], options: JudgingOptions) {
  const lines = new Map<LabeledCase, CaseLine>();
  await judgeLabeled(cases, options, (line, one) => lines.set(one, line));
  return lines;
}

function disagreementsIn(
  cases: readonly LabeledCase[],
  labels: readonly PlacedLabel[],
  lines: ReadonlyMap<LabeledCase, CaseLine>,
): Disagreement[] {
  const data = new ComparisonData();
  for (const one of cases) {
    const line = lines.get(one);
    if (line) data.add(line);
  }
  const wrong = new Set(
    agreementOf(labels, data, () => () => true)
      .disagreements.filter(({ people }) => isDecided(people))
      .map((one) => labeledConversation(one.labels[0])),
  );
  return cases.flatMap((one) => {
    const hash = conversationHash(one.conversation);
    const [verdict] = lines.get(one)?.verdicts ?? [];
    const { id, variant } = one.case;
    const subject = labeledConversation({ case: id, variant, conversation_hash: hash });
    if (!verdict || !wrong.has(subject)) return [];
    const { conversation, facts } = one;
    const verdicts = verdictsOf(labels.filter((label) => labeledConversation(label) === subject));
    return [
      {
        example: { case: one.case.id, hash, conversation, facts, verdicts },
        judge: { status: verdict.status, rationale: verdict.rationale },
      },
    ];
  });
}

/** The file that contains an assertion's wording: its judge prompt, or else its eval file. */
export function wordingFile({ prompt, params, source }: Assertion): string {
  return prompt && params.instructions === undefined ? prompt.path : source.path;
}

/** Edits that replace an assertion's wording; empty if the text has changed. @param text of `wordingFile` */
export function rewordingEdit(
  assertion: Assertion,
  text: string,
  words: string,
): { readonly range: Range; readonly newText: string }[] {
  const { prompt, params, source } = assertion;
  if (prompt && params.instructions === undefined) {
    if (!text.trimEnd().endsWith(prompt.body.trim())) return [];
    return [{ range: prompt.bodyRange, newText: `${words}\n` }];
  }
  const document = parseYaml(text, source.path);
  const { path } = document.pathAt(source.range.start);
  const key = typeOf(assertion).asPrompt?.key ?? '';
  const before = wordingOf(assertion);
  for (let length = path.length; length > 0; length -= 1) {
    const at = path.slice(0, length);
    const value = valueAt(document.value, at);
    const place = isMapping(value) ? [...at, key] : at;
    const found = valueAt(document.value, place);
    if (typeof found !== 'string' || found.trim() !== before) continue;
    return replaceValue(document, place, words);
  }
  return [];
}
