import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { parsed } from '../../src/interop/fields.ts';
import { imported } from '../support/imports.ts';
import { handoffs } from './handoffs.ts';
import { conversation, type Entry } from './script.ts';

/** Exports that are not yet read as what happened. */
const PENDING = [
  'openai-agents-python/traces.jsonl',
  'adk/traces.jsonl',
  'pydantic-ai/traces.jsonl',
  'langgraph-python/traces.jsonl',
  'openllmetry/traces.jsonl',
  'openai-agents-js/traces.jsonl',
  'ai-sdk/traces.jsonl',
];

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
    results.set(id, parsed(tool));
  }
  const entries: Entry[] = [];
  for (const { user, assistant, tool_calls: calls = [] } of transcript) {
    if (user !== undefined) entries.push({ user: String(user) });
    if (assistant) entries.push({ assistant: String(assistant) });
    for (const { id, function: called } of calls) {
      assert.ok(results.has(id), `a result of ${called.name}`);
      entries.push({ call: { ...called, result: results.get(id) } });
    }
  }
  return entries;
}

describe('recorded conversations of agent frameworks', () => {
  for (const [framework, handoff] of Object.entries(handoffs)) {
    const folder = join(import.meta.dirname, framework);
    const files = readdirSync(folder).filter(
      (name) => /\.jsonl?$/.test(name) && !name.startsWith('package'),
    );
    it(`includes exports of ${framework}`, () => assert.ok(files.length > 0));
    for (const file of files.filter((name) => !PENDING.includes(`${framework}/${name}`))) {
      it(`imports what happened from ${framework}/${file}`, async () => {
        const text = readFileSync(join(folder, file), 'utf8');
        const { cases, broken } = await imported(file, text);
        assert.deepEqual(broken, []);
        assert.equal(cases.length, 1);
        assert.deepEqual(entriesOf(cases[0].transcript), conversation(handoff));
      });
    }
  }
});
