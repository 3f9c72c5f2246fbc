import { type Conversation, turnsOf } from '../../src/core/conversation.ts';

/**
 * A conversation as DeepEval counts it. An exchange is what `get_unit_interactions`
 * (deepeval/metrics/utils.py) cuts: user turns and the assistant turns that answer them. An
 * unanswered user turn at the end is none.
 */
export interface DeepEvalTalk {
  readonly exchanges: readonly Exchange[];
  readonly userTurns: number;
  /** Assistant turns with a user turn somewhere before them. */
  readonly answeringTurns: number;
  /** How many entries the judge's lists have: intentions, question and answer pairs of an exchange. */
  readonly listLength: number;
}

interface Exchange {
  /** Retrieved contexts of its assistant turns. */
  readonly contexts: number;
  readonly callsTools: boolean;
}

/**
 * How long the judge's lists are taken to be. Judges of real conversations find more, and each entry
 * is a request to DeepEval, so that its counts here are low.
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
 * How many requests DeepEval's metrics send, by the name of our assertion type that asks the same.
 * Read from the package `deepeval` 4.1.10 on PyPI (Apache-2.0), in asynchronous mode and with a
 * reason, its defaults: deepeval/metrics/NAME/NAME.py, methods `_a_generate_…`, `_a_get_…` and
 * `_a_extract_…`. `test/unit/bench` holds the sums that are known, and `deepeval_run.py` lets
 * DeepEval itself send them.
 */
export const deepEvalRequests = {
  // The intentions, a verdict on each, the reason.
  'conversation-completeness': ({ listLength }) => 1 + listLength + 1,
  // A verdict on each window, the reason.
  'turn-relevancy': ({ exchanges }) => exchanges.length + 1,
  // The facts of each user turn, a verdict on each assistant turn with facts before it, the reason.
  'knowledge-retention': ({ userTurns, answeringTurns }) => userTurns + answeringTurns + 1,
  // The turns out of role, the reason.
  'role-adherence': () => 2,
  // The pairs of each exchange, a verdict on each pair, the reason if there was a pair.
  'topic-adherence': ({ exchanges, listLength }) =>
    exchanges.length * (1 + listLength) + (exchanges.length > 0 ? 1 : 0),
  // Two scores of each exchange, the reason.
  'goal-accuracy': ({ exchanges }) => exchanges.length * 2 + 1,
  // A score of each exchange, another of each that called a tool, two reasons.
  'tool-use': ({ exchanges }) =>
    exchanges.length + exchanges.filter(({ callsTools }) => callsTools).length + 2,
  // For each window truths (also without context), claims, verdicts and a reason; the final reason.
  'turn-faithfulness': (talk) => perWindow(talk, () => 4),
  // For each window a request on every context in it (a context is in up to ten) and a reason.
  'turn-contextual-relevancy': (talk) =>
    perWindow(talk, (contexts) => (contexts > 0 ? contexts + 1 : 0)),
  // For each window with a context the verdicts and a reason.
  'turn-contextual-precision': (talk) => perWindow(talk, (contexts) => (contexts > 0 ? 2 : 0)),
  'turn-contextual-recall': (talk) => perWindow(talk, (contexts) => (contexts > 0 ? 2 : 0)),
} as const satisfies Record<string, (talk: DeepEvalTalk) => number>;

export type ComparedType = keyof typeof deepEvalRequests;

export const comparedTypes = Object.keys(deepEvalRequests) as ComparedType[];

/** `window_size` of every metric that has one and uses it. */
const WINDOW_SIZE = 10;

/**
 * Requests on each window and the final reason. `get_turns_in_sliding_window` (utils.py) ends a window
 * at every exchange, with up to nine exchanges before it.
 *
 * @param requests of a window with so many contexts
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
