import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as wait } from 'node:timers/promises';
import type { Verdict } from '../../../src/core/verdict.ts';
import { judgeAssertions } from '../../../src/judge/judgeAssertions.ts';
import { PROTOCOL } from '../../../src/judge/protocol.ts';
import { barrier } from '../../support/barrier.ts';
import {
  answer,
  assistant,
  buildAssertion,
  buildFacts,
  buildPrompt,
  entry,
  fails,
  type JudgingOptions,
  judge,
  judgeModel,
  judgeOne,
  ORDER_TALK,
  system,
  talk,
  user,
} from '../../support/judging.ts';
import type { ChatBody } from '../../support/modelServer/chatBody.ts';
import { rateLimited, unauthorized } from '../../support/modelServer/faults.ts';
import { json } from '../../support/modelServer/steps.ts';
import { FULL_FACTS, judgedAssertions, RICH_TALK } from '../../support/questions.ts';

const GOOD = answer(entry(2), entry(4));
const END = '=== END OF CONVERSATION ===';

/** Like `ORDER_TALK`, but with more than 1,024 tokens before the question. */
const LONG_TALK = talk(
  user('Where is my order #98765?'),
  assistant(`It was shipped on Monday. ${'It is on its way to you. '.repeat(120)}`),
  user('Thanks, and the refund for the hat?'),
  assistant('The refund was sent today.'),
);

function criterion(text: string, rest: Parameters<typeof buildAssertion>[2] = {}) {
  return buildAssertion('criterion', { criterion: text }, rest);
}

/** Answers that all criteria in the request are met, except the given ones. */
function checklist(body: ChatBody, notMet: readonly number[] = []) {
  const instructions = body.messages[1]?.content ?? '';
  const count = instructions.match(/^Criterion \d+:$/gm)?.length ?? 0;
  const turns = /Turns to judge: ([\d,]+)\./.exec(instructions)?.[1]?.split(',').map(Number) ?? [];
  const criteria = Array.from({ length: count }, (_one, index) => {
    const outcome = notMet.includes(index + 1) ? 'not-met' : 'met';
    const judged =
      outcome === 'met' ? turns.map((turn) => entry(turn)) : turns.map((turn) => fails(turn));
    return { criterion: index + 1, outcome, turns: judged, rationale: `c${index + 1}` };
  });
  return json({ criteria, rationale: 'As a whole.' });
}

const states = (verdicts: readonly Verdict[]) =>
  verdicts.map(({ status, reason }) => (reason === undefined ? status : `${status} ${reason}`));

