import * as z from 'zod';
import type { TurnVerdict } from '../../core/verdict.ts';
import { checkedType } from '../shared/deterministic.ts';
import { citing, decidedTurn, numbersOf } from '../shared/entries.ts';
import {
  argumentKeys,
  callMatches,
  callsOf,
  describeCall,
  faultsOfArguments,
  labelWithTool,
} from '../shared/toolCalls.ts';

const params = z.strictObject({
  name: z
    .string()
    .min(1)
    .optional()
    .meta({ description: 'Name of the tool. Default: any tool.', refersTo: 'tool' }),
  ...argumentKeys,
});

export const toolNotCalled = checkedType({
  type: 'tool-not-called',
  summary: 'The assistant did not call the tool, or no tool at all.',
  docs: {
    asks: 'Looks for calls to the tool in the chosen turns or, without `name`, for calls to any tool. With `args`, only calls with these arguments count. Every such call is cited.',
    score: '1 if there is no such call, else 0; with `at: each`, turns without one ÷ chosen turns.',
    example:
      'four turns, one of which calls `issue_refund` twice: 0, and 3 ÷ 4 = 0.75 with `at: each`.',
    yaml: `
      - type: tool-not-called
        name: issue_refund
    `,
  },
  params,
  sees: () => ['tool_calls'],
  label: labelWithTool('tool-not-called'),
  faults(given) {
    const read = params.safeParse(given);
    return read.success ? faultsOfArguments(read.data) : [];
  },
  check({ turns, assertion }, wanted) {
    const each = assertion.at.kind === 'each';
    const passes = (count: number) => (count === 0) !== assertion.negate;
    const found = turns.map((turn) => ({
      turn: turn.number,
      calls: callsOf(turn).filter((call) => callMatches(call, wanted)),
    }));
    const total = found.reduce((sum, { calls }) => sum + calls.length, 0);
    const what = `${wanted.name ?? 'a tool'}${wanted.args === undefined ? '' : ' with such arguments'}`;
    // What several turns lack together, none of them lacks in particular.
    const speaking =
      each || turns.length === 1 ? found : found.filter(({ calls }) => calls.length > 0);
    const entries = speaking.map(({ turn, calls }) => {
      const made = calls.map(describeCall).join('; ');
      const rationale = calls.length === 0 ? `no call of ${what}` : `called ${made}`;
      return decidedTurn(turn, passes(each ? calls.length : total), rationale);
    });
    const cite = (status: TurnVerdict['status']) =>
      speaking.flatMap(({ turn, calls }, index) => {
        if (entries[index]?.status !== status) return [];
        if (calls.length === 0) return [citing(turn, `no call of ${what}`)];
        return calls.map((call) => citing(turn, `called ${describeCall(call)}`));
      });
    const passing = entries.filter(({ status }) => status === 'pass').length;
    const score = each ? passing / turns.length : passes(total) ? 1 : 0;
    const summary = `Turn${turns.length === 1 ? '' : 's'} ${numbersOf(turns)}: ${total} call${total === 1 ? '' : 's'} of ${what}`;
    const cited = { hits: cite('pass'), misses: cite('fail') };
    const silent = entries.length === 0;
    return {
      kind: 'scored',
      score,
      value: total,
      rationale: `${summary}.`,
      turns: entries,
      hits: silent && score === 1 ? [summary] : cited.hits,
      misses: silent && score < 1 ? [summary] : cited.misses,
      details: { calls: total },
    };
  },
});
