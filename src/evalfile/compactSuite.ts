import type { SuiteCase } from '../core/suite.ts';
import type { LoadedSuite } from './loadedSuite.ts';

/**
 * The same suite in little memory: the conversations that its file contains are text until their cases are opened,
 * and the outline has no turns. As data, with the place of each message, thousands take a gigabyte.
 */
export function compactSuite({ suite, outline, ...loaded }: LoadedSuite): LoadedSuite {
  return {
    ...loaded,
    outline: outline.map(({ said: _, ...one }) => ({ ...one, turns: [] })),
    ...(suite && { suite: { ...suite, cases: suite.cases.map(compactCase) } }),
  };
}

function compactCase(suiteCase: SuiteCase): SuiteCase {
  // Those that are read later have no conversation yet.
  if (suiteCase.open || suiteCase.expand || suiteCase.origin.kind !== 'transcript')
    return suiteCase;
  const { messages, ...origin } = suiteCase.origin;
  const text = JSON.stringify(messages);
  const light: SuiteCase = { ...suiteCase, origin: { ...origin, messages: [] } };
  const open = async () => ({
    suiteCase: {
      ...light,
      origin: { ...origin, messages: JSON.parse(text) },
    },
    problems: [],
  });
  return { ...light, open };
}