describe('requests', () => {
  it('start with the same bytes for all judged assertions of a conversation', async (t) => {
    const assertions = judgedAssertions();
    const { server } = await judge(t, () => 'not JSON', assertions, {
      conversation: RICH_TALK,
      facts: FULL_FACTS,
    });
    const firsts = server.requests.filter(({ body }) => body.messages.length === 2);
    assert.equal(firsts.length, assertions.length);
    const prefixes = firsts.map(({ body }) => {
      const [protocol, question] = body.messages;
      assert.equal(protocol?.content, PROTOCOL);
      const [block, instructions] = question?.content?.split(`${END}\n\n`) ?? [];
      assert.ok(instructions && instructions.length > 0);
      return block;
    });
    assert.equal(new Set(prefixes).size, 1);
    assert.match(prefixes[0] ?? '', /^=== CONVERSATION ===\n\[1 user\]\n\| Where is my order/);
  });

  it('contain the conversation once, even if a prompt refers to it twice', async (t) => {
    const prompt = buildPrompt('Judge {{conversation}}. Again: {{output}}.');
    const { requests } = await judgeOne(t, buildAssertion('llm-judge', {}, { prompt }), ['x', 'x']);
    const question = requests[0]?.body.messages[1]?.content ?? '';
    assert.equal(question.split('Where is my order').length, 2);
    assert.match(question, /Judge the conversation above\. Again: the conversation above\./);
  });

  it('require a strict format, at temperature 0 by default', async (t) => {
    const { requests } = await judgeOne(t, buildAssertion('turn-relevancy'), [GOOD]);
    assert.equal(requests[0]?.body.response_format?.type, 'json_schema');
    assert.equal(requests[0]?.body.temperature, 0);
    const warm = buildAssertion('turn-relevancy', {}, { temperature: 0.7 });
    assert.equal((await judgeOne(t, warm, [GOOD])).requests[0]?.body.temperature, 0.7);
  });

  it('are combined for the plain criteria of a case', async (t) => {
    const { verdicts, server } = await judge(t, (body) => checklist(body, [2]), [
      criterion('a'),
      criterion('b'),
      criterion('c'),
    ]);
    assert.equal(server.requests.length, 1);
    assert.deepEqual(states(verdicts), ['pass', 'fail', 'pass']);
    assert.deepEqual(
      verdicts.map(({ rationale }) => rationale),
      ['c1', 'c2', 'c3'],
    );
  });

  it('are separate for criteria with different turns, temperatures, or judges', async (t) => {
    const other = { id: 'openai:other', provider: 'openai', params: {}, folder: '/' };
    const { verdicts, server } = await judge(t, (body) => checklist(body), [
      criterion('a'),
      criterion('b', { at: { kind: 'last' } }),
      criterion('c', { temperature: 1 }),
      criterion('d', { judge: other }),
      criterion('e', { threshold: 0.5, weight: 3 }),
    ]);
    assert.equal(server.requests.length, 4);
    assert.deepEqual(states(verdicts), ['pass', 'pass', 'pass', 'pass', 'pass']);
  });

  it('send one first if a prompt cache can serve the conversation, then the others in parallel', async (t) => {
    const beside: number[] = [];
    let arrived = 0;
    const all = barrier();
    const script = async () => {
      const index = arrived;
      arrived += 1;
      if (arrived === 4) all.resolve();
      // The first request gives the others time to arrive; the others wait for each other.
      await (index === 0 ? wait(50) : all.promise);
      beside[index] = arrived;
      return json(GOOD);
    };
    const relevancies = Array.from({ length: 4 }, () => buildAssertion('turn-relevancy'));
    const { verdicts } = await judge(t, script, relevancies, { conversation: LONG_TALK });
    assert.deepEqual(states(verdicts), ['pass', 'pass', 'pass', 'pass']);
    assert.deepEqual(beside, [1, 4, 4, 4]);
  });

  it('are all parallel if the conversation is too short for a prompt cache', async (t) => {
    let arrived = 0;
    const all = barrier();
    const script = async () => {
      arrived += 1;
      if (arrived === 4) all.resolve();
      await all.promise;
      return json(GOOD);
    };
    const relevancies = Array.from({ length: 4 }, () => buildAssertion('turn-relevancy'));
    const { verdicts } = await judge(t, script, relevancies);
    assert.deepEqual(states(verdicts), ['pass', 'pass', 'pass', 'pass']);
  });

  it("don't wait for those to another judge", async (t) => {
    const judges = ['openai:one', 'openai:two'].map((id) => ({
      id,
      provider: 'openai',
      params: {},
      folder: '/',
    }));
    let arrived = 0;
    const all = barrier();
    const script = async () => {
      arrived += 1;
      if (arrived === 2) all.resolve();
      await all.promise;
      return json(GOOD);
    };
    const assertions = judges.map((one) => buildAssertion('turn-relevancy', {}, { judge: one }));
    const { verdicts } = await judge(t, script, assertions);
    assert.deepEqual(states(verdicts), ['pass', 'pass']);
  });

  it('are counted once if several criteria share one', async (t) => {
    const { verdicts } = await judge(t, (body) => checklist(body), [
      criterion('a'),
      criterion('b'),
    ]);
    assert.deepEqual(
      verdicts.map(({ usage }) => usage.calls),
      [1, 0],
    );
    assert.equal(verdicts[0]?.judge?.prompt_hash, verdicts[1]?.judge?.prompt_hash);
    assert.match(verdicts[0]?.judge?.prompt_hash ?? '', /^[0-9a-f]{64}$/);
    assert.equal(verdicts[0]?.judge?.version, 'judge-2025-01-01');
  });

  it('are not sent for deterministic checks', async (t) => {
    const contains = buildAssertion('contains', { value: 'shipped' });
    const { verdicts, server } = await judge(t, [], [contains], {
      modelFor: async () => undefined,
    });
    assert.deepEqual(states(verdicts), ['pass']);
    assert.equal(server.requests.length, 0);
  });
});

describe('the format of answers', () => {
  /** A judge for which `answer_format: auto` can choose. */
  const choosing = (t: TestContext) => judgeModel(t, () => json(GOOD), {}, 'azure-openai');
  const two = ['turn-relevancy', 'role-adherence'].map((type) => buildAssertion(type));
  const facts = buildFacts({ role: 'A service desk.' });

  async function asked(t: TestContext, options: JudgingOptions, assertions = two) {
    const { server, model } = await choosing(t);
    const all = { facts, modelFor: async () => model, ...options };
    const { verdicts } = await judge(t, [], assertions, all);
    const formats = server.requests.map(({ body }) => body.response_format?.type);
    const told = verdicts.map(({ details }) => details.answer_format);
    return { formats, told, states: states(verdicts) };
  }

  it('lets a prompt cache serve a long conversation if there are several questions', async (t) => {
    const format = ['json_object', 'json_object'];
    assert.deepEqual(await asked(t, { conversation: LONG_TALK }), {
      formats: format,
      told: format,
      states: ['pass', 'pass'],
    });
  });

  it('is strict if the conversation is short', async (t) => {
    const { formats, told } = await asked(t, {});
    assert.deepEqual([formats, told], [Array(2).fill('json_schema'), Array(2).fill('json_schema')]);
  });

  it('is strict if only one assertion asks the judge', async (t) => {
    const one = [buildAssertion('turn-relevancy'), buildAssertion('contains', { value: 'Monday' })];
    const { formats, told } = await asked(t, { conversation: LONG_TALK }, one);
    assert.deepEqual([formats, told], [['json_schema'], ['json_schema', undefined]]);
  });

  it('is recorded for unusable answers too', async (t) => {
    const { model } = await judgeModel(t, () => 'no JSON', {}, 'azure-openai');
    const { verdicts } = await judge(t, [], two, {
      facts,
      conversation: LONG_TALK,
      modelFor: async () => model,
    });
    assert.deepEqual(states(verdicts), ['error malformed-json', 'error malformed-json']);
    assert.deepEqual(verdicts[0]?.details, { answer_format: 'json_object' });
  });
});

