import { type Conversation, turnsOf } from '../../src/core/conversation.ts';

/**
 * A conversation as DeepEval counts it. Exchanges match `get_unit_interactions` (deepeval/metrics/utils.py): user turns
 * and the assistant turns that answer them. An unanswered user turn at the end doesn't count.
 */
export interface DeepEvalTalk {
  readonly exchanges: readonly Exchange[];
  readonly userTurns: number;
  /** Number of assistant turns that come after a user turn. */
  readonly answeringTurns: number;
  /** Number of entries in the judge's lists, such as intentions, or question and answer pairs of an exchange. */
  readonly listLength: number;
}

interface Exchange {
  /** Number of retrieved contexts in its assistant turns. */
  readonly contexts: number;
  readonly callsTools: boolean;
}

/**
 * Assumed length of the judge's lists. In real conversations, judges find more entries, and DeepEval sends a request
 * for each, so the counts here are low.
 */
export const LIST_LENGTH = 2;

export function deepEvalTalk(conversation: Conversation): DeepEvalTalk {
  const turns = turnsOf(conversation);
  const firstUser = turns.findIndex(({ side }) => side === 'user');
  const answering = turns.filter(
    ({ side }, index) => firstUser >= 0 && index > firstUser && side === 'assistant',
  );
  return {
    exchanges: answering.map(({ retrievalContext = [], items }) => ({
      contexts: retrievalContext.length,
      callsTools: items.some(({ kind }) => kind === 'tool-call'),
    })),
    userTurns: turns.filter(({ side }) => side === 'user').length,
    answeringTurns: answering.length,
    listLength: LIST_LENGTH,
  };
}

/**
 * Number of requests that DeepEval's metrics send, by the name of our matching assertion type. Based on the package
 * `deepeval` 4.1.10 on PyPI (Apache-2.0), in its default mode (asynchronous, with a reason):
 * deepeval/metrics/NAME/NAME.py, methods `_a_generate_…`, `_a_get_…` and `_a_extract_…`. `test/unit/bench` contains
 * known totals, and `deepeval_run.py` lets DeepEval itself send the requests.
 */
export const deepEvalRequests = {
  // The intentions, a verdict for each, and the reason.
  'conversation-completeness': ({ listLength }) => 1 + listLength + 1,
  // A verdict for each window, and the reason.
  'turn-relevancy': ({ exchanges }) => exchanges.length + 1,
  // The facts in each user turn, a verdict for each assistant turn with facts before it, and the reason.
  'knowledge-retention': ({ userTurns, answeringTurns }) => userTurns + answeringTurns + 1,
  // The turns that break the role, and the reason.
  'role-adherence': () => 2,
  // The pairs in each exchange, a verdict for each pair, and the reason if there was a pair.
  'topic-adherence': ({ exchanges, listLength }) =>
    exchanges.length * (1 + listLength) + (exchanges.length > 0 ? 1 : 0),
  // Two scores for each exchange, and the reason.
  'goal-accuracy': ({ exchanges }) => exchanges.length * 2 + 1,
  // A score for each exchange, another for each exchange with a tool call, and two reasons.
  'tool-use': ({ exchanges }) =>
    exchanges.length + exchanges.filter(({ callsTools }) => callsTools).length + 2,
  // For each window: truths (even without context), claims, verdicts, and a reason. Then the final reason.
  'turn-faithfulness': (talk) => perWindow(talk, () => 4),
  // For each window: a request for every context in it (a context is in up to ten windows), and a reason.
  'turn-contextual-relevancy': (talk) =>
    perWindow(talk, (contexts) => (contexts > 0 ? contexts + 1 : 0)),
  // For each window with a context: the verdicts and a reason.
  'turn-contextual-precision': (talk) => perWindow(talk, (contexts) => (contexts > 0 ? 2 : 0)),
  'turn-contextual-recall': (talk) => perWindow(talk, (contexts) => (contexts > 0 ? 2 : 0)),
} as const satisfies Record<string, (talk: DeepEvalTalk) => number>;

export type ComparedType = keyof typeof deepEvalRequests;

export const comparedTypes = Object.keys(deepEvalRequests) as ComparedType[];

/** The `window_size` of every metric that has and uses one. */
const WINDOW_SIZE = 10;

/**
 * The number of requests for all windows, and the final reason. `get_turns_in_sliding_window` (utils.py) ends a window
 * at every exchange, with up to nine exchanges before it.
 *
 * @param requests the number of requests for a window with the given number of contexts
 */
function perWindow({ exchanges }: DeepEvalTalk, requests: (contexts: number) => number): number {
  if (exchanges.length === 0) return 0;
  const windows = exchanges.map((_, index) =>
    exchanges.slice(Math.max(0, index - WINDOW_SIZE + 1), index + 1),
  );
  return windows.reduce(
    (sum, window) => sum + requests(window.reduce((total, { contexts }) => total + contexts, 0)),
    1,
  );
}
