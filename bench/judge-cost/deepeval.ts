/**
 * How many requests DeepEval's multi-turn metrics send, as functions of the conversation. Read from
 * the package `deepeval` 4.1.10 on PyPI (Apache-2.0), asynchronous mode (its default) and a reason
 * asked for (its default); each function names its file and methods. `test/unit/bench` holds the
 * sums that are known, and `deepeval_run.py` lets DeepEval itself send them.
 *
 * An exchange is what `get_unit_interactions` (deepeval/metrics/utils.py) cuts: user turns and the
 * assistant turns that answer them. An unanswered user turn at the end is none.
 */
export interface DeepEvalTalk {
  readonly exchanges: readonly Exchange[];
  readonly userTurns: number;
  /** Assistant turns with a user turn somewhere before them. */
  readonly answeringTurns: number;
  /** How many entries the judge's lists have: intentions, question and answer pairs of an exchange. */
  readonly listLength: number;
}

export interface Exchange {
  /** Retrieved contexts of its assistant turns. */
  readonly contexts: number;
  readonly callsTools: boolean;
}

/** `window_size` of every metric that has one and uses it. */
const WINDOW_SIZE = 10;

/**
 * conversation_completeness/conversation_completeness.py, `_a_extract_user_intentions`,
 * `_a_generate_verdict`, `_a_generate_reason`: the intentions, a verdict on each, the reason.
 */
function conversationCompleteness({ listLength }: DeepEvalTalk): number {
  return 1 + listLength + 1;
}

/**
 * turn_relevancy/turn_relevancy.py, `_a_generate_verdict`, `_a_generate_reason`: a verdict on each
 * window, the reason.
 */
function turnRelevancy({ exchanges }: DeepEvalTalk): number {
  return exchanges.length + 1;
}

/**
 * knowledge_retention/knowledge_retention.py, `_a_generate_knowledges`, `_a_generate_verdicts`,
 * `_a_generate_reason`: the facts of each user turn, a verdict on each assistant turn that has
 * facts before it (each user turn gives some), the reason.
 */
function knowledgeRetention({ userTurns, answeringTurns }: DeepEvalTalk): number {
  return userTurns + answeringTurns + 1;
}

/**
 * role_adherence/role_adherence.py, `_a_extract_out_of_character_verdicts`, `_a_generate_reason`:
 * the turns out of role, the reason.
 */
function roleAdherence(): number {
  return 2;
}

/**
 * topic_adherence/topic_adherence.py, `_a_get_qa_pairs`, `_a_get_qa_verdict`,
 * `_a_generate_reason`: the pairs of each exchange, a verdict on each pair, the reason where there
 * was a pair.
 */
function topicAdherence({ exchanges, listLength }: DeepEvalTalk): number {
  const pairs = exchanges.length * listLength;
  return exchanges.length + pairs + (pairs > 0 ? 1 : 0);
}

/**
 * goal_accuracy/goal_accuracy.py, `_a_get_goal_accuracy_score`, `_a_get_plan_scores`,
 * `_a_generate_reason`: two scores of each exchange, the reason.
 */
function goalAccuracy({ exchanges }: DeepEvalTalk): number {
  return exchanges.length * 2 + 1;
}

/**
 * tool_use/tool_use.py, `_a_get_tool_selection_score`, `_a_get_argument_correctness_score`,
 * `_a_generate_reason_for_tool_selection`, `_a_generate_reason_for_argument_correctness`: a score of
 * each exchange, another of each that called a tool, two reasons.
 */
function toolUse({ exchanges }: DeepEvalTalk): number {
  return exchanges.length + exchanges.filter(({ callsTools }) => callsTools).length + 2;
}

/**
 * turn_faithfulness/turn_faithfulness.py, `_a_get_faithfulness_scores`, `_a_generate_reason`: for
 * each window the truths, the claims, the verdicts and a reason (there are claims, and the truths
 * are asked for also where there is no context), then the final reason.
 */
function turnFaithfulness({ exchanges }: DeepEvalTalk): number {
  return exchanges.length === 0 ? 0 : exchanges.length * 4 + 1;
}

/**
 * turn_contextual_relevancy/turn_contextual_relevancy.py, `_a_generate_verdicts`,
 * `_a_get_interaction_reason`, `_a_generate_reason`: for each window a request on every context in
 * it (a context is in up to ten windows) and a reason, then the final reason.
 */
function turnContextualRelevancy(talk: DeepEvalTalk): number {
  const perWindow = contextsOfWindows(talk).map((contexts) => (contexts > 0 ? contexts + 1 : 0));
  return talk.exchanges.length === 0 ? 0 : sum(perWindow) + 1;
}

/**
 * turn_contextual_precision/turn_contextual_precision.py and
 * turn_contextual_recall/turn_contextual_recall.py, `_a_generate_verdicts`,
 * `_a_get_interaction_reason`, `_a_generate_reason`: for each window with a context the verdicts and
 * a reason, then the final reason.
 */
function turnContextualPrecisionOrRecall(talk: DeepEvalTalk): number {
  const perWindow = contextsOfWindows(talk).map((contexts) => (contexts > 0 ? 2 : 0));
  return talk.exchanges.length === 0 ? 0 : sum(perWindow) + 1;
}

/**
 * Contexts in each window: `get_turns_in_sliding_window` (deepeval/metrics/utils.py) ends a window
 * at every exchange, with up to nine exchanges before it.
 */
function contextsOfWindows({ exchanges }: DeepEvalTalk): number[] {
  return exchanges.map((_, index) => {
    const window = exchanges.slice(Math.max(0, index - WINDOW_SIZE + 1), index + 1);
    return sum(window.map(({ contexts }) => contexts));
  });
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** Requests of DeepEval's metric by the name of our assertion type that asks the same. */
export const deepEvalRequests = {
  'conversation-completeness': conversationCompleteness,
  'turn-relevancy': turnRelevancy,
  'knowledge-retention': knowledgeRetention,
  'role-adherence': roleAdherence,
  'topic-adherence': topicAdherence,
  'goal-accuracy': goalAccuracy,
  'tool-use': toolUse,
  'turn-faithfulness': turnFaithfulness,
  'turn-contextual-relevancy': turnContextualRelevancy,
  'turn-contextual-precision': turnContextualPrecisionOrRecall,
  'turn-contextual-recall': turnContextualPrecisionOrRecall,
} as const satisfies Record<string, (talk: DeepEvalTalk) => number>;

export type ComparedType = keyof typeof deepEvalRequests;

export const comparedTypes = Object.keys(deepEvalRequests) as ComparedType[];

/** Requests of all eleven. */
export function deepEvalTotal(talk: DeepEvalTalk): number {
  return sum(comparedTypes.map((type) => deepEvalRequests[type](talk)));
}