describe('verdicts', () => {
  it('are in the order of the assertions, and reported as soon as they are known', async (t) => {
    const heard: string[] = [];
    const { verdicts } = await judge(
      t,
      () => json(GOOD),
      [buildAssertion('turn-relevancy'), buildAssertion('contains', { value: 'shipped' })],
      { onVerdict: ({ assertion }) => heard.push(assertion.type) },
    );
    assert.deepEqual(
      verdicts.map(({ assertion }) => assertion.type),
      ['turn-relevancy', 'contains'],
    );
    assert.deepEqual(heard, ['contains', 'turn-relevancy']);
  });

  it('follow from the score and the threshold of the assertion, else its prompt, else its type', async (t) => {
    const prompt = buildPrompt('{{conversation}}', { threshold: 0.9 });
    const scored = { ...GOOD, details: [], score: 0.8 };
    const byPrompt = buildAssertion('llm-judge', {}, { prompt });
    const own = buildAssertion('llm-judge', {}, { prompt, threshold: 0.8 });
    assert.equal((await judgeOne(t, byPrompt, [scored])).status, 'fail');
    assert.equal((await judgeOne(t, own, [scored])).status, 'pass');
    assert.equal((await judgeOne(t, buildAssertion('turn-relevancy'), [GOOD])).threshold, 0.5);
  });

  it("don't depend on assertions that can't be asked", async (t) => {
    const { verdicts } = await judge(
      t,
      (body) => (body.messages[1]?.content?.includes('its role') ? unauthorized() : json(GOOD)),
      [
        buildAssertion('role-adherence'),
        buildAssertion('turn-relevancy'),
        buildAssertion('contains', { value: 'shipped' }),
      ],
      { facts: buildFacts({ role: 'A shop.' }) },
    );
    assert.deepEqual(states(verdicts), ['error unauthorized', 'pass', 'pass']);
    assert.deepEqual(
      verdicts.map(({ usage }) => usage.calls),
      [1, 1, 0],
      'what failed was sent as well',
    );
  });

  it("of criteria are errors only for criteria that can't be read", async (t) => {
    const { verdicts } = await judge(t, (body) => checklist(body), [
      criterion('a'),
      buildAssertion('criterion', {}),
    ]);
    assert.deepEqual(states(verdicts), ['pass', 'error check-failed']);
  });

  it('report a missing judge', async (t) => {
    const { verdicts } = await judge(t, [], [criterion('a'), buildAssertion('turn-relevancy')], {
      modelFor: async () => undefined,
    });
    assert.deepEqual(states(verdicts), ['error no-judge', 'error no-judge']);
    assert.match(verdicts[0]?.rationale ?? '', /TURNLIGHT_JUDGE/);
  });

  it("don't suffer from a busy endpoint", async (t) => {
    const { verdicts } = await judge(
      t,
      [rateLimited(), json(GOOD)],
      [buildAssertion('turn-relevancy')],
    );
    assert.deepEqual(states(verdicts), ['pass']);
  });
});

