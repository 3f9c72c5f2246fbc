import { toConversation } from '../../../src/core/conversation.ts';
import type { Message } from '../../../src/core/message.ts';
import type { StatedAssertion } from '../../../src/core/statedAssertion.ts';
import type { Status } from '../../../src/core/verdict.ts';
import type { Snapshot } from '../../../src/protocol/viewProtocol.ts';
import { buildTurnVerdict, buildVerdict } from '../build.ts';

const MESSAGES: readonly Message[] = [
  { role: 'system', content: 'You are a support agent.' },
  { role: 'user', content: 'Where is my order 98765?' },
  {
    role: 'assistant',
    content: '',
    toolCalls: [{ id: 'c', name: 'lookup', arguments: { order: 98765 } }],
  },
  { role: 'tool', callId: 'c', content: '{"status":"shipped"}' },
  { role: 'assistant', content: 'It was **shipped**\n\nyesterday.' },
  { role: 'user', content: 'And the shoes?' },
  { role: 'assistant', content: 'Which order was that?' },
];

/** An assertion's verdict on a turn, with a quote. */
export function entry(turn: number, status: Status, text: string, verified = true) {
  const score = status === 'pass' ? 1 : status === 'fail' ? 0 : null;
  return buildTurnVerdict(turn, status, score, {
    rationale: `Because of turn ${turn}.`,
    evidence: { text, verified },
  });
}

/** A finished case with four turns, of which turn 4 fails. */
export function buildSnapshot(given: Partial<Snapshot> = {}): Snapshot {
  return {
    state: { file: 'file:///a.eval.yaml', id: 'late-order', repetition: 1 },
    phase: 'finished',
    suiteName: 'Support',
    repetitions: 1,
    status: 'fail',
    score: 0.5,
    conversation: toConversation(MESSAGES.map((message) => ({ message }))),
    assertions: [],
    verdicts: [
      buildVerdict({
        name: 'Remembers',
        status: 'fail',
        score: 0.5,
        required: true,
        rationale: 'It forgets.',
        misses: ['Turn 4: forgot the order'],
        turns: [
          entry(2, 'pass', 'It was **shipped** yesterday.'),
          entry(4, 'fail', 'Which order was that?'),
        ],
      }),
      buildVerdict({
        index: 1,
        name: 'Invents a quote',
        status: 'pass',
        score: 1,
        turns: [entry(4, 'pass', 'never said', false)],
      }),
    ],
    ...given,
  };
}

/** A case that hasn't ended. */
export function buildUnfinished(
  phase: Exclude<Snapshot['phase'], 'finished'>,
  given: Partial<Snapshot> = {},
): Snapshot {
  const { status: _, ...rest } = buildSnapshot({ phase, score: null, verdicts: [], ...given });
  return rest;
}

/** A conversation with the given number of turns, starting with the user. */
export function longTalk(turns: number, text = (turn: number) => `What is said in turn ${turn}.`) {
  return toConversation(
    Array.from({ length: turns }, (_, index) => ({
      message: { role: index % 2 === 0 ? 'user' : 'assistant', content: text(index + 1) },
    })),
  );
}

export function buildStated(given: Partial<StatedAssertion> = {}): StatedAssertion {
  return {
    key: 'criterion',
    questionHash: 'asked',
    index: 0,
    type: 'criterion',
    name: 'criterion',
    path: '/suite.eval.yaml',
    line: 1,
    summary: 'A sentence that must hold.',
    keys: [],
    nested: [],
    ...given,
  };
}
