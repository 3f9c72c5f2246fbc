import type { ComparedAssertion, Comparison, RunFacts } from '../../analysis/compareRuns.ts';
import type { Change, Evidence, ResultInRun } from '../../analysis/evidence.ts';
import type { NoiseRow } from '../../analysis/noise.ts';
import { groupBy } from '../../core/data/data.ts';
import { scoreText } from '../../core/presentation/score.ts';
import { OUTCOME_WORDS, STATUS_WORDS } from '../../core/presentation/words.ts';
import { counted } from '../../core/text/format.ts';
import { visibleLine } from '../../core/text/visibleText.ts';

const MAX_NAME = 60;

/** `1a2b3c4d of 2026-01-31 12:00 at 0123456789ab, 200 cases` */
export function runText({ id, started, commit, finished, cases }: RunFacts): string {
  const time = started.slice(0, 16).replace('T', ' ');
  const at = commit === undefined ? '' : ` at ${commit.slice(0, 12)}`;
  return visibleLine(
    `${id} of ${time}${at}, ${counted(cases, 'case')}${finished ? '' : ', not finished'}`,
  );
}

/** Sentences about differences between the runs other than their results; similarities come last. */
export function changedTexts({ base, head, differences }: Comparison): string[] {
  const { cases, inputs, questions, assertions, sameConversations, files } = differences;
  const changed = [
    ...(differences.agent
      ? [`The agent: ${formatList(base.agents)} → ${formatList(head.agents)}.`]
      : []),
    ...files.map((file) => `The eval file ${visibleLine(file)}.`),
    ...(inputs > 0
      ? [`Inputs of the conversation (script, context, or agent): ${shareOfCases(inputs, cases)}.`]
      : []),
    ...(differences.judges
      ? [`The judge: ${formatList(base.judges)} → ${formatList(head.judges)}.`]
      : []),
    ...(questions > 0
      ? [`Questions to the same judge: ${questions} of ${counted(assertions, 'assertion')}.`]
      : []),
  ];
  const [before, after] = [repeatText(base), repeatText(head)];
  return [
    ...(changed.length === 0
      ? ['No recorded differences: the agent, eval files, questions, and judges are the same.']
      : changed),
    ...(cases > 0
      ? [`Same conversations in both runs: ${shareOfCases(sameConversations, cases)}.`]
      : []),
    before === after
      ? `Each case ran ${before} in both runs.`
      : `Each case ran ${before} before and ${after} after.`,
  ];
}

function shareOfCases(some: number, all: number): string {
  return `${some} of ${counted(all, 'case')}`;
}

function formatList(names: readonly string[]): string {
  return names.length === 0 ? 'none' : names.map((one) => visibleLine(one, MAX_NAME)).join(', ');
}

/** `3 times with 1 to 5 samples` */
function repeatText({ repetitions, samples }: RunFacts): string {
  const range = ([low, high]: readonly [number, number]) =>
    low === high ? String(low) : `${low} to ${high}`;
  const times = repetitions[1] === 1 ? 'once' : `${range(repetitions)} times`;
  return samples[1] === 1 ? times : `${times} with ${range(samples)} samples per verdict`;
}

export function evidenceSentence({ evidence, passRate }: Comparison): string {
  if (evidence.length === 0)
    return 'The runs have no verdicts in common, so there is nothing to compare.';
  const found = evidence.filter(({ says }) => says === 'worse' || says === 'better');
  if (found.length > 0) {
    const worse = found.some(({ says }) => says === 'worse');
    const better = found.some(({ says }) => says === 'better');
    const way = worse && better ? 'in both directions' : worse ? 'for the worse' : 'for the better';
    const changes = found.map((one) => `${visibleLine(one.name, MAX_NAME)} ${numbersText(one)}`);
    return `Evidence of a change ${way}: ${changes.join('; ')}.`;
  }
  const cases = Math.max(...evidence.map((one) => one.cases));
  const needed = Math.min(...evidence.map((one) => one.needed));
  const rate =
    passRate === undefined
      ? ''
      : ` The share of cases that pass changed by ${signedText(passRate.change.value)} (${intervalText(passRate.change)}).`;
  if (evidence.every(({ says }) => says === 'too-few')) {
    const all = passRate?.cases ?? 0;
    return all > cases
      ? `Each assertion is in at most ${cases} of ${counted(all, 'case')}, too few to tell: ${neededText(needed)}.${rate}`
      : `${tooFewText(cases, needed)}.`;
  }
  const few = evidence.filter(({ says }) => says === 'too-few').length;
  const others = few === 0 ? '' : `, and ${counted(few, 'assertion')} with too few cases to tell`;
  return `No evidence of a change in ${counted(cases, 'case')}${others}.${rate}`;
}

/** If more assertions than this have too few cases, and the same number of them, they share a sentence. */
const MAX_SEPARATE = 3;

