import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { claiming } from '../../support/claims.ts';
import { turnlight } from '../../support/commandLine.ts';
import { answer, entry, fails } from '../../support/judging.ts';
import type { ChatBody } from '../../support/modelServer/chatBody.ts';
import { startModelServer } from '../../support/modelServer/server.ts';
import { json, type Step } from '../../support/modelServer/steps.ts';
import { realText } from '../../support/realData.ts';
import { workspaceWith } from '../../support/runs.ts';

/** Returns a judge's answer to a question, given its name and the conversation. */
type Say = (name: string, asked: string, turns: readonly number[]) => object;

/**
 * Imports a file, runs it once against an endpoint with recording, and then again from only the recording.
 *
 * @returns the status of each case in the second run
 */
async function statusesOf(
  t: TestContext,
  [name, text]: readonly [name: string, text: string],
  say: Say,
  reply: (asked: string) => string = () => 'Yes.',
): Promise<Record<string, string>> {
  const server = await startModelServer((body) => stepOf(body, say, reply));
  const folder = await workspaceWith(t, { [name]: text });
  const imported = await turnlight(folder, ['import', name, '--output', 'imported.eval.yaml']);
  assert.equal(imported.code, 0, imported.out);
  const path = join(folder, 'imported.eval.yaml');
  const own = { provider: 'openai', model: 'own', base_url: server.baseUrl };
  const written = readFileSync(path, 'utf8').replaceAll(
    /model: openai:[\w.-]+/g,
    `model: ${JSON.stringify(own)}`,
  );
  writeFileSync(path, written);
  const judge = ['--judge', 'openai:judge', '--base-url', server.baseUrl];
  const run = (...args: string[]) =>
    turnlight(folder, ['run', 'imported.eval.yaml', '--no-save', '--reporter', 'json', ...args]);
  const live = await run(...judge, '--record', 'rec.jsonl');
  await server.close();
  const replayed = await run(...judge, '--replay', 'rec.jsonl');
  assert.equal(replayed.code, live.code, `${live.err}${live.out}`);
  const { cases } = JSON.parse(replayed.out) as {
    cases: { id: string; status: string; reason?: string }[];
  };
  return Object.fromEntries(cases.map(({ id, status }) => [id, status]));
}

function stepOf(body: ChatBody, say: Say, reply: (asked: string) => string): Step {
  const asked = body.messages.map(({ content }) => content ?? '').join('\n');
  const name = body.response_format?.json_schema?.name;
  if (name === undefined) return reply(String(body.messages.at(-1)?.content));
  const list = /Turns to judge: ([\d,]+)/.exec(asked)?.[1] ?? '';
  return json(say(name, asked, list.split(',').map(Number)));
}

/** Passes every turn, except those that match the pattern. */
const relevant =
  (wrong: RegExp): Say =>
  (_name, asked, turns) =>
    answer(...turns.map((turn) => (wrong.test(turnText(asked, turn)) ? fails(turn) : entry(turn))));

function turnText(asked: string, turn: number): string {
  return (
    new RegExp(`\\[${turn} assistant\\]([\\s\\S]*?)(?=\\n\\[\\d+ |\\n\\n\\w|$)`).exec(asked)?.[1] ??
    ''
  );
}

/** Every criterion is met, except those that match the pattern. */
const criteria =
  (unmet: RegExp): Say =>
  (_name, asked, turns) => ({
    criteria: [...asked.matchAll(/^Criterion (\d+):\n\| (.*)$/gm)].map(
      ([, number, words = '']) => ({
        criterion: Number(number),
        rationale: 'So it is.',
        outcome: unmet.test(words) ? 'not-met' : 'met',
        turns: turns.map((turn) => (unmet.test(words) ? fails(turn) : entry(turn))),
      }),
    ),
    rationale: 'As a whole.',
  });

