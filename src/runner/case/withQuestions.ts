import { questionHash } from '../../assertions/questionHash.ts';
import type { Assertion, SuiteCase } from '../../core/suite.ts';
import type { Verdict } from '../../core/verdict.ts';

/** Puts into verdicts which question they answer. */
export function withQuestions(suiteCase: SuiteCase): (verdict: Verdict) => Verdict {
  const hashes = new Map<string, string>();
  const add = (assertions: readonly Assertion[]) => {
    for (const one of assertions) {
      hashes.set(one.key, questionHash(one, suiteCase));
      add((one.nested ?? []).map(({ assertion }) => assertion));
    }
  };
  add(suiteCase.assertions);
  const asked = (verdict: Verdict): Verdict => {
    const hash = hashes.get(verdict.assertion.key ?? '');
    return {
      ...verdict,
      ...(hash !== undefined && { question_hash: hash }),
      ...(verdict.nested && { nested: verdict.nested.map(asked) }),
    };
  };
  return asked;
}
