import { isError } from '../../core/problem.ts';
import type { ExpandedCase, SaidBefore, SuiteCase } from '../../core/suite.ts';

/** A case as its file has it now. */
export interface ShownCase {
  readonly suiteCase: SuiteCase | undefined;
  /** There is no such conversation any more: the case is what all have in common. */
  readonly isGone?: boolean;
}

/** Reads a conversation of a case that stands for several. */
export async function openVariant(
  common: SuiteCase,
  variant: string,
): Promise<ShownCase & Pick<ExpandedCase, 'files'>> {
  const { cases = [], files = [], problems = [] } = (await common.expand?.()) ?? {};
  const one = cases.find((known) => known.variant === variant);
  const suiteCase = (await one?.open?.())?.suiteCase ?? common;
  return { suiteCase, files, isGone: !one && !problems.some(isError) };
}

/** What was said of a case before anything runs. */
export function saidBefore(suiteCase: SuiteCase | undefined): SaidBefore | undefined {
  const { origin } = suiteCase ?? {};
  return origin?.kind === 'transcript' ? origin : origin?.history;
}