describe('a checklist', () => {
  const two = [criterion('a'), criterion('b')];
  const one = { criterion: 1, outcome: 'met', turns: [entry(2), entry(4)], rationale: '' };
  const both = { criteria: [one, { ...one, criterion: 2 }], rationale: '' };

  const partial: [string, object[], string][] = [
    ['lacks one', [one], 'incomplete-list'],
    ['contains one twice', [one, one], 'incomplete-list'],
    ['contains an extra one', [...both.criteria, { ...one, criterion: 3 }], 'incomplete-list'],
    ['lacks a turn of one', [one, { ...one, criterion: 2, turns: [entry(2)] }], 'turns-mismatch'],
    [
      'calls met what a turn breaks',
      [one, { ...one, criterion: 2, turns: [entry(2), fails(4)] }],
      'contradiction',
    ],
  ];
  for (const [name, criteria, reason] of partial) {
    it(`that ${name} gets a repair request`, async (t) => {
      const { verdicts } = await judge(t, [json({ criteria, rationale: '' }), json(both)], two);
      assert.deepEqual(states(verdicts), ['pass', 'pass']);
    });
    it(`that ${name} again after the repair is an error for all criteria`, async (t) => {
      const bad = json({ criteria, rationale: '' });
      const { verdicts } = await judge(t, [bad, bad], two);
      assert.deepEqual(states(verdicts), [`error ${reason}`, `error ${reason}`]);
      assert.deepEqual(
        verdicts.map(({ usage }) => usage.calls),
        [2, 0],
      );
    });
  }
});

describe('the subject of an assertion', () => {
  const relevancy = buildAssertion('turn-relevancy');
  const contains = buildAssertion('contains', { value: 'x' });

  for (const [name, conversation] of [
    ['the assistant', talk(user('Hi'), user('Anyone?'))],
    ['the user', talk(system('Greet.'), assistant('Welcome!'))],
  ] as const) {
    it(`is empty for a judge if ${name} never speaks: skipped without a request`, async (t) => {
      const { verdicts, server } = await judge(t, [], judgedAssertions(), {
        conversation,
        facts: FULL_FACTS,
      });
      assert.deepEqual(new Set(states(verdicts)), new Set(['skipped no-turns']));
      assert.equal(server.requests.length, 0);
    });
  }

  it('is an error if `at` names a missing turn, or one of the other side', async (t) => {
    const beyond = { at: { kind: 'turns', turns: [9] } } as const;
    const other = { at: { kind: 'turns', turns: [1] } } as const;
    const { verdicts, server } = await judge(
      t,
      [],
      [
        { ...relevancy, ...beyond },
        { ...contains, ...other },
        { ...contains, at: { kind: 'range', from: 2, to: 9 } },
      ],
    );
    assert.deepEqual(states(verdicts), Array(3).fill('error turn-not-found'));
    assert.match(verdicts[0]?.rationale ?? '', /there is no turn 9; the last is turn 4/);
    assert.equal(server.requests.length, 0);
  });

  it('is skipped as not reached if the conversation ended early', async (t) => {
    const { verdicts } = await judge(t, [], [{ ...contains, at: { kind: 'turns', turns: [9] } }], {
      endedEarly: true,
    });
    assert.deepEqual(states(verdicts), ['skipped not-reached']);
  });

  it('is the reply to its scripted turn', async (t) => {
    const under = { ...relevancy, scriptedTurn: 1 };
    const verdict = await judgeOne(t, under, [answer(entry(4))], { replyTurns: [2, 4] });
    assert.deepEqual(
      verdict.turns.map(({ turn }) => turn),
      [4],
    );
    assert.match(verdict.requests[0]?.body.messages[1]?.content ?? '', /Turns to judge: 4\./);
  });

  it('is an error with advice, without a request, if a role is missing', async (t) => {
    const { verdicts, server } = await judge(t, [], [buildAssertion('role-adherence')]);
    assert.deepEqual(states(verdicts), ['error missing-need']);
    assert.match(verdicts[0]?.rationale ?? '', /add `role`/);
    assert.equal(server.requests.length, 0);
  });

  it('may have its role in a system text, even in the middle of a turn', async (t) => {
    const conversation = talk(
      user('Hi'),
      system('You are a shop.'),
      user('Hello?'),
      assistant('Yes?'),
    );
    const verdict = await judgeOne(t, buildAssertion('role-adherence'), [answer(entry(2))], {
      conversation,
    });
    assert.equal(verdict.status, 'pass');
  });

  it("can't be changed by an assertion", async (t) => {
    const conversation = structuredClone(ORDER_TALK);
    const facts = buildFacts({ role: 'A shop.', context: { name: 'Ann' } });
    const before = structuredClone({ conversation, facts });
    await judge(t, () => 'x', judgedAssertions(), { conversation, facts });
    assert.deepEqual({ conversation, facts }, before);
    assert.ok(
      !Object.isFrozen(conversation) && !Object.isFrozen(facts),
      "the caller's own is free",
    );
  });
});

describe('cancelling', () => {
  it("throws the signal's reason", async (t) => {
    const stop = new AbortController();
    const reason = new Error('cancelled by the user');
    const { model } = await judgeModel(t, () => {
      stop.abort(reason);
      return json(GOOD);
    });
    const judging = judgeAssertions({
      conversation: ORDER_TALK,
      facts: buildFacts(),
      assertions: [buildAssertion('turn-relevancy')],
      replyTurns: [],
      modelFor: async () => model,
      signal: stop.signal,
    });
    await assert.rejects(judging, reason);
  });
});
