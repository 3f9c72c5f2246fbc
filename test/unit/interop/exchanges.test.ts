import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LIMITS } from '../../../src/core/limits.ts';
import type { Message } from '../../../src/core/message.ts';
import { Comparisons, type Exchange, findConversation } from '../../../src/interop/exchanges.ts';
import { imported, jsonLines } from '../../support/imports.ts';
import { growth, timesAsMuch } from '../../support/work.ts';

interface Named extends Exchange {
  readonly name: string;
}

const ROLES = { s: 'system', u: 'user', a: 'assistant' } as const;

/** Parses messages such as `s be kind, u hi, a hello`. */
function messagesOf(text: string): Message[] {
  const parts = text === '' ? [] : text.split(', ');
  return parts.map((part) => {
    const role = ROLES[part[0] as keyof typeof ROLES];
    return { role, content: part.slice(2) } as Message;
  });
}

function find<One extends Exchange>(exchanges: readonly One[], nameOf: (one: One) => string) {
  return findConversation(exchanges, nameOf, new Comparisons());
}

/** Finds the conversation in exchanges such as `input → output`, which are named by their number, starting with 1. */
function found(...exchanges: readonly string[]) {
  const given = exchanges.map((one, index): Named => {
    const [input = '', output = ''] = one.split(' → ');
    return { name: `${index + 1}`, input: messagesOf(input), output: messagesOf(output) };
  });
  const { refused, branches, messages } = find(given, ({ name }) => name);
  if (refused !== undefined) return refused;
  const said = messages.map(({ role, content }) => `${role[0]} ${content}`).join(', ');
  return { said, branches: branches.map(({ name }) => name).join() };
}

const AGENT = 's agent, u hi → a hello';
const NEXT = 's agent, u hi, a hello, u next → a sure';
const GUARD = 's guard, u hi → a ok';
const SAID = 's agent, u hi, a hello, u next, a sure';

describe('the conversation among exchanges', () => {
  it('is not what a guard says of its first question', () => {
    assert.deepEqual(found(GUARD, AGENT, NEXT), { said: SAID, branches: '1' });
    assert.deepEqual(found(AGENT, GUARD, NEXT), { said: SAID, branches: '2' });
  });

  it('is not what a guard says of all that was said', () => {
    const guard = 's guard, u hi, a hello, u next → a ok';
    const last = 's agent, u hi, a hello, u next, a sure, u bye → a bye';
    const said = { said: SAID, branches: '2' };
    assert.deepEqual(found(AGENT, guard, NEXT), said);
    assert.deepEqual(found(AGENT, NEXT, guard), { ...said, branches: '3' });
    const whole = { said: `${SAID}, u bye, a bye`, branches: '2' };
    assert.deepEqual(found(AGENT, guard, NEXT, last), whole);
  });

  it('is not what gives it a title, with or without instructions', () => {
    const bare = 'u hi → a hello';
    const title = 'u Give this a title: hi → a Greeting';
    const next = 'u hi, a hello, u next → a sure';
    const said = 'u hi, a hello, u next, a sure';
    assert.deepEqual(found(bare, title, next), { said, branches: '2' });
    assert.deepEqual(found(AGENT, `s title, ${title}`, NEXT), { said: SAID, branches: '2' });
    assert.deepEqual(found(AGENT, title, NEXT), { said: SAID, branches: '2' });
  });

  it('is not what an agent between two of its requests was asked', () => {
    const asked = 's helper, u find hi → a found';
    const handed = 's other, u hi, a hello → a more';
    assert.deepEqual(found(AGENT, asked, handed), {
      said: 's agent, u hi, a hello, s other, a more',
      branches: '2',
    });
  });

  it('continues with the answer that later requests repeat', () => {
    const again = 's agent, u hi → a good day';
    const next = 's agent, u hi, a good day, u next → a sure';
    assert.deepEqual(found(AGENT, again, next), {
      said: 's agent, u hi, a good day, u next, a sure',
      branches: '1',
    });
  });

  it('is the same where an answer was recorded twice', () => {
    assert.deepEqual(found(AGENT, NEXT, NEXT), { said: SAID, branches: '3' });
  });

  it('is refused where two answers are as likely', () => {
    assert.equal(
      found(AGENT, NEXT, 's agent, u hi, a hello, u next → a no'),
      '2 and 3 answer the same messages, and it is unclear which answer the user got.',
    );
    assert.match(String(found(GUARD, AGENT)), /^1 and 2 start separate conversations/);
  });

  it('takes little more time if it has all the requests of many', async () => {
    const exchangesOf = (count: number) =>
      Array.from({ length: count }, (_, index) => ({
        input: [{ role: 'user' as const, content: `q${index}` }],
        output: [{ role: 'assistant' as const, content: `a${index}` }],
      }));
    const many = () => {
      for (let count = 0; count < 40; count += 1) find(exchangesOf(50), String);
    };
    const one = () => find(exchangesOf(2_000), String);
    assert.ok((await timesAsMuch(many, one)) < 12);
  });

  it('is refused if its file has too many to compare, unless it is small', () => {
    const history = Array.from({ length: 30 }, (_, index) => `${'ua'[index % 2]} ${index}`);
    const exchangesOf = (count: number) =>
      Array.from({ length: count }, (_, index) => ({
        input: messagesOf([`s ${index}`, ...history, 'u next'].join(', ')),
        output: messagesOf(`a ${index}`),
      }));
    const comparisons = new Comparisons();
    const refused = [450, 450, 450, 450, 2].map(
      (count) => findConversation(exchangesOf(count), String, comparisons).refused ?? '',
    );
    const kinds = refused.map((one) => /too many|separate/.exec(one)?.[0]);
    assert.deepEqual(kinds, ['separate', 'separate', 'too many', 'too many', 'separate']);
  });

  it('takes linear work if its requests have many instructions', async () => {
    const instructions = (from: number, count: number) =>
      Array.from({ length: count }, (_, index) => `s ${from + index}`).join(', ');
    const work = (size: number) =>
      found(
        `${instructions(0, size)}, u hi → a hello`,
        `${instructions(size, size)}, u hi, a hello, u next → a sure`,
      );
    assert.ok((await growth(work, 1_000)) < 8);
  });

  it('is refused if it has too many requests', () => {
    const many = Array.from({ length: LIMITS.importedExchanges + 1 }, () => AGENT);
    assert.match(String(found(...many)), /^it has 2,001 requests to models; the limit is 2,000\./);
  });

  it('is refused where a session holds two', () => {
    const other = 's agent, u other, a yes, u more → a well';
    assert.equal(
      found(AGENT, NEXT, other),
      '1 and 3 start separate conversations, and it is unclear which one the user had. Give each its own session id.',
    );
    assert.match(String(found(AGENT, 's agent, u other → a yes', NEXT, other)), /it is unclear/);
  });
});

describe('a chat log that holds two conversations in one session', () => {
  it('is an error that names both requests, and makes no case', async () => {
    const log = (...texts: readonly string[]) => ({
      session_id: 's-1',
      messages: texts.map((content, index) => ({
        role: index % 2 === 0 ? 'user' : 'assistant',
        content,
      })),
    });
    const { cases, broken } = await imported(
      'log.jsonl',
      jsonLines(log('a', 'A', 'b', 'B'), log('c', 'C', 'd', 'D')),
    );
    assert.deepEqual(cases, []);
    assert.match(broken.join(), /^1 This conversation is unclear: the request on line 1 and the/);
  });
});
