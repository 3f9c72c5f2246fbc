import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Comparison, compareRuns } from '../../../src/analysis/compareRuns.ts';
import type { CaseLine } from '../../../src/core/record/runRecord.ts';
import { runSync } from '../../../src/node/cooperative.ts';
import { comparisonReport } from '../../../src/report/findings/comparisonReport.ts';
import {
  changedTexts,
  evidenceSentence,
  evidenceTexts,
  noiseTexts,
} from '../../../src/report/findings/comparisonSentences.ts';
import { terminalLayout } from '../../../src/report/findings/layout.ts';
import { createPaint } from '../../../src/report/style.ts';
import { seededRandom } from '../../../src/statistics/intervals.ts';
import {
  buildVerdict,
  comparedOf,
  type Given,
  judgedLine,
  noisyRun,
} from '../../support/comparing.ts';

function compare(base: readonly CaseLine[], head: readonly CaseLine[]): Comparison {
  return runSync(compareRuns(comparedOf(base), comparedOf(head)));
}

/** One case with one assertion, before and after. */
function outcome(base: readonly Given[], head: readonly Given[]): string | undefined {
  const lines = (given: readonly Given[]) =>
    given.map((one, index) =>
      judgedLine('a', [buildVerdict(one)], { repetition: index + 1, repetitions: given.length }),
    );
  const { cases } = compare(lines(base), lines(head));
  return cases[0]?.outcome;
}

