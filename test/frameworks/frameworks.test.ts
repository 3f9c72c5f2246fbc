import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { FRAMEWORKS } from '../../scripts/docs/frameworks.ts';
import { toConversation, turnsOfSide } from '../../src/core/conversation.ts';
import { parseJsonText } from '../../src/core/data/data.ts';
import { readMessages } from '../../src/messages/readMessages.ts';
import { seededRandom } from '../../src/statistics/intervals.ts';
import { imported } from '../support/imports.ts';
import { LONG, tries } from '../support/long.ts';
import { handoffs } from './handoffs.ts';
import { conversation, type Entry, steps, stepsIn, withoutNames } from './script.ts';

interface ShorthandCall {
  readonly id: string;
  readonly function: { readonly name: string; readonly arguments: object };
}

type Shorthand = Readonly<Record<string, unknown>> & {
  readonly tool_calls?: readonly ShorthandCall[];
};

/** The texts of a transcript, and its calls with their results. Parallel calls can be one message or several. */
function entriesOf(transcript: readonly Shorthand[]): Entry[] {
  const results = new Map<unknown, unknown>();
  for (const { tool, tool_call_id: id } of transcript) {
    if (tool === undefined) continue;
    assert.ok(!results.has(id), `one result of ${id}`);
    results.set(id, parseJsonText(tool));
  }
  const entries: Entry[] = [];
  for (const { user, assistant, tool_calls: calls = [] } of transcript) {
    if (user !== undefined) entries.push({ user: String(user) });
    if (assistant) entries.push({ assistant: String(assistant) });
    for (const { id, function: called } of calls) {
      entries.push({ call: { ...called, result: results.get(id) } });
    }
  }
  return entries;
}

/** The agents' actions, in the format of the script's `steps`. */
function stepsOf(transcript: readonly Shorthand[]): object[] {
  const messages = readMessages(transcript).messages.map(({ message }) => ({ message }));
  return turnsOfSide(toConversation(messages), 'assistant').flatMap(({ items }) => stepsIn(items));
}

/** Exports that don't say which agent spoke. */
const NAMELESS = [
  'ai-sdk/model-messages.json',
  'ai-sdk/ui-messages.json',
  'openai-agents-js/history.json',
  'openai-agents-js/traces.jsonl',
  'openai-agents-python/items.json',
  'mastra/messages.json',
  'openllmetry/messages.json',
];

/** Number of random orders and losses of spans to try. */
const SEEDS = tries(40, 5);

const TRACES = 'traces.jsonl';

/** Lines of a file with one span per line. */
function linesOf(path: string): string[] {
  return readFileSync(path, 'utf8').trim().split('\n');
}

/** Tools that were called but aren't listed in the case. */
function toolsCalled({ tools, transcript }: ImportedCase): string[] {
  const listed = tools?.map(({ name }) => name);
  const called = entriesOf(transcript).flatMap((one) => ('call' in one ? [one.call.name] : []));
  return called.filter((name) => listed && !listed.includes(name));
}

interface ImportedCase {
  readonly transcript: readonly Shorthand[];
  readonly tools?: readonly { readonly name: string }[];
}

describe('recorded conversations of agent frameworks', () => {
  it('include traces of every framework in the table of the documentation', () => {
    for (const { name } of FRAMEWORKS) {
      assert.ok(readdirSync(join(import.meta.dirname, name)).includes(TRACES), name);
      assert.ok(handoffs[name], name);
    }
  });

  for (const [framework, handoff] of Object.entries(handoffs)) {
    const folder = join(import.meta.dirname, framework);
    const files = readdirSync(folder).filter(
      (name) => /\.jsonl?$/.test(name) && !name.startsWith('package'),
    );
    it(`includes exports of ${framework}`, () => assert.ok(files.length > 0));
    for (const file of files) {
      it(`imports what happened from ${framework}/${file}`, async () => {
        const text = readFileSync(join(folder, file), 'utf8');
        const { cases, broken, lost } = await imported(file, text);
        assert.deepEqual(broken, []);
        assert.equal(cases.length, 1);
        assert.deepEqual(entriesOf(cases[0].transcript), conversation(handoff));
        const isNameless = NAMELESS.includes(`${framework}/${file}`);
        const expected = steps(handoff).map((one) => (isNameless ? withoutNames(one) : one));
        assert.deepEqual(stepsOf(cases[0].transcript), expected);
        // The conversations of agents that were only asked by another agent are reported as branches, one per span. Mastra
        // has one span for all requests.
        const branches = lost.filter((one) => one.includes('it is a branch'));
        const asksWithin = handoff.delegates && file === TRACES;
        const spansWithin = framework === 'mastra' ? 1 : 2;
        assert.equal(branches.length, asksWithin ? spansWithin : 0);
        if (file === TRACES) assert.deepEqual(toolsCalled(cases[0]), []);
      });
    }
    const spans = files.includes(TRACES) ? linesOf(join(folder, TRACES)) : [];
    const read = async (lines: readonly string[]) => {
      const { cases } = await imported(TRACES, lines.join('\n'));
      return cases.map(({ transcript }) => entriesOf(transcript));
    };
    it(`imports the same from ${framework} if spans come reordered or twice`, async () => {
      if (spans.length === 0) return;
      const whole = [conversation(handoff)];
      assert.deepEqual(await read(spans.toReversed()), whole);
      assert.deepEqual(await read(spans.flatMap((one) => [one, one])), whole);
      for (let seed = 1; seed <= SEEDS; seed += 1) {
        const random = seededRandom(seed);
        const some = [...spans, ...spans.filter(() => random() < 0.3)];
        const mixed = some.map((one) => [random(), one] as const).sort(([a], [b]) => a - b);
        assert.deepEqual(await read(mixed.map(([, one]) => one)), whole, `seed ${seed}`);
      }
    });
    it(`imports no turn that nobody said from ${framework} if spans are lost`, async () => {
      const said = conversation(handoff).flatMap((one) => ('user' in one ? [one.user] : []));
      const check = async (kept: readonly string[], what: string) => {
        for (const entries of await read(kept)) {
          const users = entries.flatMap((one) => ('user' in one ? [one.user] : []));
          const wanted = said.filter((one) => users.includes(one));
          assert.deepEqual(users, wanted, what);
        }
      };
      for (const lost of LONG ? spans : spans.filter((_span, at) => at % 6 === 0)) {
        const others = spans.filter((one) => one !== lost);
        await check(others, lost.slice(0, 300));
      }
      for (let seed = 1; seed <= SEEDS && spans.length > 0; seed += 1) {
        const random = seededRandom(seed);
        // If only one agent's spans are left, its conversation can't be told apart from the user's.
        const share = 0.6 + 0.4 * random();
        const kept = spans.filter(() => random() < share);
        if (kept.length > 0) await check(kept, `seed ${seed}`);
      }
    });
  }
});
