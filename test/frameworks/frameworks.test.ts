import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { parseJsonText } from '../../src/interop/fields.ts';
import { seededRandom } from '../../src/statistics/intervals.ts';
import { imported } from '../support/imports.ts';
import { LONG, tries } from '../support/long.ts';
import { handoffs } from './handoffs.ts';
import { conversation, type Entry, speakers } from './script.ts';

interface ShorthandCall {
  readonly id: string;
  readonly function: { readonly name: string; readonly arguments: object };
}

type Shorthand = Readonly<Record<string, unknown>> & {
  readonly tool_calls?: readonly ShorthandCall[];
};

/** What people and agents said, each call with its result. Parallel calls may be one message or several. */
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

/** The agent of each text and call, in order. */
function agentsOf(transcript: readonly Shorthand[]): unknown[] {
  return transcript.flatMap(({ assistant, agent, tool_calls: calls = [] }) => [
    ...(assistant ? [agent] : []),
    ...calls.map(() => agent),
  ]);
}

/** Exports in which nothing says which agent spoke. */
const NAMELESS = [
  'ai-sdk/model-messages.json',
  'ai-sdk/ui-messages.json',
  'openai-agents-js/history.json',
  'openai-agents-js/traces.jsonl',
  'openai-agents-python/items.json',
  'openllmetry/messages.json',
];

/** Random orders and losses that are tried. */
const SEEDS = tries(40, 5);

const TRACES = 'traces.jsonl';

/** A span each. */
function linesOf(path: string): string[] {
  return readFileSync(path, 'utf8').trim().split('\n');
}

/** Tools that were called, but that the case doesn't list. */
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
        const agents = NAMELESS.includes(`${framework}/${file}`) ? [] : speakers(handoff);
        assert.deepEqual(
          agentsOf(cases[0].transcript).filter((agent) => agent !== undefined),
          agents,
        );
        // What an agent that was only asked heard and said is reported, span by span.
        const branches = lost.filter((one) => one.includes('it is a branch'));
        const asksWithin = handoff.delegates && file === TRACES;
        assert.equal(branches.length, asksWithin ? 2 : 0);
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
        // If only one agent is left, nothing tells its conversation from the user's.
        const share = 0.6 + 0.4 * random();
        const kept = spans.filter(() => random() < share);
        if (kept.length > 0) await check(kept, `seed ${seed}`);
      }
    });
  }
});
