import type { Assertion, ModelSpec, SuiteCase } from '../core/suite.ts';

/** Every model that cases may ask: judges, embedding models and those that play the assistant. */
export function modelsOf(cases: readonly SuiteCase[]): ModelSpec[] {
  return cases.flatMap((one) => [
    ...judgesOf([one]),
    ...(one.origin.kind === 'turns' && one.origin.target.model ? [one.origin.target.model] : []),
  ]);
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
