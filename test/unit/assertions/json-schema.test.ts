import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { withTimeLimit } from '../../../src/assertions/shared/timeLimit.ts';
import { jsonSchema } from '../../../src/assertions/types/json-schema.ts';
import { WorkLimitError } from '../../../src/core/errors.ts';
import type { Assertion } from '../../../src/core/suite.ts';
import {
  EACH,
  findingOf,
  LAST,
  NOT,
  outcomeOf,
  replies,
  statuses,
} from '../../support/deterministic.ts';
import { assistant } from '../../support/judging.ts';

type Schema = Record<string, unknown>;

const DRAFT_7 = 'http://json-schema.org/draft-07/schema#';
const DRAFT_2020 = 'https://json-schema.org/draft/2020-12/schema';

const ORDER: Schema = {
  type: 'object',
  required: ['order'],
  properties: {
    order: { type: 'string', pattern: '^\\d{5}$' },
    items: { type: 'array', items: { type: 'object', properties: { 'a/b': { type: 'integer' } } } },
  },
  additionalProperties: false,
};

function faultsOf(schema: unknown) {
  return jsonSchema.faults?.({ schema }) ?? [];
}

describe('json-schema of one reply', () => {
  const rows: [what: string, schema: Schema, text: string, score: number][] = [
    ['a value that fits', ORDER, '{"order": "98765"}', 1],
    ['another type', ORDER, '{"order": 98765}', 0],
    ['a pattern that does not match', ORDER, '{"order": "9876"}', 0],
    ['a key that is missing', ORDER, '{}', 0],
    ['a key that is not there to be', ORDER, '{"order": "98765", "x": 1}', 0],
    ['text around it', ORDER, 'Here: {"order": "98765"}', 0],
    ['no text', ORDER, '', 0],
    ['a schema that says nothing', {}, '1', 1],
    ['an inherited name', { required: ['constructor'] }, '{}', 0],
    ['a format', { format: 'date' }, '"2024-02-29"', 1],
    ['a format that is not met', { format: 'date' }, '"2023-02-29"', 0],
    ['an address', { format: 'url' }, '"https://example.com/a?b=1"', 1],
    ['no address', { format: 'url' }, '"https://exa mple.com"', 0],
    ['a format that is not known', { format: 'no-such' }, '"x"', 1],
    ['a reference inside', { $ref: '#/$defs/a', $defs: { a: { type: 'null' } } }, '1', 0],
    ['tuples of 2020-12', { $schema: DRAFT_2020, prefixItems: [{ type: 'null' }] }, '[1]', 0],
    ['tuples of draft 7', { $schema: DRAFT_7, items: [{ type: 'null' }] }, '[1]', 0],
    ['tuples of draft 7 that fit', { $schema: DRAFT_7, items: [{ type: 'null' }] }, '[null, 1]', 1],
    ['keys by pattern', { patternProperties: { '^a': { type: 'null' } } }, '{"ab": 1}', 0],
    [
      'keys by pattern beside others',
      { properties: { ab: {} }, patternProperties: { '^a': { type: 'null' } } },
      '{"ab": 1}',
      0,
    ],
    ['two patterns', { allOf: [{ pattern: '^a' }, { pattern: 'b$' }] }, '"ac"', 0],
    ['an escape of the language', { pattern: '^\\u0041\\/$' }, '"A/"', 1],
  ];
  for (const [what, schema, text, score] of rows) {
    it(`${what}: ${score}`, async () => {
      assert.deepEqual(faultsOf(schema), []);
      const finding = await findingOf(jsonSchema, { schema }, replies([assistant(text)]));
      assert.equal(finding.score, score);
      assert.deepEqual(statuses(finding), [`2 ${score === 1 ? 'pass' : 'fail'}`]);
      const negated = await findingOf(jsonSchema, { schema }, replies([assistant(text)]), NOT);
      assert.equal(negated.score, 1 - score);
    });
  }

  it('reads a code fence where that is allowed', async () => {
    const talk = replies([assistant('```json\n{"order": "98765"}\n```')]);
    const schema = ORDER;
    assert.equal((await findingOf(jsonSchema, { schema, fenced: true }, talk)).score, 1);
    assert.equal((await findingOf(jsonSchema, { schema }, talk)).score, 0);
  });

  const told: [text: string, schema: Schema, rationale: string][] = [
    ['{"order": 1}', ORDER, 'does not fit the schema: /order must be string'],
    [
      '{"order": "98765", "items": [{}, {"a/b": 0.5}]}',
      ORDER,
      'does not fit the schema: /items/1/a~1b must be integer',
    ],
    [
      '{"x": 1}',
      ORDER,
      `does not fit the schema: the value must have required property 'order'; the value must NOT have additional properties: "x"`,
    ],
    [
      '"c"',
      { enum: ['a', 'b'] },
      'does not fit the schema: the value must be equal to one of the allowed values: ["a","b"]',
    ],
  ];
  for (const [text, schema, rationale] of told) {
    it(`tells the place and the fault of ${text}`, async () => {
      const { turns, misses } = await findingOf(jsonSchema, { schema }, replies([assistant(text)]));
      assert.equal(turns[0]?.rationale, rationale);
      assert.deepEqual(misses, [`Turn 2: ${rationale}`]);
    });
  }

  it('reports the first of many faults, and the number of others', async () => {
    const schema = { items: { type: 'null' } };
    const talk = replies([assistant(JSON.stringify(Array(1000).fill(1)))]);
    const { turns } = await findingOf(jsonSchema, { schema }, talk);
    assert.match(turns[0]?.rationale ?? '', /\/4 must be null; and 995 more$/);
  });
});

