import * as z from 'zod';
import type { ToolCall } from '../../core/message.ts';
import { counted } from '../../core/text/format.ts';
import { allOrNothing, citing, decidedTurn, scored, turnsText } from '../shared/entries.ts';
import { deterministicType } from '../shared/kinds.ts';
import {
  byAgent,
  callKeys,
  countCalls,
  decidingCalls,
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
  ...callKeys,
});

export const toolNotCalled = deterministicType({
  type: 'tool-not-called',
  summary: 'The assistant did not call the tool, or any tool if none is named.',
  docs: {
    asks: 'Looks for calls to the tool in the chosen turns or, without `name`, for calls to any tool. With `args`, only calls with these arguments count. The verdict quotes every such call.',
    score: '1 if there is no such call, else 0; with `at: each`, turns without one ÷ chosen turns.',
    example: 'one of four turns calls `issue_refund` twice: 0, or 3 ÷ 4 = 0.75 with `at: each`.',
    yaml: `
      - type: tool-not-called
        name: issue_refund
    `,
  },
  params,
  decidedBy: decidingCalls,
  sees: () => ['tool_calls'],
  label: labelWithTool('tool-not-called'),
  faults: faultsOfArguments,
  check(input, wanted) {
    const { turns } = input;
    const describe = (call: ToolCall) => describeCall(call, input.scrub);
    const { found, total, each, passes, score, note } = countCalls(
      input,
      wanted,
      (count) => count === 0,
    );
    const what = `${wanted.name ?? 'a tool'}${wanted.args === undefined ? '' : ' with matching arguments'}${byAgent(wanted.agent, input)}`;
    // If several turns lack something together, no single turn is to blame.
    const shown =
      each || turns.length === 1 ? found : found.filter(({ calls }) => calls.length > 0);
    const entries = shown.map((one) => {
      const made = one.calls.map(describe).join('; ');
      const rationale = made === '' ? `no call to ${what}` : `called ${made}`;
      return decidedTurn(one.turn, passes(one), rationale);
    });
    const cite = (ones: typeof found) =>
      ones.flatMap(({ turn, calls }) =>
        calls.length === 0
          ? [citing(turn, `no call to ${what}`)]
          : calls.map((call) => citing(turn, `called ${describe(call)}`)),
      );
    const summary = `${turnsText(turns)}: ${counted(total, 'call')} to ${what}${note}`;
    const [hits, misses] = [shown.filter(passes), shown.filter((one) => !passes(one))];
    const cited =
      shown.length === 0
        ? allOrNothing(score === 1, [summary])
        : { hits: cite(hits), misses: cite(misses) };
    return scored(`${summary}.`, entries, {
      ...cited,
      score,
      value: total,
      details: { calls: total },
    });
  },
});
