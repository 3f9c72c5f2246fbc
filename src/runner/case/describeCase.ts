import type { CaseLine } from '../../core/record/runRecord.ts';
import type { SuiteCase, TargetSpec } from '../../core/suite.ts';
import { inputHash } from '../../node/hashes.ts';
import { resolvedDigest } from '../../targets/digest.ts';
import type { Exchanges } from '../exchanges.ts';

/** What a record says of a case before it runs: where its conversation comes from and what is known. */
export async function describeCase(
  suiteCase: SuiteCase,
  exchanges: Exchanges,
): Promise<Pick<CaseLine, 'origin' | 'facts' | 'target' | 'input_hash'>> {
  const { origin, role, topics, tools, expectations, context } = suiteCase;
  const target = origin.kind === 'transcript' ? undefined : origin.target;
  const digest = target && (await exchanges.digest(target, suiteCase));
  return {
    origin: origin.kind,
    facts: {
      ...(role !== undefined && { role }),
      topics: [...topics],
      tools: [...tools],
      expectations: { ...expectations },
      context: { ...context },
    },
    ...(target && digest && { target: describeTarget(target, digest) }),
    input_hash: inputHash(suiteCase, digest),
  };
}

function describeTarget(target: TargetSpec, digest: string): CaseLine['target'] {
  const { name, type } = target;
  const filled_in = resolvedDigest(target);
  return { name, type, digest, ...(filled_in !== undefined && { filled_in }) };
}