describe('a schema that would take for ever', () => {
  const list = { type: 'array', items: { $ref: '#/$defs/node' } };

  it('over a nested reply is an error, not a wait', async () => {
    const schema = { $defs: { node: { anyOf: [list, list] } }, $ref: '#/$defs/node' };
    const nested = `${'['.repeat(40)}1${']'.repeat(40)}`;
    await assert.rejects(
      outcomeOf(jsonSchema, { schema }, replies([assistant(nested)])),
      /takes too long/,
    );
  });

  it('to be read is a fault', () => {
    const [fault] = faultsOf({
      allOf: Array.from({ length: 10_000 }, (_, index) => ({ pattern: `a{1,900}${index}` })),
    });
    assert.match(fault?.message ?? '', /takes too long to read/);
  });
});

describe('json-schema of several replies', () => {
  const talk = replies([assistant('1')], [assistant('one')], [assistant('"1"')], [assistant('2')]);
  const rows: [rest: Partial<Assertion>, score: number, entries: string[]][] = [
    [{}, 0.5, ['2 pass', '4 fail', '6 fail', '8 pass']],
    [EACH, 0.5, ['2 pass', '4 fail', '6 fail', '8 pass']],
    [NOT, 0.5, ['2 fail', '4 pass', '6 pass', '8 fail']],
    [LAST, 1, ['8 pass']],
  ];
  for (const [rest, score, entries] of rows) {
    it(`${JSON.stringify(rest)}: ${score}`, async () => {
      const finding = await findingOf(jsonSchema, { schema: { type: 'number' } }, talk, rest);
      assert.equal(finding.score, score);
      assert.deepEqual(statuses(finding), entries);
    });
  }
});

