import { isAbsolute } from 'node:path';
import { type Assertion, type SuiteCase, withoutSources } from '../core/suite.ts';
import { readLinked } from '../disk/regularFile.ts';
import { digestOf, sha256 } from '../node/hashes.ts';
import { filesOf, targetDigest } from '../targets/digest.ts';
import { openCase } from './case/ended.ts';

/**
 * SHA-256 of all that decides what a run of a case finds, as far as its files tell; where it stands in
 * them decides nothing.
 */
export async function caseDigest(given: SuiteCase): Promise<string> {
  const { suiteCase } = await openCase(given);
  const { origin, tools } = suiteCase;
  const target = origin.kind !== 'transcript' && (await targetDigest(origin.target, tools));
  const scripts = await Promise.all(
    scriptsOf(suiteCase.assertions).map((path) => readLinked(path).then(sha256, () => undefined)),
  );
  return digestOf({ case: withoutSources(suiteCase), target, scripts });
}

/** The files besides those of its text that a case rests on, absolute. What programs import is not known. */
export function programsOf({ origin, assertions }: SuiteCase): string[] {
  const target = origin.kind === 'transcript' ? undefined : origin.target;
  return [...(target ? filesOf(target) : []), ...scriptsOf(assertions)];
}

function scriptsOf(assertions: readonly Assertion[]): string[] {
  return assertions.flatMap(({ params: { path }, nested = [] }) => [
    ...(typeof path === 'string' && isAbsolute(path) ? [path] : []),
    ...scriptsOf(nested.map(({ assertion }) => assertion)),
  ]);
}
