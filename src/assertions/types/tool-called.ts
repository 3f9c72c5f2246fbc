import * as z from 'zod';
import { counted } from '../../core/text/format.ts';
import { decidedTurn, hitsAndMisses, scored, turnsText } from '../shared/entries.ts';
import { deterministicType } from '../shared/kinds.ts';
import {
  byAgent,
  callKeys,
  countCalls,
  decidingCalls,
  faultsOfArguments,
  labelWithTool,
} from '../shared/toolCalls.ts';

const params = z.strictObject({
  name: z.string().min(1).meta({ description: 'Name of the tool.', refersTo: 'tool' }),
  ...callKeys,
  times: z
    .int()
    .min(1)
    .optional()
    .meta({ description: 'The exact number of calls. Default: at least one.' }),
});

export const toolCalled = deterministicType({
  type: 'tool-called',
  summary: 'The assistant called the tool, with these arguments, this many times.',
  docs: {
    asks: 'Counts the calls to the tool with matching arguments in the chosen turns.',
    score:
      '1 if the tool was called at least once, or exactly `times`, else 0; with `at: each`, turns with that many calls ÷ chosen turns.',
    example:
      'with `times: 1`, two replies call the tool once each: 0, because there are 2 calls; with `at: each`, 2 ÷ 2 = 1.',
    yaml: `
      - type: tool-called
        name: lookup_order
        args: { order: '98765' }
        times: 1
    `,
  },
  params,
  decidedBy: decidingCalls,
  sees: () => ['tool_calls'],
  label: labelWithTool('tool-called'),
  faults: faultsOfArguments,
  check(input, wanted) {
    const { found, total, each, passes, score, note } = countCalls(input, wanted, (count) =>
      wanted.times === undefined ? count > 0 : count === wanted.times,
    );
    const shown = each ? found : found.filter(({ calls }) => calls.length > 0);
    const by = byAgent(wanted.agent, input);
    const entries = shown.map((one) => {
      const rationale = `${counted(one.calls.length, 'matching call')} to ${wanted.name}${by}`;
      return decidedTurn(one.turn, passes(one), rationale);
    });
    const like = wanted.args === undefined ? '' : ' with matching arguments';
    const summary = `${turnsText(input.turns)}: ${wanted.name} was called ${counted(total, 'time')}${by}${like}${note}`;
    const { misses } = hitsAndMisses(entries);
    return scored(`${summary}.`, entries, {
      score,
      value: total,
      misses: score < 1 && misses.length === 0 ? [summary] : misses,
      details: { calls: total },
    });
  },
});