describe('a schema', () => {
  const rows: [what: string, schema: Schema, path: (string | number)[], message: RegExp][] = [
    [
      'with a type that is none',
      { properties: { a: { type: 'txt' } } },
      ['schema', 'properties', 'a', 'type'],
      /This is not a valid JSON Schema: it must be equal to one of the allowed values/,
    ],
    ['with a list where none is', { required: 'a' }, ['schema', 'required'], /must be array/],
    [
      'with a place in a list',
      { allOf: [{}, { minimum: '1' }] },
      ['schema', 'allOf', 1, 'minimum'],
      /must be number/,
    ],
    ['with a pattern that looks around', { pattern: '(?=a)' }, ['schema'], /RE2/],
    ['with such a pattern of keys', { patternProperties: { '(?=a)': {} } }, ['schema'], /RE2/],
    [
      'with tuples of draft 7 in 2020-12',
      { items: [{}] },
      ['schema', 'items'],
      /must be object,boolean/,
    ],
    [
      'of another draft',
      { $schema: 'http://json-schema.org/draft-04/schema#' },
      ['schema', '$schema'],
      /2020-12 or draft 7/,
    ],
    [
      'with a reference to elsewhere',
      { $ref: 'https://example.com/a.json' },
      ['schema'],
      /can't resolve reference/,
    ],
    [
      'with a reference to nothing',
      { $ref: '#/$defs/none' },
      ['schema'],
      /can't resolve reference/,
    ],
    ['that would be checked later', { $async: true }, ['schema'], /\$async/],
  ];
  for (const [what, schema, path, message] of rows) {
    it(`${what} is reported as you type and is an error in a run`, async () => {
      const faults = faultsOf(schema);
      assert.deepEqual(faults[0]?.path, path);
      assert.match(faults.map((fault) => fault.message).join('\n'), message);
      await assert.rejects(outcomeOf(jsonSchema, { schema }, replies([assistant('1')])), message);
    });
  }

  it("never passes a user's pattern to RegExp", async () => {
    const made: string[] = [];
    const native = globalThis.RegExp;
    globalThis.RegExp = new Proxy(native, {
      construct(target, args) {
        made.push(String(args[0]));
        return Reflect.construct(target, args);
      },
    });
    try {
      const seen = ['seen', 'zq'].join(' ');
      assert.ok(new RegExp(seen));
      const hostile = '^(a+)+zq$';
      const schema = {
        properties: { a: { pattern: hostile }, zq: { format: 'regex' } },
        patternProperties: { [hostile]: {} },
        propertyNames: { pattern: `${hostile}|a|zq` },
      };
      assert.deepEqual(faultsOf(schema), []);
      const text = JSON.stringify({ a: `${'a'.repeat(50_000)}!`, zq: hostile });
      const finding = await findingOf(jsonSchema, { schema }, replies([assistant(text)]));
      assert.match(finding.misses[0] ?? '', /\/a must match pattern/);
    } finally {
      globalThis.RegExp = native;
    }
    assert.deepEqual(
      made.filter((pattern) => pattern.includes('zq')),
      ['seen zq'],
    );
  });
});

describe('work within a time limit', () => {
  it('returns the result', () => {
    assert.equal(
      withTimeLimit(1000, () => 'done'),
      'done',
    );
  });

  it('fails with the error that the work throws', () => {
    assert.throws(
      () =>
        withTimeLimit(1000, () => {
          throw new RangeError('out of range');
        }),
      { name: 'RangeError', message: 'out of range' },
    );
  });

  it('is ended where it would never end', () => {
    assert.throws(
      () =>
        withTimeLimit(50, () => {
          for (;;);
        }),
      WorkLimitError,
    );
  });

  it('is ended as well where the machine never gives it time', () => {
    let begun = 0;
    const asleep = () => {
      begun += 1;
      for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10);
    };
    assert.throws(() => withTimeLimit(50, asleep), WorkLimitError);
    assert.equal(begun, 4);
  });

  it('is not ended where the machine was busy with something else at first', () => {
    let begun = 0;
    const late = () => {
      begun += 1;
      if (begun < 3) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 250);
      return 'done';
    };
    assert.equal(withTimeLimit(50, late), 'done');
    assert.equal(begun, 3);
  });

  it('may hold work within a time limit of its own', () => {
    const endless = () => {
      for (;;);
    };
    const inner = () => {
      assert.throws(() => withTimeLimit(50, endless), WorkLimitError);
      return 'done';
    };
    assert.equal(withTimeLimit(60_000, inner), 'done');
    assert.throws(() => withTimeLimit(50, () => withTimeLimit(60_000, endless)), WorkLimitError);
  });
});
