import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { turnsOf } from '../../../src/core/conversation.ts';
import { LIMITS } from '../../../src/core/limits.ts';
import { TraceInbox } from '../../../src/interop/traceInbox.ts';
import { originIn, type Span, spansIn } from '../../../src/traces/spans.ts';
import { imported } from '../../support/imports.ts';
import { assertWork, timesAsMuch } from '../../support/work.ts';

const FRAMEWORKS = join(import.meta.dirname, '../../frameworks');

function spansOf(text: string): Span[] {
  const lines = text.split('\n').filter((line) => line !== '');
  return lines.flatMap((line) => spansIn(JSON.parse(line), 0, originIn));
}

function received(spans: readonly Span[], batch = 1): TraceInbox {
  const inbox = new TraceInbox();
  for (const [index, span] of spans.entries()) {
    inbox.add(span);
    if (index % batch === 0) inbox.update();
  }
  inbox.update();
  return inbox;
}

const message = (role: string, content: string) => ({ role, parts: [{ type: 'text', content }] });

interface Request {
  readonly trace: string;
  readonly input: readonly object[];
  readonly output: string;
  readonly session?: string;
  readonly parent?: string;
}

let spanNumber = 0;

function chat({ trace, input, output, session, parent = '' }: Request): Span {
  spanNumber += 1;
  return {
    line: 0,
    id: String(spanNumber).padStart(16, '0'),
    parent,
    trace,
    name: 'chat',
    isServer: false,
    start: String(1_700_000_000_000_000_000n + BigInt(spanNumber)),
    end: String(1_700_000_000_000_000_001n + BigInt(spanNumber)),
    attributes: {
      'gen_ai.input.messages': JSON.stringify(input),
      'gen_ai.output.messages': JSON.stringify([message('assistant', output)]),
      ...(session !== undefined && { 'gen_ai.conversation.id': session }),
    },
    events: [],
    dropped: 0,
  };
}

const summary = (inbox: TraceInbox) =>
  inbox.conversations.map(({ conversation, problem }) => problem ?? turnsOf(conversation).length);

