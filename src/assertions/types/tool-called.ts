import * as z from 'zod';
import type { TurnVerdict } from '../../core/verdict.ts';
import { checkedType } from '../shared/deterministic.ts';
import { citing, decidedTurn, numbersOf } from '../shared/entries.ts';
import {
  argumentKeys,
  callMatches,
  callsOf,
  faultsOfArguments,
  labelWithTool,
} from '../shared/toolCalls.ts';

const params = z.strictObject({
  name: z.string().min(1).meta({ description: 'Name of the tool.', refersTo: 'tool' }),
  ...argumentKeys,
  times: z
    .int()
    .min(1)
    .optional()
    .meta({ description: 'The exact number of calls. Default: at least one.' }),
});

export const toolCalled = checkedType({
  type: 'tool-called',
  summary: 'The assistant called the tool, with these arguments, this many times.',
  docs: {
    asks: 'Counts the calls to the tool with matching arguments in the chosen turns.',
    score:
      '1 if it was called at least once, or exactly `times`, else 0; with `at: each`, turns with that many calls ÷ chosen turns.',
    example:
      'with `times: 1`, two replies call it once each: 0, since that is 2 calls; with `at: each`, 2 ÷ 2 = 1.',
    yaml: `
      - type: tool-called
        name: lookup_order
        args: { order: '98765' }
        times: 1
    `,
  },
  params,
  sees: () => ['tool_calls'],
  label: labelWithTool('tool-called'),
  faults(given) {
    const read = params.safeParse(given);
    return read.success ? faultsOfArguments(read.data) : [];
  },
  check({ turns, assertion }, wanted) {
    const { negate } = assertion;
    const enough = (count: number) =>
      (wanted.times === undefined ? count > 0 : count === wanted.times) !== negate;
    const counts = turns.map((turn) => ({
      turn,
      count: callsOf(turn).filter((call) => callMatches(call, wanted)).length,
    }));
    const total = counts.reduce((sum, { count }) => sum + count, 0);
    const each = assertion.at.kind === 'each';
    const speaking = each ? counts : counts.filter(({ count }) => count > 0);
    const entries = speaking.map(({ turn, count }) => {
      const rationale = `${count} matching call${count === 1 ? '' : 's'} of ${wanted.name}`;
      return decidedTurn(turn.number, enough(each ? count : total), rationale);
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
});
