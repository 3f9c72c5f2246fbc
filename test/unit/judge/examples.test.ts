import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import type { Assertion } from '../../../src/core/suite.ts';
import { judgeOne } from '../../support/judging.ts';
import { FULL_FACTS, judgedAssertions, RICH_TALK } from '../../support/questions.ts';

/**
 * Readable examples with one complete exchange for every judged type: the request, the judge's answer, and the verdict.
 * `UPDATE_FIXTURES=1` regenerates the request and verdict from the answer. Format the files afterwards.
 */

const FOLDER = new URL('../../fixtures/judging/', import.meta.url);
const END = '=== END OF CONVERSATION ===';

interface Example {
  /** Each text is a list of lines. */
  readonly request?: {
    readonly messages: readonly { readonly role: string; readonly content: readonly string[] }[];
    readonly schema: unknown;
  };
  readonly answer: object;
  readonly verdict?: unknown;
}

function nameOf({ type, params }: Assertion): string {
  return params.per_turn ? `${type}-per-turn` : type;
}

function pathOf(name: string): URL {
  return new URL(`${name}.json`, FOLDER);
}

function read(name: string): Example {
  return JSON.parse(readFileSync(pathOf(name), 'utf8'));
}

describe('an example of a request, its answer, and the verdict', () => {
  for (const assertion of judgedAssertions()) {
    const name = nameOf(assertion);
    it(`of ${name}`, async (t) => {
      const expected = read(name);
      const about = { conversation: RICH_TALK, facts: FULL_FACTS };
      const { requests, ...verdict } = await judgeOne(t, assertion, [expected.answer], about);
      assert.equal(requests.length, 1, verdict.rationale);
      assert.ok(['pass', 'fail'].includes(verdict.status), verdict.rationale);
      for (const { turn, evidence } of verdict.turns) {
        assert.ok(evidence?.verified ?? true, `turn ${turn} holds no “${evidence?.text}”`);
      }
      const { messages = [], response_format } = requests[0]?.body ?? {};
      const found: Example = {
        request: {
          messages: messages.map(({ role, content }) => ({
            role,
            content: content?.split('\n') ?? [],
          })),
          schema: response_format?.json_schema?.schema,
        },
        answer: expected.answer,
        verdict: JSON.parse(JSON.stringify(verdict)),
      };
      if (process.env.UPDATE_FIXTURES === '1') {
        return writeFileSync(pathOf(name), `${JSON.stringify(found, null, 2)}\n`);
      }
      assert.deepEqual(found, expected, 'Run it with UPDATE_FIXTURES=1 where that is meant.');
    });
  }

  const files = readdirSync(FOLDER).map((file) => file.replace(/\.json$/, ''));

  it('exists for every judged type, and for no other', () => {
    assert.deepEqual(files.sort(), judgedAssertions().map(nameOf).sort());
  });

  it('starts with the same bytes in all: the system text and the conversation', () => {
    const prefixes = files.map((name) => {
      const [system, question] = read(name).request?.messages ?? [];
      assert.deepEqual([system?.role, question?.role], ['system', 'user']);
      const text = question?.content.join('\n') ?? '';
      const end = text.indexOf(END);
      assert.ok(end > 0, name);
      return `${system?.content.join('\n')}\n${text.slice(0, end + END.length)}`;
    });
    assert.equal(new Set(prefixes).size, 1);
    assert.match(prefixes[0] ?? '', /\| Where is my order #98765\?/);
  });
});
