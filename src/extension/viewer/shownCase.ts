import { isError } from '../../core/problem.ts';
import type { ExpandedCase, MessageHistory, SuiteCase } from '../../core/suite.ts';

/** A case as its file has it now. */
export interface ShownCase {
  readonly suiteCase: SuiteCase | undefined;
  /** There is no such conversation any more, or it cannot be read: the case is what all have in common. */
  readonly lacks?: 'gone' | 'broken';
}

/** Reads a conversation of a case that stands for several. */
export async function openVariant(
  common: SuiteCase,
  variant: string,
): Promise<ShownCase & Pick<ExpandedCase, 'files'>> {
  const { cases = [], files = [], problems = [] } = (await common.expand?.()) ?? {};
  const one = cases.find((known) => known.variant === variant);
  const suiteCase = (await one?.open?.())?.suiteCase;
  if (suiteCase) return { suiteCase, files };
  const lacks = one || problems.some(isError) ? 'broken' : 'gone';
  return { suiteCase: common, files, lacks };
}

/** What was said of a case before anything runs. */
export function saidBefore(suiteCase: SuiteCase | undefined): MessageHistory | undefined {
  const { origin } = suiteCase ?? {};
  return origin?.kind === 'transcript' ? origin : origin?.history;
}
