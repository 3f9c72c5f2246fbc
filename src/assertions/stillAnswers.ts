import type { CaseLine } from '../core/record/runRecord.ts';
import { caseScore, caseStatus } from '../core/scoring.ts';
import type { Assertion, SuiteCase } from '../core/suite.ts';
import type { Verdict } from '../core/verdict.ts';
import { questionHash } from './questionHash.ts';

/**
 * Whether what was found of a case still answers what the case asks: the same questions, with the same
 * thresholds and weights. Its conversation may be another one now; `input_hash` tells.
 */
export function stillAnswers(line: CaseLine, suiteCase: SuiteCase): boolean {
  const { assertions, threshold, aggregate, repeat, skip, stopOnFailure } = suiteCase;
  const skipped = line.verdicts.some(({ reason }) => reason === 'case-skipped');
  return (
    line.repetitions === repeat.times &&
    (line.must_pass ?? 1) === repeat.pass &&
    line.threshold === threshold &&
    (line.status === 'error' ||
      (line.score === caseScore(line.verdicts, aggregate) &&
        line.status === caseStatus(line.verdicts, threshold, aggregate))) &&
    skipped === (skip !== undefined) &&
    (line.stop_reason !== 'stop-on-failure' || stopOnFailure) &&
    line.verdicts.length === assertions.length &&
    assertions.every((one, index) => answers(line.verdicts[index], one, suiteCase))
  );
}

/**
 * Whether the case certainly asks something else now than what was answered, or counts it otherwise. Records of
 * version 1 do not say what they answered.
 *
 * @param line of a case whose own text is what it was: what its file says for all cases may differ, or a prompt
 */
export function asksAnother(
  { verdicts, status, threshold }: Pick<CaseLine, 'verdicts' | 'status' | 'threshold'>,
  suiteCase: SuiteCase,
): boolean {
  const known = verdicts.filter(({ question_hash }) => question_hash !== undefined);
  if (known.length === 0) return false;
  const { assertions } = suiteCase;
  const byKey = new Map(assertions.map((one) => [one.key, one]));
  return (
    threshold !== suiteCase.threshold ||
    // What went wrong may have come before some of them.
    (status !== 'error' && verdicts.length !== assertions.length) ||
    known.some((verdict) => {
      const assertion = byKey.get(verdict.assertion.key ?? '');
      return !assertion || !answers(verdict, assertion, suiteCase);
    })
  );
}

function answers(verdict: Verdict | undefined, assertion: Assertion, facts: SuiteCase): boolean {
  return (
    verdict?.question_hash === questionHash(assertion, facts) && weighsTheSame(verdict, assertion)
  );
}

/** What no question holds: what the verdict counts for, and those of the assertions under it. */
function weighsTheSame({ assertion, threshold, nested = [] }: Verdict, wanted: Assertion): boolean {
  const under = new Map((wanted.nested ?? []).map((one) => [one.assertion.key, one.assertion]));
  return (
    assertion.key === wanted.key &&
    threshold === wanted.threshold &&
    assertion.weight === wanted.weight &&
    // A gate among those under it makes it one.
    (assertion.required === wanted.required || (assertion.required && under.size > 0)) &&
    nested.every((one) => {
      const own = under.get(one.assertion.key ?? '');
      return !own || weighsTheSame(one, own);
    })
  );
}
