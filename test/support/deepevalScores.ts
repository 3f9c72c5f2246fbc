import type { Conversation } from '../../src/core/conversation.ts';
import { claiming, claimless } from './claims.ts';
import { answer, assistant, away, call, countsOf, entry, fails, talk, user } from './judging.ts';

/** The same verdicts for DeepEval's formula and for ours. */
export interface ScoredAlike {
  readonly situation: string;
  readonly type: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly conversation?: Conversation;
  /** Our judge's answer. */
  readonly said: object;
  /** Our score; null if skipped. */
  readonly ours: number | null;
  /** DeepEval's metric. `options` and `verdicts` are its input; see deepeval_scores.py. */
  readonly metric: string;
  readonly options?: Readonly<Record<string, unknown>>;
  readonly verdicts: unknown;
  readonly theirs: number;
}

/** The assistant's turns are 2, 4, 6, and 8. Each has a retrieved context. */
export const FOUR_REPLIES = talk(
  ...['a', 'b', 'c', 'd'].flatMap((word) => [user(`${word}?`), assistant(`${word}.`, [word])]),
);

/** Four replies without context. The first `count` of them call a tool. */
function calling(count: number): Conversation {
  const exchanges = ['a', 'b', 'c', 'd'].map((word, index) => [
    user(`${word}?`),
    ...(index < count ? call('lookup', { word }, 'ok', `call_${word}`) : []),
    assistant(`${word}.`),
  ]);
  return talk(...exchanges.flat());
}

const claims = (...turns: boolean[][]) =>
  answer(
    ...turns.map((held, index) => {
      const turn = index * 2 + 2;
      return held.length > 0 ? claiming(turn, ...held) : claimless(turn);
    }),
  );

const calls = (...turns: ([selection: number, args: number | null] | null)[]) =>
  answer(
    ...turns.map((rated, index) => {
      const turn = index * 2 + 2;
      const [selection, args] = rated ?? [0, null];
      return { ...(rated ? entry(turn) : away(turn)), selection, arguments: countsOf(args) };
    }),
  );

const retained = (turns: object[], facts = [1]) => ({
  facts: facts.map((turn) => ({ fact: 'f', turn, superseded_by: null })),
  ...answer(...turns.map((one) => ({ forgot: [], ...one }))),
});

const wish = (satisfied: boolean) => ({
  intention: 'i',
  asked_turn: 1,
  evidence: '',
  satisfied_turn: satisfied ? 2 : null,
  satisfied,
});

const goal = (reached: number, quality: number, followed: number) => ({
  goal: 'g',
  turn: 1,
  plan: 'p',
  rationale: 'r',
  quality,
  followed,
  reached,
});

const passing = [entry(2), entry(4), entry(6), entry(8)];
const idle = [away(2), away(4), away(6), away(8)];