describe('The trace inbox', () => {
  it('shows how long each tool took', () => {
    const text = readFileSync(join(FRAMEWORKS, 'langgraph-python/traces.jsonl'), 'utf8');
    const spans = spansOf(text).map((span) =>
      span.attributes['tool.name'] === 'find_order'
        ? { ...span, end: String(BigInt(span.start) + 1_500_000_000n) }
        : span,
    );
    const times = received(spans, 1_000).conversations.flatMap(({ conversation }) =>
      turnsOf(conversation).flatMap(({ items }) =>
        items.flatMap((item) => (item.kind === 'tool-call' ? [item.latency] : [])),
      ),
    );
    assert.equal(times[0], 1500);
    assert.ok(times.length > 3 && times.every((latency) => latency !== undefined), times.join());
  });

  for (const framework of readdirSync(FRAMEWORKS)) {
    const file = join(FRAMEWORKS, framework, 'traces.jsonl');
    let text: string;
    try {
      text = readFileSync(file, 'utf8');
    } catch {
      continue;
    }
    it(`shows what an import of the whole trace shows: ${framework}`, async () => {
      const { cases } = await imported('traces.jsonl', text);
      const wanted = cases.map(({ transcript }) => JSON.stringify(transcript)).sort();
      const spans = spansOf(text);
      for (const order of [spans, spans.toReversed()]) {
        for (const batch of [1, 7]) {
          const inbox = received([...order, ...order], batch);
          const shown = inbox.conversations.flatMap(({ draft, problem }) => {
            assert.equal(problem, undefined);
            return JSON.stringify(draft?.keys.transcript);
          });
          assert.deepEqual(shown.sort(), wanted);
        }
      }
    });
  }

  const first = [message('user', 'Hi, I am Sarah.')];
  const second = [...first, message('assistant', 'Hello!'), message('user', 'My order?')];

  it('joins turns without a session, and keeps the id of the conversation', () => {
    const inbox = received([chat({ trace: 'a', input: first, output: 'Hello!' })]);
    const [before] = inbox.conversations;
    inbox.add(chat({ trace: 'b', input: second, output: 'It was shipped.' }));
    inbox.update();
    assert.deepEqual(summary(inbox), [4]);
    assert.equal(inbox.conversations[0]?.id, before?.id);
    // A later span of a turn that was joined.
    const last = [...second, message('assistant', 'It was shipped.'), message('user', 'Thanks!')];
    inbox.add(chat({ trace: 'b', input: last, output: 'Bye!' }));
    inbox.update();
    assert.deepEqual(summary(inbox), [6]);
  });

  it('keeps conversations apart that only begin the same', () => {
    const inbox = received([
      chat({ trace: 'a', input: first, output: 'Hello!' }),
      chat({ trace: 'b', input: first, output: 'Hello!' }),
      chat({ trace: 'c', input: first, output: 'Yes?' }),
      chat({ trace: 'd', input: second, output: 'It was shipped.' }),
    ]);
    assert.deepEqual(summary(inbox), [4, 2, 2]);
  });

  it('moves a conversation to its session if only a later span names it', () => {
    const parent = 'f'.repeat(16);
    const inner = chat({ trace: 'a', input: first, output: 'Hello!', parent });
    const inbox = received([inner]);
    const [before] = inbox.conversations;
    assert.match(before?.notes.join(' ') ?? '', /Some spans around these messages are missing/);
    const attributes = { 'session.id': 'shop-7', 'service.name': 'shop' };
    inbox.add({ ...inner, id: parent, parent: '', attributes });
    inbox.update();
    const [after, ...others] = inbox.conversations;
    assert.deepEqual(others, []);
    assert.deepEqual([after?.id, after?.draft?.name], [before?.id, 'shop-7']);
    assert.deepEqual([after?.agent, after?.notes], ['shop', []]);
  });

  it('has another id for each conversation, even if two have parts of one trace', () => {
    const inbox = new TraceInbox();
    inbox.add(chat({ trace: 't', input: [message('user', 'Hi')], output: 'Hello' }));
    inbox.update();
    const [first] = inbox.conversations;
    for (const session of ['alice', 'bob']) {
      const input = [message('user', `I am ${session}.`)];
      inbox.add(chat({ trace: 't', session, input, output: 'Welcome.' }));
    }
    inbox.update();
    inbox.add(chat({ trace: 'u', session: 't', input: [message('user', 'Yes')], output: 'No' }));
    inbox.update();
    const ids = inbox.conversations.map(({ id }) => id);
    assert.deepEqual([ids.length, new Set(ids).size], [3, 3]);
    assert.ok(ids.includes(first?.id ?? ''));
  });

  it('never continues a conversation with a trace that is unclear by itself', async () => {
    const turn = (index: number) => [message('user', `Hi ${index}`), message('assistant', 'Well')];
    const many = Array.from({ length: 2_000 }, (_, index) => turn(index)).flat();
    const receive = (span: Span, earlier: number) => {
      const inbox = new TraceInbox();
      for (let index = 0; index < earlier; index += 1) {
        inbox.add(chat({ trace: `e${index}`, input: [message('user', 'Hi')], output: 'Hello' }));
      }
      inbox.update();
      inbox.add(span);
      inbox.update();
    };
    const input = [message('user', 'Hi'), message('assistant', 'Hello'), ...many];
    const span = chat({ trace: 'long', input: [...input, message('x', 'y')], output: 'Done' });
    const times = await timesAsMuch(
      () => receive(span, 1),
      () => receive(span, 99),
    );
    // Trying to continue each of them would take about 99 times as long.
    assert.ok(times < 20, `${times} times`);
  });

  it('says why a conversation is unclear instead of guessing', () => {
    const given = { trace: 'a', session: 's', input: first };
    const inbox = received([chat({ ...given, output: 'Yes?' }), chat({ ...given, output: 'No.' })]);
    assert.match(String(summary(inbox)), /it is unclear which one the user had/);
    const silent = { ...chat({ trace: 'b', input: first, output: 'x' }), attributes: {} };
    const asked = { ...silent, trace: 'c', attributes: { 'gen_ai.request.model': 'gpt-5-mini' } };
    inbox.add(silent);
    inbox.add(asked);
    inbox.update();
    const [problem, ...others] = summary(inbox);
    assert.match(String(problem), /no messages.*CAPTURE_MESSAGE_CONTENT=true/);
    assert.equal(others.length, 1, 'a span that is not about a model is no conversation');
  });

  it('names the limit of attributes if an exporter left some out', () => {
    const whole = chat({ trace: 'a', input: first, output: 'Hello!' });
    const [readable] = received([{ ...whole, dropped: 3 }]).conversations;
    assert.equal(readable?.problem, undefined);
    assert.match(readable?.notes.join(' ') ?? '', /OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT/);
    const attributes = {
      'llm.input_messages.0.message.content': 'Hi',
      'llm.output_messages.0.message.role': 'assistant',
      'llm.output_messages.0.message.content': 'Hello!',
    };
    const [cut] = received([{ ...whole, attributes, dropped: 3 }]).conversations;
    assert.match(cut?.problem ?? '', /OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT/);
    const [broken] = received([{ ...whole, attributes }]).conversations;
    assert.match(broken?.problem ?? '', /nothing is not a role/);
  });

  it('drops the oldest conversations beyond the limit, and says so', () => {
    const count = LIMITS.inboxConversations + 5;
    const spans = Array.from({ length: count }, (_one, index) =>
      chat({ trace: `t${index}`, input: [message('user', `Question ${index}`)], output: 'Yes.' }),
    );
    const inbox = received(spans, 10);
    assert.equal(inbox.conversations.length, LIMITS.inboxConversations);
    assert.equal(inbox.dropped, 5);
    assert.equal(inbox.conversations[0]?.name, `Question ${count - 1}`);
    assert.equal(inbox.conversations.at(-1)?.name, 'Question 5');
  });

  it('drops them quickly if thousands arrive at once', async () => {
    const spans = Array.from({ length: 8_000 }, (_one, index) =>
      chat({ trace: `t${index}`, input: [message('user', `Question ${index}`)], output: 'Yes.' }),
    );
    await assertWork(250, () => {
      const inbox = new TraceInbox();
      for (const span of spans) inbox.add(span);
      inbox.update();
      assert.equal(inbox.conversations[0]?.name, 'Question 7999');
    });
  });

  it('keeps a limited number of spans and characters, those of models last', () => {
    const inbox = new TraceInbox();
    const kept = chat({ trace: 'kept', input: first, output: 'Hello!' });
    inbox.add(kept);
    for (let index = 0; index < LIMITS.inboxSpans * 2; index += 1) {
      const id = String(index).padStart(16, '1');
      inbox.add({ ...kept, id, trace: `http-${index % 100}`, attributes: { 'http.route': '/' } });
    }
    inbox.update();
    assert.deepEqual([summary(inbox), inbox.dropped], [[2], 0]);
    const long = [message('user', 'x'.repeat(LIMITS.inboxTrace / 4))];
    for (const trace of ['a', 'b', 'c', 'd']) {
      inbox.add(chat({ trace, session: trace, input: long, output: 'Yes.' }));
      inbox.update();
    }
    assert.equal(inbox.conversations.length, 3);
    assert.equal(inbox.dropped, 2);
  });

  it("doesn't show the rest of a dropped conversation as if it were the whole", () => {
    const size = LIMITS.inboxTrace / 2;
    const long = (trace: string, session: string) =>
      chat({ trace, session, input: [message('user', 'x'.repeat(size))], output: 'Yes.' });
    const inbox = received([long('a', 'first'), long('b', 'second')]);
    assert.equal(inbox.dropped, 1);
    inbox.add(
      chat({ trace: 'c', session: 'first', input: [message('user', 'And?')], output: '!' }),
    );
    inbox.update();
    assert.match(String(summary(inbox)[0]), /Its first spans were dropped/);
  });

  it('survives hostile spans', () => {
    const span = chat({ trace: 'a', input: first, output: 'Hello!' });
    const attributes: readonly object[] = [
      JSON.parse('{"__proto__": {"gen_ai.input.messages": "[]"}}'),
      { 'gen_ai.input.messages': '['.repeat(100_000) },
      { 'gen_ai.input.messages': [{ role: { toString: 1 } }], 'gen_ai.output.messages': 7 },
      { 'gen_ai.conversation.id': '__proto__', 'service.name': { a: 1 }, ...span.attributes },
      { 'llm.input_messages.999999.message.role': 'user', 'llm.output_messages.0.x': null },
    ];
    const spans = attributes.map((one, index) => ({
      ...span,
      ...{ id: String(index).padStart(16, '2'), trace: `t${index}`, attributes: { ...one } },
    }));
    const around = { ...span, id: 'a', parent: 'b', trace: 'loop' };
    const inbox = received([...spans, around, { ...around, id: 'b', parent: 'a' }]);
    const shown = inbox.conversations;
    assert.equal(shown.filter(({ draft }) => draft).length, 1);
    assert.ok(
      shown.every(({ draft, problem }) => (draft === undefined) !== (problem === undefined)),
    );
  });

  it('counts the names of spans and events', () => {
    const name = 'n'.repeat(LIMITS.inboxTrace / 4);
    const [event] = [{ name, time: '1', attributes: {} }];
    const inbox = new TraceInbox();
    for (let index = 0; index < 5; index += 1) {
      const span = chat({ trace: `${index}`, input: first, output: 'Hello!' });
      inbox.add(index % 2 ? { ...span, name } : { ...span, events: [event] });
    }
    inbox.update();
    assert.equal(inbox.dropped, 2);
  });

  it('limits the work of an update, not of each conversation', () => {
    const history = Array.from({ length: 30 }, (_, at) =>
      message(at % 2 ? 'assistant' : 'user', `${at}`),
    );
    const session = (name: string) =>
      Array.from({ length: 450 }, (_, at) =>
        chat({
          trace: name,
          session: name,
          input: [message('system', `${at}`), ...history, message('user', 'next')],
          output: `${at}`,
        }),
      );
    const spans = ['a', 'b', 'c'].flatMap(session);
    const problems = summary(received(spans, spans.length)).map(String);
    assert.equal(problems.filter((one) => one.includes('too many of its requests')).length, 1);
    const later = summary(received(spans, 450)).map(String);
    assert.equal(later.filter((one) => one.includes('too many of its requests')).length, 0);
  });
});