describe('published examples of other tools have their verdicts after import and replay', () => {
  const promptfoo = realText('peers/promptfoo/promptfooconfig.yaml');
  it('promptfoo: one irrelevant reply of four passes at 0.7 and fails at 0.9', {
    skip: promptfoo.skip,
  }, async (t) => {
    const text = promptfoo.text();
    const judged = relevant(/stock market/);
    assert.deepEqual(await statusesOf(t, ['a.yaml', text], judged), {
      'single-turn-travel-question': 'pass',
      'multi-turn-travel-conversation': 'pass',
      'conversation-with-irrelevant-response': 'pass',
      'technical-support-conversation': 'pass',
    });
    const stricter = text.replace('threshold: 0.7 ', 'threshold: 0.9 ');
    const { 'conversation-with-irrelevant-response': strict } = await statusesOf(
      t,
      ['a.yaml', stricter],
      judged,
    );
    assert.equal(strict, 'fail');
  });

  const turns = realText('peers/agentv/dataset.eval.yaml');
  it('AgentV: 0.8 of the checks suffice, and `min` uses the lowest score', {
    skip: turns.skip,
  }, async (t) => {
    const code = (asked: string) =>
      asked.includes('type hints') ? 'def add(a: int, b: int) -> int: ...' : 'def add(a, b): ...';
    const judged = criteria(/Shows the calculation steps|Confirms Paris is in France/);
    assert.deepEqual(await statusesOf(t, ['a.yaml', turns.text()], judged, code), {
      'context-retention': 'pass',
      'weakest-link-scoring': 'fail',
      'stop-on-failure': 'pass',
      'mixed-assertions': 'pass',
      'conversation-coherence': 'pass',
    });
  });

  const history = realText('peers/agentv/multi-turn-conversation.eval.yaml');
  it('AgentV: the last user turn is sent live, after the earlier messages', {
    skip: history.skip,
  }, async (t) => {
    const asked: string[] = [];
    const reply = (words: string) => {
      asked.push(words);
      return words.includes('gift wrapping') ? 'Order #98765 is wrapped, Sarah.' : 'Call us.';
    };
    assert.deepEqual(await statusesOf(t, ['a.yaml', history.text()], criteria(/^$/), reply), {
      'support-context-retention': 'pass',
      'support-troubleshooting-flow': 'pass',
    });
    assert.deepEqual(asked, [
      'The express shipping sounds great. Also, can you add gift wrapping?',
      'OK I did that. What if it happens again?',
    ]);
  });

  it("DeepEval: a run of its guide's multi-turn examples", async (t) => {
    const wish = {
      intention: 'i',
      asked_turn: 1,
      evidence: '',
      satisfied_turn: 4,
      satisfied: true,
    };
    const goal = {
      goal: 'g',
      turn: 1,
      plan: 'p',
      rationale: 'r',
      quality: 1,
      followed: 1,
      reached: 1,
    };
    const said: Record<string, (turns: readonly number[]) => object> = {
      conversation_completeness: () => ({
        intentions: [wish, wish],
        ...answer(entry(2), entry(4)),
      }),
      turn_relevancy: () => answer(entry(2), fails(4)),
      knowledge_retention: () => ({
        facts: [{ fact: 'f', turn: 1, superseded_by: null }],
        ...answer({ ...entry(2), forgot: [] }, { ...fails(4), forgot: [1] }),
      }),
      role_adherence: () => answer(entry(2), fails(4)),
      goal_accuracy: () => ({ goals: [goal], ...answer(entry(2), entry(4)) }),
      tool_use: () => answer({ ...entry(2), selection: 1, arguments: 1 }),
      turn_faithfulness: () => answer(claiming(2, true), claiming(4, true)),
    };
    const judged: Say = (name, _asked, numbers) => {
      const answered = said[name];
      assert.ok(answered, name);
      return answered(numbers);
    };
    const run = { testCases: [], conversationalTestCases: GUIDE.map(testCase) };
    assert.deepEqual(await statusesOf(t, ['run.json', JSON.stringify(run)], judged), {
      refund: 'pass',
      policy: 'fail',
      allergy: 'fail',
      booking: 'fail',
      flight: 'pass',
      weather: 'pass',
      returns: 'pass',
    });
  });
});

interface Published {
  readonly name: string;
  readonly metric: string;
  readonly success: boolean;
  readonly role?: string;
  readonly said: readonly (string | object)[];
}

const paris = { name: 'get_weather', inputParameters: { city: 'Paris' } };

/**
 * Conversations from https://deepeval.com/guides/guides-multi-turn-evaluation-metrics, with the metrics' results. The
 * threshold is 0.7.
 */
const GUIDE: readonly Published[] = [
  {
    name: 'refund',
    metric: 'Conversation Completeness',
    success: true,
    said: [
      'I need to cancel my subscription and get a refund.',
      "I've cancelled your subscription.",
      'What about the refund?',
      'Your refund of $29.99 has been processed. It will appear in 3-5 business days.',
    ],
  },
  {
    name: 'policy',
    metric: 'Turn Relevancy',
    success: false,
    said: [
      "What's your return policy?",
      'We offer a 30-day return policy with full refund.',
      'Great, and do you ship internationally?',
      'Our return policy covers all items purchased in-store or online.',
    ],
  },
  {
    name: 'allergy',
    metric: 'Knowledge Retention',
    success: false,
    said: [
      "My name is Sarah and I'm allergic to peanuts.",
      "Nice to meet you, Sarah! I'll keep your peanut allergy in mind.",
      'Can you suggest a dessert for me?',
      "How about our peanut butter brownies? They're delicious!",
    ],
  },
  {
    name: 'booking',
    metric: 'Role Adherence',
    success: false,
    role: 'A friendly restaurant booking assistant that only helps with reservations.',
    said: [
      "I'd like to book a table for two tonight.",
      "I'd be happy to help! What time works for you?",
      "8pm. Also, what's the meaning of life?",
      'The meaning of life is a deep philosophical question that many have pondered...',
    ],
  },
  {
    name: 'flight',
    metric: 'Goal Accuracy',
    success: true,
    said: [
      'Book me a flight from NYC to London for next Friday.',
      { content: "I'll search for available flights.", toolsCalled: [{ name: 'search_flights' }] },
      'Yes, book it.',
      {
        content: 'Done! Your flight is confirmed. Confirmation: BA-12345.',
        toolsCalled: [{ name: 'book_flight' }],
      },
    ],
  },
  {
    name: 'weather',
    metric: 'Tool Use',
    success: true,
    said: [
      "What's the weather in Paris?",
      { content: "It's 22°C and sunny in Paris right now.", toolsCalled: [paris] },
    ],
  },
  {
    name: 'returns',
    metric: 'Turn Faithfulness',
    success: true,
    said: [
      "What's your return policy?",
      {
        content: 'We offer a 30-day full refund at no extra cost.',
        retrievalContext: ['All customers are eligible for a 30 day full refund at no extra cost.'],
      },
      'What about exchanges?',
      {
        content: 'Exchanges are available within 60 days of purchase.',
        retrievalContext: ['Exchanges can be made within 60 days.'],
      },
    ],
  },
];

function testCase({ name, metric, success, role, said }: Published): object {
  return {
    name,
    success,
    ...(role !== undefined && { chatbotRole: role }),
    turns: said.map((one, order) => ({
      role: order % 2 === 0 ? 'user' : 'assistant',
      order,
      ...(typeof one === 'string' ? { content: one } : one),
    })),
    metricsData: [{ name: metric, threshold: 0.7, success, score: success ? 1 : 0.5 }],
  };
}
