import { dirname, isAbsolute, resolve } from 'node:path';
import type { CaseLine } from '../../core/record/runRecord.ts';
import {
  type Assertion,
  type SuiteCase,
  type TargetSpec,
  withoutSources,
} from '../../core/suite.ts';
import { readLinked } from '../../disk/regularFile.ts';
import { digestOf, inputHash, sha256 } from '../../node/hashes.ts';
import { filesOf, resolvedDigest, targetDigest } from '../../targets/digest.ts';
import { openCase } from './caseLine.ts';

/** What a record contains about a case before it runs. */
export type CaseDescription = Pick<
  CaseLine,
  'origin' | 'facts' | 'target' | 'input_hash' | 'script_hash'
>;

/** @param digestOfTarget see `targetDigest` */
export async function describeCase(
  suiteCase: SuiteCase,
  digestOfTarget: (target: TargetSpec) => Promise<string>,
): Promise<CaseDescription> {
  const { origin, role, topics, tools, expectations, context } = suiteCase;
  const target = origin.kind === 'transcript' ? undefined : origin.target;
  const digest = target && (await digestOfTarget(target));
  const scripts = await scriptDigests(suiteCase.assertions);
  return {
    origin: origin.kind,
    facts: {
      ...(role !== undefined && { role }),
      topics: [...topics],
      tools: [...tools],
      expectations: { ...expectations },
      context: { ...context },
    },
    ...(target && digest && { target: describeTarget(target, digest, origin) }),
    input_hash: inputHash(suiteCase, digest),
    ...(scripts.length > 0 && { script_hash: digestOf(scripts) }),
  };
}

function describeTarget(
  target: TargetSpec,
  digest: string,
  origin: SuiteCase['origin'],
): CaseLine['target'] {
  const { name, type } = target;
  const user = origin.kind === 'simulate' ? origin.user.model : undefined;
  const filled_in = resolvedDigest(target, user);
  return { name, type, digest, ...(filled_in !== undefined && { filled_in }) };
}

/** SHA-256 hash of everything in files that affects a case's result. Excludes positions in the files. */
export async function caseDigest(given: SuiteCase): Promise<string> {
  const { suiteCase } = await openCase(given);
  const { origin, tools } = suiteCase;
  const target = origin.kind !== 'transcript' && (await targetDigest(origin.target, tools));
  const scripts = await scriptDigests(suiteCase.assertions);
  return digestOf({ case: withoutSources(suiteCase), target, scripts });
}

/** Absolute paths of the program files that a case uses, not including their imports. */
export function programsOf({ origin, assertions }: SuiteCase): string[] {
  const target = origin.kind === 'transcript' ? undefined : origin.target;
  return [...(target ? filesOf(target) : []), ...scriptsOf(assertions)];
}

/** Digests of those files of `script` assertions that can be read. */
async function scriptDigests(assertions: readonly Assertion[]): Promise<string[]> {
  const digests = scriptsOf(assertions).map((path) =>
    readLinked(path).then(sha256, () => undefined),
  );
  return (await Promise.all(digests)).filter((one) => one !== undefined);
}

/** Paths that may be scripts: any relative argument in a `command` may be one. */
function scriptsOf(assertions: readonly Assertion[]): string[] {
  return assertions.flatMap(({ params: { path, command = [] }, source, nested = [] }) => [
    ...(typeof path === 'string' && isAbsolute(path) ? [path] : []),
    ...(Array.isArray(command) ? command.map(String) : [])
      .filter((argument) => !isAbsolute(argument))
      .map((argument) => resolve(dirname(source.path), argument)),
    ...scriptsOf(nested.map(({ assertion }) => assertion)),
  ]);
}