/** One sentence per assertion, or per group of similar ones. */
export function evidenceTexts(
  evidence: readonly Evidence[],
): { readonly says: Evidence['says']; readonly text: string }[] {
  const alike = groupBy(evidence, (one) =>
    one.says === 'too-few' ? `${one.cases} cases` : `${one.suite}\n${one.key}`,
  );
  return [...alike.values()].flatMap((group) => {
    const [{ says, cases, needed }] = group;
    if (says !== 'too-few' || group.length <= MAX_SEPARATE) {
      return group.map((one) => ({ says: one.says, text: evidenceText(one) }));
    }
    const text = `${group.length} assertions, each in ${counted(cases, 'case')}, too few to tell: ${neededText(needed)}.`;
    return [{ says, text }];
  });
}

/** `Tone: no evidence of a change in 200 cases: 0.98 → 0.97 (change −0.01, …).` */
function evidenceText(one: Evidence): string {
  const { cases, needed, says } = one;
  const name = visibleLine(one.name, MAX_NAME);
  if (says === 'too-few') return `${name}: ${tooFewText(cases, needed)}.`;
  const found =
    says === 'no-evidence'
      ? `no evidence of a change in ${counted(cases, 'case')}`
      : `evidence that it is ${says}`;
  return `${name}: ${found}: ${numbersText(one)}.`;
}

export function tooFewText(cases: number, needed: number): string {
  return `${counted(cases, 'case')} ${cases === 1 ? 'is' : 'are'} too few to tell: ${neededText(needed)}`;
}

function neededText(needed: number): string {
  return `at least ${needed} would have to change in the same direction`;
}

/** `0.91 → 0.81 (change −0.10, 95% CI −0.15 to −0.05, p 0.0004)` */
function numbersText(one: Evidence): string {
  const { base, head } = one.test === 'mcnemar' ? one.passRate : one.score;
  const sums = `change ${signedText(one.change.value)}, ${intervalText(one.change)}, p ${pValueText(one.adjusted)}`;
  return `${scoreText(base)} → ${scoreText(head)} (${sums})`;
}

/** How consistent the judges are, one sentence each. */
export function noiseTexts(noise: readonly NoiseRow[]): string[] {
  const all = noise.filter(({ assertion }) => assertion === undefined);
  if (all.length === 0) return ['No verdicts are from a judge.'];
  return all.map((row) => {
    const judge = visibleLine(row.judge, MAX_NAME);
    const samples =
      row.sampled === 0
        ? ''
        : ` Samples disagreed in ${row.unstable} of ${counted(row.sampled, 'verdict')}.`;
    if (row.disagreement === null) {
      return `Unknown for ${judge}: it did not judge any conversation twice.${samples}`;
    }
    return `${judge} changed its verdict on ${row.flipped} of ${counted(row.conversations, 'conversation')} that it judged more than once (${intervalText(row.share)}); the chance that two verdicts differ is ${scoreText(row.disagreement)}.${samples}`;
  });
}

/** `passed 1.00`, `2 of 3 passed 0.80 (0.40 to 1.00)`, `errored`. */
export function sideText(side: ResultInRun | undefined, ...thresholds: readonly number[]): string {
  if (!side) return 'none';
  const { status, score, passed, decided, errored, range } = side;
  const spread = range
    ? ` (${range.map((one) => scoreText(one, ...thresholds)).join(' to ')})`
    : '';
  const shown = score === null ? '' : ` ${scoreText(score, ...thresholds)}${spread}`;
  if (decided + errored < 2) return `${STATUS_WORDS[status]}${shown}`;
  const errors = errored === 0 ? '' : `, ${errored} ${STATUS_WORDS.error}`;
  return `${passed} of ${decided} ${STATUS_WORDS.pass}${errors}${shown}`;
}

/** `Completeness: passed 1.00 → failed 0.50, worse in turn 4` */
export function assertionText(compared: ComparedAssertion): string {
  const { name, base, head, turns, outcome, threshold } = compared;
  const sides =
    base && head
      ? `${sideText(base, threshold)} → ${sideText(head, threshold)}`
      : OUTCOME_WORDS[outcome];
  return [`${visibleLine(name, MAX_NAME)}: ${sides}`, ...turnsText(turns)].join(', ');
}

/** `worse in turn 4`, `better in turns 2, 6` */
export function turnsText({ worse, better }: ComparedAssertion['turns']): string[] {
  return [
    ...(worse.length > 0 ? [`worse in ${turnList(worse)}`] : []),
    ...(better.length > 0 ? [`better in ${turnList(better)}`] : []),
  ];
}

function turnList(turns: readonly number[]): string {
  return `${turns.length === 1 ? 'turn' : 'turns'} ${turns.join(', ')}`;
}

/** `95% CI −0.15 to −0.05` */
export function intervalText({ low, high }: Pick<Change, 'low' | 'high'>): string {
  return `95% CI ${fixedNumber(low)} to ${fixedNumber(high)}`;
}

export function signedText(value: number): string {
  return value > 0 ? `+${fixedNumber(value)}` : fixedNumber(value);
}

/** A number with two decimal places and a real minus sign; never `−0.00`. */
function fixedNumber(value: number): string {
  const text = value.toFixed(2);
  return Number(text) === 0 ? '0.00' : text.replace('-', '−');
}

export function pValueText(p: number | null): string {
  if (p === null) return '–';
  return p < 0.0001 ? '<0.0001' : p.toFixed(4);
}
