import type { SuiteCase } from '../core/suite.ts';
import type { SpillBuffer } from '../disk/spillBuffer.ts';
import type { LoadedSuite } from './loadedSuite.ts';

/**
 * The same suite in little memory: the conversations that its file contains are texts in the buffer until their cases are
 * opened, and the outline has no turns. As data, with the place of each message, thousands take a gigabyte.
 */
export function compactSuite(
  { suite, outline, ...loaded }: LoadedSuite,
  conversations: SpillBuffer,
): LoadedSuite {
  return {
    ...loaded,
    outline: outline.map(({ said: _, ...one }) => ({ ...one, turns: [] })),
    ...(suite && {
      suite: { ...suite, cases: suite.cases.map((one) => compactCase(one, conversations)) },
    }),
  };
}

function compactCase(suiteCase: SuiteCase, conversations: SpillBuffer): SuiteCase {
  // Those that are read later have no conversation yet.
  if (suiteCase.open || suiteCase.expand || suiteCase.origin.kind !== 'transcript')
    return suiteCase;
  const { messages, ...origin } = suiteCase.origin;
  const text = conversations.put(JSON.stringify(messages));
  const light: SuiteCase = { ...suiteCase, origin: { ...origin, messages: [] } };
  const open = async () => ({
    suiteCase: {
      ...light,
      origin: { ...origin, messages: JSON.parse(conversations.get(text)) },
    },
    problems: [],
  });
  return { ...light, open };
}
