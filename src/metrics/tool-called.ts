import { RE2JS } from 're2js';
import * as z from 'zod';
import type { Turn } from '../core/conversation.ts';
import type { ToolCall } from '../core/message.ts';
import type { TurnVerdict } from '../core/verdict.ts';
import type { DeterministicType } from './assertionType.ts';
import { citing, numbersOf } from './entries.ts';
import { faultOfPattern } from './regex.ts';

const params = z.strictObject({
  name: z.string().min(1).meta({ description: 'Name of the tool.' }),
  args: z
    .record(z.string(), z.unknown())
    .optional()
    .meta({ description: 'Arguments that a call must have to count.' }),
  match: z.enum(['exact', 'partial', 'pattern']).default('partial').meta({
    description:
      'How `args` are compared: `exact` the same and no others, `partial` these among others, `pattern` as partial with every text a regular expression (RE2).',
  }),
  times: z
    .int()
    .min(1)
    .optional()
    .meta({ description: 'Exactly how often; at least once unless given.' }),
});

type Params = z.infer<typeof params>;

export const toolCalled: DeterministicType = {
  type: 'tool-called',
  summary: 'The assistant called the tool, with these arguments, this often.',
  docs: "Counts the calls of the tool in the chosen turns whose arguments match.\n\nScore: 1 or 0; with `at: each` the share of turns.\n\n```yaml\n- type: tool-called\n  name: lookup_order\n  args: { order: '98765' }\n  times: 1\n```",
  params,
  defaultThreshold: 1,
  side: 'assistant',
  judged: false,
  fault(given) {
    const read = params.safeParse(given);
    if (!read.success || read.data.match !== 'pattern') return undefined;
    for (const text of textsIn(read.data.args)) {
      const message = faultOfPattern(text);
      if (message !== undefined)
        return { key: 'args', message: `${JSON.stringify(text)}: ${message}` };
    }
    return undefined;
  },
  check({ turns, assertion }) {
    const wanted = params.parse(assertion.params);
    const { negate } = assertion;
    const enough = (count: number) =>
      (wanted.times === undefined ? count > 0 : count === wanted.times) !== negate;
    const counts = turns.map((turn) => ({ turn, count: matching(turn, wanted).length }));
    const total = counts.reduce((sum, { count }) => sum + count, 0);
    const each = assertion.at.kind === 'each';
    const speaking = each ? counts : counts.filter(({ count }) => count > 0);
    const entries = speaking.map(({ turn, count }): TurnVerdict => {
      const passed = each ? enough(count) : enough(total);
      return {
        turn: turn.number,
        status: passed ? 'pass' : 'fail',
        score: passed ? 1 : 0,
        rationale: `${count} matching call${count === 1 ? '' : 's'} of ${wanted.name}`,
      };
    });
    const passing = entries.filter(({ status }) => status === 'pass').length;
    const score = each ? passing / turns.length : enough(total) ? 1 : 0;
    const like = wanted.args === undefined ? '' : ' with such arguments';
    const found = `${wanted.name} was called ${total} time${total === 1 ? '' : 's'}${like}`;
    const where = `${turns.length === 1 ? 'Turn' : 'Turns'} ${numbersOf(turns)}`;
    const cite = (status: TurnVerdict['status']) =>
      entries.filter((one) => one.status === status).map((one) => citing(one.turn, one.rationale));
    const misses = cite('fail');
    return {
      kind: 'scored',
      score,
      value: total,
      rationale: `${where}: ${found}.`,
      turns: entries,
      hits: cite('pass'),
      misses: score < 1 && misses.length === 0 ? [`${where}: ${found}`] : misses,
      details: { calls: total },
    };
  },
};

function matching(turn: Turn, wanted: Params): ToolCall[] {
  return turn.items
    .flatMap((item) => (item.kind === 'tool-call' ? [item.call] : []))
    .filter((call) => call.name === wanted.name && argumentsMatch(call.arguments, wanted));
}

function argumentsMatch(actual: unknown, { args, match }: Params): boolean {
  if (args === undefined) return true;
  if (match === 'exact') return same(actual, args, false, false);
  return same(actual, args, true, match === 'pattern');
}

function same(actual: unknown, wanted: unknown, partial: boolean, pattern: boolean): boolean {
  if (pattern && typeof wanted === 'string') {
    const text = typeof actual === 'string' ? actual : JSON.stringify(actual);
    return text !== undefined && RE2JS.compile(wanted).matcher(text).find();
  }
  if (Array.isArray(wanted)) {
    return (
      Array.isArray(actual) &&
      actual.length === wanted.length &&
      wanted.every((value, index) => same(actual[index], value, partial, pattern))
    );
  }
  if (!isObject(wanted)) return actual === wanted;
  if (!isObject(actual)) return false;
  const keys = Object.keys(wanted);
  if (!partial && Object.keys(actual).length !== keys.length) return false;
  return keys.every(
    (key) => Object.hasOwn(actual, key) && same(actual[key], wanted[key], partial, pattern),
  );
}

/** Every text at any depth. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
