import type { Assertion, ModelSpec, SuiteCase, TargetSpec } from '../core/suite.ts';

/** Every model that cases may ask: judges, embedding models and those that play the assistant or the user. */
export function modelsOf(cases: readonly SuiteCase[]): ModelSpec[] {
  return cases.flatMap((one) => [...judgesOf([one]), ...playersOf(one)]);
}

function playersOf({ origin }: SuiteCase): ModelSpec[] {
  if (origin.kind === 'transcript') return [];
  const user = origin.kind === 'simulate' ? origin.user.model : undefined;
  return [...(origin.target.model ? [origin.target.model] : []), ...(user ? [user] : [])];
}

/** Every target that cases talk to. */
export function targetsOf(cases: readonly SuiteCase[]): TargetSpec[] {
  return cases.flatMap(({ origin }) => (origin.kind === 'transcript' ? [] : [origin.target]));
}

/** The models that judge cases, those for embeddings included. */
export function judgesOf(cases: readonly SuiteCase[]): ModelSpec[] {
  return cases.flatMap(({ assertions }) => assertions.flatMap(modelsOfAssertion));
}

function modelsOfAssertion({ judge, model, nested = [] }: Assertion): ModelSpec[] {
  return [
    ...(judge ? [judge] : []),
    ...(model ? [model] : []),
    ...nested.flatMap(({ assertion }) => modelsOfAssertion(assertion)),
  ];
}
