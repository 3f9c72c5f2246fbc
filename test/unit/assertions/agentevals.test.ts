import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toolSequence } from '../../../src/assertions/types/tool-sequence.ts';
import type { Conversation } from '../../../src/core/conversation.ts';
import { record } from '../../support/countMessages.ts';
import { findingOf, replies } from '../../support/deterministic.ts';
import { assistant, call } from '../../support/judging.ts';
import { realLines } from '../../support/realData.ts';

/** Our match modes by agentevals' names. Its default is `strict`. */
const MATCHES: Readonly<Record<string, string>> = {
  strict: 'exact',
  unordered: 'unordered',
  subset: 'subset',
  superset: 'superset',
};

interface Call {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** The calls in a list of OpenAI or LangChain messages. */
function callsIn(messages: unknown): Call[] {
  if (!Array.isArray(messages)) return [];
  return messages.flatMap((message) => {
    const calls = record(message).tool_calls;
    if (!Array.isArray(calls)) return [];
    return calls.map((one) => {
      const { name, arguments: text, args } = { ...record(one), ...record(record(one).function) };
      return { name: String(name), args: record(args ?? JSON.parse(String(text))) };
    });
  });
}

function talkOf(calls: readonly Call[]): Conversation {
  return replies([
    ...calls.flatMap(({ name, args }, index) => call(name, args, 'ok', `call_${index}`)),
    assistant('Done.'),
  ]);
}

/** Parses a Python dictionary such as `{'get_weather': 'ignore'}`. */
function overridesOf(text: unknown): Record<string, unknown> {
  return typeof text === 'string' ? record(JSON.parse(text.replaceAll("'", '"'))) : {};
}

async function scoreOf(line: Record<string, unknown>, overrides: Record<string, unknown>) {
  const { trajectory_match_mode: mode = 'strict', tool_args_match_mode: args = 'exact' } = record(
    line.config,
  );
  const tools = callsIn(line.reference_outputs).map((one) => ({
    ...one,
    ...(overrides[one.name] !== undefined && { compare: overrides[one.name] }),
  }));
  const params = { tools, match: MATCHES[String(mode)], args };
  return (await findingOf(toolSequence, params, talkOf(callsIn(line.outputs)))).score;
}

describe("agentevals' trajectory tests, by tool-sequence", () => {
  const file = realLines('agentevals/trajectory-match.sample.jsonl');
  it('agrees in every case that needs no function', { skip: file.skip }, async () => {
    let agreed = 0;
    for (const given of file.lines()) {
      const line = record(given);
      const { tool_args_match_overrides: written } = record(line.config);
      // The override is a Python function.
      if (String(written).includes('<function')) continue;
      // For these, the file contains only the part without overrides, which doesn't match.
      const plain = typeof line.expected_score === 'string';
      const score = plain ? 0 : Number(line.expected_score);
      const what = `${line.test} ${JSON.stringify(line.config)}`;
      assert.equal(await scoreOf(line, overridesOf(written)), score, what);
      agreed += 1;
    }
    assert.equal(agreed, 26);
  });

  it('agrees if keys are named, including nested ones', { skip: file.skip }, async () => {
    const nested = file
      .lines()
      .map((given) => record(given))
      .filter(({ test }) => test === 'test_trajectory_match_with_nested_field_overrides');
    assert.equal(nested.length, 2);
    for (const line of nested) {
      assert.equal(await scoreOf(line, { lookup_policy: ['time.start'] }), 1);
      assert.equal(await scoreOf(line, { lookup_policy: ['time.start', 'time.end'] }), 0);
    }
  });
});