export const SCORED_ALIKE: readonly ScoredAlike[] = [
  {
    situation: 'one of four replies is irrelevant',
    type: 'turn-relevancy',
    said: answer(entry(2), fails(4), entry(6), entry(8)),
    ours: 0.75,
    metric: 'TurnRelevancyMetric',
    verdicts: ['yes', 'no', 'yes', 'yes'],
    theirs: 0.75,
  },
  {
    situation: 'two of three wishes are satisfied',
    type: 'conversation-completeness',
    said: { intentions: [wish(true), wish(true), wish(false)], ...answer(...passing) },
    ours: 2 / 3,
    metric: 'ConversationCompletenessMetric',
    verdicts: ['yes', 'yes', 'no'],
    theirs: 2 / 3,
  },
  {
    situation: 'the user wants nothing',
    type: 'conversation-completeness',
    said: { intentions: [], ...answer(...idle) },
    ours: null,
    metric: 'ConversationCompletenessMetric',
    verdicts: [],
    theirs: 1,
  },
  {
    situation: 'a fact is relevant to two of four replies, and one forgets it',
    type: 'knowledge-retention',
    said: retained([entry(2), away(4), fails(6, { forgot: [1] }), away(8)]),
    ours: 0.5,
    metric: 'KnowledgeRetentionMetric',
    verdicts: ['no', 'no', 'yes', 'no'],
    theirs: 0.75,
  },
  {
    situation: 'the same with `denominator: turns`',
    type: 'knowledge-retention',
    params: { denominator: 'turns' },
    said: retained([entry(2), away(4), fails(6, { forgot: [1] }), away(8)]),
    ours: 0.75,
    metric: 'KnowledgeRetentionMetric',
    verdicts: ['no', 'no', 'yes', 'no'],
    theirs: 0.75,
  },
  {
    situation: 'the first fact is in turn 5, with `denominator: turns`',
    type: 'knowledge-retention',
    params: { denominator: 'turns' },
    said: retained([away(2), away(4), fails(6, { forgot: [1] }), away(8)], [5]),
    ours: 0.5,
    metric: 'KnowledgeRetentionMetric',
    verdicts: ['yes', 'no'],
    theirs: 0.5,
  },
  {
    situation: 'the role applies to three of four replies, and one breaks it',
    type: 'role-adherence',
    said: answer(entry(2), fails(4), entry(6), away(8)),
    ours: 2 / 3,
    metric: 'RoleAdherenceMetric',
    verdicts: { replies: 4, out_of_character: 1 },
    theirs: 0.75,
  },
  {
    situation: 'two of three claims are supported in one reply, and the only one in another',
    type: 'turn-faithfulness',
    said: claims([true, true, false], [true], [], []),
    ours: (2 / 3 + 1) / 2,
    metric: 'TurnFaithfulnessMetric',
    verdicts: [['yes', 'yes', 'no'], ['yes']],
    theirs: (2 / 3 + 1) / 2,
  },
  {
    situation: 'two more replies make no claims',
    type: 'turn-faithfulness',
    said: claims([true, true, false], [true], [], []),
    ours: (2 / 3 + 1) / 2,
    metric: 'TurnFaithfulnessMetric',
    verdicts: [['yes', 'yes', 'no'], ['yes'], [], []],
    theirs: (2 / 3 + 3) / 4,
  },
  {
    situation: "the context doesn't mention one of two claims",
    type: 'turn-faithfulness',
    said: claims([true, false], [], [], []),
    ours: 0.5,
    metric: 'TurnFaithfulnessMetric',
    verdicts: [['yes', 'borderline']],
    theirs: 1,
  },
  {
    situation: 'the same with `penalize_ambiguous: false`',
    type: 'turn-faithfulness',
    params: { penalize_ambiguous: false },
    said: claims([true, true], [], [], []),
    ours: 1,
    metric: 'TurnFaithfulnessMetric',
    verdicts: [['yes', 'borderline']],
    theirs: 1,
  },
  {
    situation: 'the same with `penalize_ambiguous_claims` in DeepEval',
    type: 'turn-faithfulness',
    said: claims([true, false], [], [], []),
    ours: 0.5,
    metric: 'TurnFaithfulnessMetric',
    options: { penalize_ambiguous_claims: true },
    verdicts: [['yes', 'borderline']],
    theirs: 0.5,
  },
  {
    situation: "two replies call tools, one with half-right arguments; two don't",
    type: 'tool-use',
    conversation: calling(2),
    said: calls([1, 1], [0.5, 0.5], null, null),
    ours: 0.75,
    metric: 'ToolUseMetric',
    verdicts: { selection: [1, 0.5, 1, 1], arguments: [1, 0.5] },
    theirs: 0.75,
  },
  {
    situation: 'one reply selects the wrong tool; three call none',
    type: 'tool-use',
    conversation: calling(1),
    said: calls([0.5, 1], null, null, null),
    ours: 0.5,
    metric: 'ToolUseMetric',
    verdicts: { selection: [0.5, 1, 1, 1], arguments: [1] },
    theirs: 0.875,
  },
  {
    situation: 'no tool is called or needed',
    type: 'tool-use',
    said: calls(null, null, null, null),
    ours: null,
    metric: 'ToolUseMetric',
    verdicts: { selection: [1, 1, 1, 1], arguments: [] },
    theirs: 0,
  },
  {
    situation: 'one goal is reached completely, the other halfway; the plans score 1 and 0.5',
    type: 'goal-accuracy',
    said: { goals: [goal(1, 1, 1), goal(0.5, 0.5, 1)], ...answer(...passing) },
    ours: 0.75,
    metric: 'GoalAccuracyMetric',
    verdicts: { goals: [1, 0.5], plans: [1, 0.5] },
    theirs: 0.75,
  },
  {
    situation: 'three questions on topic and one off topic are answered',
    type: 'topic-adherence',
    said: {
      pairs: [true, true, true, false].map((on_topic, index) => ({
        question: 'q',
        asked_turn: index * 2 + 1,
        answered_turn: index * 2 + 2,
        on_topic,
        reaction: 'answered',
      })),
      ...answer(entry(2), entry(4), entry(6), fails(8)),
    },
    ours: 0.75,
    metric: 'TopicAdherenceMetric',
    verdicts: { TP: 3, TN: 0, FP: 1, FN: 0 },
    theirs: 0.75,
  },
  {
    situation: 'the user asks nothing',
    type: 'topic-adherence',
    said: { pairs: [], ...answer(...idle) },
    ours: null,
    metric: 'TopicAdherenceMetric',
    verdicts: { TP: 0, TN: 0, FP: 0, FN: 0 },
    theirs: 0,
  },
  {
    situation: 'the first and the third of three pieces are useful',
    type: 'turn-contextual-precision',
    conversation: talk(user('a?'), assistant('a.', ['a', 'b', 'c'])),
    said: answer({
      turn: 2,
      applicable: true,
      rationale: 'r',
      evidence: '',
      nodes: [true, false, true].map((useful, index) => ({ node: index + 1, why: 'w', useful })),
    }),
    ours: (1 + 2 / 3) / 2,
    metric: 'TurnContextualPrecisionMetric',
    verdicts: [['yes', 'no', 'yes']],
    theirs: (1 + 2 / 3) / 2,
  },
  {
    situation: 'one reply uses a server incorrectly; three use none',
    type: 'mcp-use',
    conversation: calling(1),
    said: calls([0.5, 1], null, null, null),
    ours: 0.5,
    metric: 'MultiTurnMCPUseMetric',
    verdicts: { selection: [0.5], arguments: [1] },
    theirs: 0.5,
  },
  {
    situation: 'no server is used or needed',
    type: 'mcp-use',
    said: calls(null, null, null, null),
    ours: null,
    metric: 'MultiTurnMCPUseMetric',
    verdicts: { selection: [], arguments: [] },
    theirs: 0,
  },
  {
    situation: 'one of two requests has a gap',
    type: 'mcp-task-completion',
    said: {
      requests: [[], ['missing']].map((gaps) => ({
        request: 'r',
        asked_turn: 1,
        delivered: 'd',
        delivered_turn: 2,
        evidence: '',
        gaps,
      })),
      ...answer(...passing),
    },
    ours: 0,
    metric: 'MCPTaskCompletionMetric',
    verdicts: { tasks: [1, 0.5] },
    theirs: 0.75,
  },
];
