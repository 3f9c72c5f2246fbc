import * as z from 'zod';
import type { AssertionInput, Mistake, NotApplicable } from '../contract.ts';
import { contradiction } from '../shared/answerMistakes.ts';
import { citing, notApplicable, turnsAnswer, verdictSchema } from '../shared/entries.ts';
import { judgedType, type OwnQuestion } from '../shared/kinds.ts';
import { callsOf } from '../shared/toolCalls.ts';

const INSTRUCTIONS = `Question: is any tool call of the assistant wasted?

In each turn list under \`wasted\` the calls that should not have been made, each \`call\` by its place
in that turn from 1: \`repeated\` if the same was called before with the same arguments and nothing had changed since;
\`needless\` if what it gives was known already or is not used; \`redundant\` if one call would have done for
several. A call that corrects or retries a failed one is not wasted.

A turn fails if it wastes a call, even next to useful ones, else it passes. Every turn is applicable.`;

const answerSchema = turnsAnswer({
  wasted: z.array(
    z.object({
      call: z.number(),
      why: z.string(),
      kind: z.enum(['repeated', 'needless', 'redundant']),
    }),
  ),
  verdict: verdictSchema,
});

type Answer = z.infer<typeof answerSchema>;

export const toolCallEfficiency = judgedType({
  type: 'tool-call-efficiency',
  summary: 'Is every tool call needed?',
  like: 'MLflow',
  docs: {
    asks: 'The judge lists the calls that are repeated, unnecessary, or redundant.',
    score: '1 (`yes`) if no call is wasted, else 0 (`no`).',
    example:
      'two of three calls look up the same order, in turns 2 and 4: 0, and `misses` lists turn 4.',
    skipped: 'without asking the judge if no tool was called.',
    differences:
      "- None known in the score: yes is 1, and no is 0. MLflow's judge reads the trace; Turnlight's judge reads the tool calls in the conversation.",
    yaml: '- type: tool-call-efficiency',
  },
  defaultThreshold: 1,
  sees: () => ['tool_calls'],
  idle: (_facts, { hasToolCalls }) =>
    hasToolCalls === false ? 'the conversation has no tool calls' : undefined,
  question(input): OwnQuestion<Answer> | NotApplicable {
    const turns = input.turns.filter((turn) => callsOf(turn).length > 0);
    if (turns.length === 0) return notApplicable('no-tool-called', 'No tool was called.');
    return {
      instructions: INSTRUCTIONS,
      turns,
      answer: answerSchema,
      mistakes: (answer) => answer.turns.flatMap((entry) => entryMistakes(entry, turns)),
      conclude(answer) {
        const wasted = answer.turns.flatMap((entry) =>
          entry.wasted.map((one) => ({ turn: entry.turn, ...one })),
        );
        return {
          score: wasted.length === 0 ? 1 : 0,
          label: wasted.length === 0 ? 'yes' : 'no',
          misses: wasted.map(({ turn, call, kind, why }) =>
            citing(turn, `call ${call} is ${kind}: ${why}`),
          ),
          details: { wasted },
        };
      },
    };
  },
});

function entryMistakes(
  { turn: number, applicable, verdict, wasted }: Answer['turns'][number],
  turns: AssertionInput['turns'],
): Mistake[] {
  const turn = turns.find((one) => one.number === number);
  const calls = turn ? callsOf(turn).length : 0;
  const mistakes: Mistake[] = wasted
    .filter(({ call }) => call < 1 || call > calls || !Number.isInteger(call))
    .map(({ call }) => ({
      reason: 'out-of-range',
      text: `Turn ${number} has ${calls === 1 ? '1 call' : `${calls} calls`}; there is no call ${call}.`,
    }));
  if (!applicable) {
    mistakes.push(contradiction(`Turn ${number} must be applicable, as all are.`));
  } else if ((verdict === 'fail') !== wasted.length > 0) {
    mistakes.push(contradiction(`Turn ${number} must fail exactly when it wastes a call.`));
  }
  return mistakes;
}