describe('comparing two runs', () => {
  it('says of each case whether it is worse, better, unchanged, new, gone or undecided', () => {
    const line = (id: string, given: Given) => judgedLine(id, [buildVerdict(given)]);
    const { counts, cases } = compare(
      [line('a', 1), line('b', 0), line('c', 1), line('d', 1), line('e', 1), line('g', 1)],
      [
        line('a', 0),
        line('b', 1),
        line('c', 1),
        line('f', 1),
        line('e', 'error'),
        line('g', 'skipped'),
      ],
    );
    assert.deepEqual(counts, { worse: 1, better: 1, unchanged: 1, new: 1, gone: 1, undecided: 2 });
    assert.deepEqual(
      cases.map(({ id, outcome }) => `${id} ${outcome}`),
      ['a worse', 'b better', 'e undecided', 'g undecided', 'f new', 'd gone'],
    );
  });

  it('goes by the status, then the share that passes, then the score', () => {
    assert.equal(outcome([1], [1]), undefined);
    assert.equal(outcome([0.9], [0.8]), 'worse');
    assert.equal(outcome([0.1], [0.2]), 'better');
    assert.equal(outcome([0.9], [0.4]), 'worse');
    assert.equal(outcome([0, 0, 1], [0, 1, 1]), 'better');
    assert.equal(outcome([1, 1], [1, 'error']), 'undecided');
    assert.equal(outcome(['skipped'], ['skipped']), undefined);
    assert.equal(outcome(['skipped'], ['error']), 'undecided');
  });

  it('lists a regression of one turn in 200 cases, though the case still passes', () => {
    const run = (bad: boolean) =>
      Array.from({ length: 200 }, (_, id) => {
        const turn = bad && id === 137 ? 0 : 1;
        const turns = [
          [2, 1],
          [4, turn],
        ] as const;
        const verdict = buildVerdict(1, { turns: turns.map(([number, given]) => [number, given]) });
        return judgedLine(`case-${id}`, [verdict]);
      });
    const comparison = compare(run(false), run(true));
    assert.deepEqual(comparison.counts, {
      worse: 1,
      better: 0,
      undecided: 0,
      unchanged: 199,
      new: 0,
      gone: 0,
    });
    assert.equal(comparison.cases[0]?.id, 'case-137');
    assert.deepEqual(comparison.cases[0]?.assertions[0]?.turns, { worse: [4], better: [] });
    assert.equal(comparison.cases[0]?.assertions[0]?.reason, undefined);
    assert.match(
      comparisonReport(comparison, terminalLayout(createPaint(false)), '/work'),
      /case-137.*\n.*worse in turn 4/,
    );
    assert.match(evidenceSentence(comparison), /^No evidence of a change in 200 cases\./);
  });

  it('finds evidence where 20 of 200 cases become worse, and says by how much', () => {
    const regression = (seed: number, wrong: number) =>
      compare(
        noisyRun(2 * seed, wrong, 4, () => false),
        noisyRun(2 * seed + 1, wrong, 4, (id) => id % 10 === 0),
      );
    const comparison = regression(1, 0);
    assert.deepEqual(
      comparison.evidence.map(({ key, says }) => `${key} ${says}`),
      [0, 1, 2, 3].map((index) => `Assertion ${index} ${index === 0 ? 'worse' : 'no-evidence'}`),
    );
    // Also if the judge gets 3% of its verdicts wrong.
    const found = Array.from({ length: 20 }, (_, seed) => regression(seed, 0.03)).filter(
      ({ evidence }) => evidence[0]?.key === 'Assertion 0' && evidence[0].says === 'worse',
    );
    assert.ok(found.length >= 18, `${found.length} of 20`);
    const [first] = comparison.evidence;
    assert.ok(first && first.change.high < 0 && first.change.low < first.change.value);
    assert.match(
      evidenceSentence(comparison),
      /^Evidence of a change for the worse: Assertion 0 1\.00 → 0\.90 \(change −0\.10, /,
    );
  });

  it('tests scores between 0 and 1, and repetitions, by their ranks', () => {
    const random = seededRandom(5);
    const run = (shift: number) =>
      Array.from({ length: 60 }, (_, id) =>
        judgedLine(`case-${id}`, [buildVerdict(0.6 + random() * 0.2 - shift)]),
      );
    const [row] = compare(run(0), run(0.08)).evidence;
    assert.equal(row?.test, 'wilcoxon');
    assert.equal(row?.says, 'worse');
    assert.deepEqual([row?.passRate.base, row && row.change.high < 0], [1, true]);
    const repeated = (given: readonly Given[]) =>
      Array.from({ length: 30 }, (_, id) =>
        given.map((one, index) =>
          judgedLine(`case-${id}`, [buildVerdict(one)], { repetition: index + 1, repetitions: 3 }),
        ),
      ).flat();
    const [again] = compare(repeated([1, 1, 1]), repeated([1, 0, 1])).evidence;
    assert.deepEqual([again?.test, again?.cases, again?.says], ['wilcoxon', 30, 'worse']);
  });

  it('may rest at each case, and at each sample that is drawn of them', () => {
    const run = (given: number) =>
      Array.from({ length: 50 }, (_, id) => judgedLine(`case-${id}`, [buildVerdict(given)]));
    const rests = [...compareRuns(comparedOf(run(0.6)), comparedOf(run(0.7)))].length;
    assert.ok(rests > 2_000, `${rests}`);
  });

  it('says that 12 cases are too few to tell, and that nothing is in common', () => {
    const run = (bad: number) =>
      Array.from({ length: 12 }, (_, id) =>
        judgedLine(`case-${id}`, [buildVerdict(id < bad ? 0 : 1)]),
      );
    assert.equal(
      evidenceSentence(compare(run(0), run(3))),
      '12 cases are too few to tell: at least 6 would have to change in the same direction.',
    );
    assert.match(evidenceSentence(compare(run(0), run(9))), /^Evidence of a change for the worse/);
    assert.match(evidenceSentence(compare(run(0), [])), /nothing to compare/);
  });

  it('tells how few cases each assertion has where each case has its own, and of how many', () => {
    const run = (bad: number) =>
      Array.from({ length: 11 }, (_, id) =>
        judgedLine(`case-${id}`, [buildVerdict(id < bad ? 0 : 1, { key: `Own ${id}` })]),
      );
    const comparison = compare(run(0), run(1));
    assert.match(
      evidenceSentence(comparison),
      /^Each assertion is in at most 1 of 11 cases, too few to tell: at least \d+ would have to change in the same direction\. The share of cases that pass changed by −0\.09 /,
    );
    const texts = evidenceTexts(comparison.evidence).map(({ text }) => text);
    assert.equal(texts.length, 1);
    assert.match(texts[0] ?? '', /^11 assertions, each in 1 case, too few to tell: at least /);
  });

  it('corrects for the number of assertions that have cases enough, and for no others', () => {
    const run = (bad: number) =>
      Array.from({ length: 40 }, (_, id) =>
        judgedLine(`case-${id}`, [
          buildVerdict(id < bad ? 0 : 1, { key: 'Kind' }),
          buildVerdict(1, { key: id < 35 ? 'Whole' : `Rare ${id}` }),
        ]),
      );
    const { evidence } = compare(run(0), run(7));
    const [kind] = evidence;
    assert.equal(kind?.key, 'Kind');
    assert.equal(kind?.adjusted, 2 * (kind?.p ?? 0));
    const rare = evidence.filter(({ key }) => key.startsWith('Rare'));
    assert.ok(
      rare.length === 5 && rare.every((one) => one.adjusted === null && one.says === 'too-few'),
    );
  });

  it('names first what changed: agent, file, input, judge, question; or that nothing did', () => {
    const base = [judgedLine('a', [buildVerdict(1)]), judgedLine('b', [buildVerdict(1)])];
    const same = changedTexts(compare(base, base));
    assert.match(same[0] ?? '', /^No recorded differences/);
    assert.match(same[1] ?? '', /2 of 2 cases/);
    const target = { name: 'agent', type: 'module', digest: '2'.repeat(64) };
    const texts = changedTexts(
      runSync(
        compareRuns(
          comparedOf(base),
          comparedOf(
            [
              judgedLine('a', [buildVerdict(1, { judge: 'ollama:x', question: 'q2' })], {
                target,
                input_hash: 'i2',
                said: 'Other',
              }),
              judgedLine('b', [buildVerdict(1, { question: 'q3' })], { target }),
            ],
            { files: [{ path: '/work/suite.eval.yaml', hash: 'f'.repeat(64) }] },
          ),
        ),
      ),
    ).join('\n');
    assert.match(texts, /The agent: agent \(module, 11111111\) → agent \(module, 22222222\)\./);
    assert.match(texts, /The eval file \/work\/suite\.eval\.yaml\./);
    assert.match(texts, /Inputs of the conversation .*: 1 of 2 cases\./);
    assert.match(texts, /The judge: openai:judge → ollama:x, openai:judge\./);
    assert.match(texts, /Questions to the same judge: 1 of 2 assertions\./);
    assert.match(texts, /Same conversations in both runs: 1 of 2 cases\./);
    assert.match(texts, /Each case ran once in both runs\./);
  });

  it('keeps a required failure of one repetition, and tells equal assertions apart', () => {
    const required = (given: Given) => buildVerdict(given, { required: true });
    const run = (given: Given) =>
      [1, given].map((one, index) =>
        judgedLine('a', [required(one)], { repetition: index + 1, repetitions: 2, must_pass: 0.5 }),
      );
    assert.equal(compare(run(1), run(0)).cases[0]?.head?.status, 'fail');
    const twins = (first: Given, second: Given) => [
      judgedLine('a', [buildVerdict(first), buildVerdict(second)]),
    ];
    const [one] = compare(twins(1, 1), twins(1, 0)).cases;
    assert.deepEqual(
      one?.assertions.map(({ key }) => key),
      ['Kind (2)'],
    );
  });
});

describe('judge noise', () => {
  it('counts conversations judged alike and not, by repetitions and by runs', () => {
    const run = (given: readonly Given[]) =>
      given.map((one, id) => judgedLine(`case-${id}`, [buildVerdict(one)]));
    const { noise } = compare(run([1, 1, 1, 0]), run([1, 0, 1, 0]));
    const [all, kind] = noise;
    assert.deepEqual([all?.conversations, all?.flipped, all?.disagreement], [4, 1, 0.25]);
    assert.equal(kind?.assertion?.key, 'Kind');
    assert.match(
      noiseTexts(noise)[0] ?? '',
      /^openai:judge changed its verdict on 1 of 4 conversations that it judged more than once \(95% CI 0\.05 to 0\.70\)/,
    );
  });

  it('counts no cached answer, no other question, no other conversation, no error', () => {
    const base = [judgedLine('a', [buildVerdict(1)])];
    const heads = [
      judgedLine('a', [buildVerdict(0, { cached: true })]),
      judgedLine('a', [buildVerdict(0, { question: 'q2' })]),
      judgedLine('a', [buildVerdict(0)], { said: 'Other' }),
      judgedLine('a', [buildVerdict('error')]),
      judgedLine('a', [buildVerdict(0, { judge: 'ollama:x', question: 'q3' })]),
    ];
    for (const head of heads) {
      const { noise } = compare(base, [head]);
      assert.equal(noise[0]?.conversations, 0);
      assert.match(
        noiseTexts(noise)[0] ?? '',
        /^Unknown for openai:judge: it did not judge any conversation twice\./,
      );
    }
    assert.deepEqual(compare([judgedLine('a', [buildVerdict(1, { judge: null })])], []).noise, []);
  });

  it('tells of samples that disagree', () => {
    const line = judgedLine('a', [buildVerdict(1, { samples: 5, unstable: true })]);
    const { noise } = compare([line], [judgedLine('a', [buildVerdict(1, { samples: 5 })])]);
    assert.deepEqual([noise[0]?.sampled, noise[0]?.unstable], [2, 1]);
    assert.match(noiseTexts(noise)[0] ?? '', /Samples disagreed in 1 of 2 verdicts\./);
  });
});
