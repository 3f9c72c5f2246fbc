import * as z from 'zod';
import type { Turn } from '../../core/conversation.ts';
import type { Tool } from '../../core/message.ts';
import { mean } from '../../core/scoring.ts';
import { fence } from '../../core/text/visibleText.ts';
import type { AssertionInput, Mistake } from '../contract.ts';
import { contradiction, rangeMistake } from '../shared/answerMistakes.ts';
import { citing, turnsAnswer } from '../shared/entries.ts';
import { judgedType, type OwnQuestion } from '../shared/kinds.ts';
import { CALL_SCALES } from '../shared/questions.ts';
import { callsOf } from '../shared/toolCalls.ts';

const INSTRUCTIONS = `Question: does the assistant use its tools as it should?

A turn is applicable if it calls a tool, or should have called one and did not. Give it:
- \`selection\`, 0 to 1: 1 if it called just the tools that the situation needed; 0.5 if it called the right one and
  another was missing or needless; 0 if it called only wrong ones, or none although one was needed;
- ${CALL_SCALES}`;

export const toolUse = judgedType({
  type: 'tool-use',
  summary: 'Were the right tools called with the right arguments?',
  like: 'DeepEval',
  docs: {
    asks: 'Needs `tools`. The judge rates each assistant turn that called a tool or should have: the selection of tools and the arguments.',
    score: 'min(mean selection, mean arguments).',
    example:
      'the selections of two turns score 1 and 1, and their arguments score 1 and 0.5: min(1, 0.75) = 0.75.',
    skipped: 'if no tool was called or needed.',
    differences: `
      - A turn that makes no tool calls, and doesn't need any, isn't counted. DeepEval rates the selection of tools in every exchange, which raises the mean.
      - If no tool was called or needed, the verdict is skipped. DeepEval scores 0, since no arguments were rated.
    `,
    yaml: `
      tools:
        - name: get_weather
          description: The current weather of a city.
      defaults:
        assert:
          - type: tool-use
            threshold: 0.7
    `,
  },
  sees: () => ['tool_calls'],
  needs({ tools }, { offersTools }) {
    if (tools.length > 0 || offersTools) return undefined;
    return 'tool-use needs the tools the assistant may call: add `tools` to the case or the file.';
  },
  question: (input) => toolUseQuestion(INSTRUCTIONS, input.facts.tools, input),
});

const argumentsSchema = z.object({
  given: z.number(),
  right: z.number(),
  missing: z.number(),
});

type ArgumentCounts = z.infer<typeof argumentsSchema>;

const answerSchema = turnsAnswer({
  selection: z.number(),
  arguments: argumentsSchema.nullable(),
});

type Answer = z.infer<typeof answerSchema>;
type Entry = Answer['turns'][number];

/**
 * Rates the tools that a turn chose, and their arguments. Score: min(mean selection, mean arguments), over the turns
 * that made calls or should have.
 *
 * @param about `listed` to ignore calls to tools other than `tools`
 */
export function toolUseQuestion(
  instructions: string,
  tools: readonly Tool[],
  input: AssertionInput,
  about: 'all' | 'listed' = 'all',
): OwnQuestion<Answer> {
  const { turns } = input;
  const names = about === 'all' ? undefined : new Set(tools.map((tool) => tool.name));
  return {
    instructions: `${instructions}\n\nWhat it may call:\n${fence(tools.map((tool) => JSON.stringify(tool)).join('\n'))}`,
    answer: answerSchema,
    mistakes: (answer) =>
      answer.turns.flatMap((entry) => entryMistakes(entry, callsIn(turns, entry.turn, names))),
    scoreOf,
    conclude(answer) {
      const judged = answer.turns.filter(({ applicable }) => applicable);
      const selection = mean(judged.map((entry) => entry.selection));
      if (selection === undefined) {
        const rationale = `No tool was called, and none was needed. ${answer.rationale}`;
        return { reason: 'no-tool-needed', rationale };
      }
      const given = mean(
        judged.flatMap(({ arguments: counts }) => (counts ? [shareOfArguments(counts)] : [])),
      );
      const cite = (entry: Entry) => citing(entry.turn, entry.rationale);
      const flawless = (entry: Entry) => scoreOf(entry) >= 1;
      return {
        score: Math.min(selection, given ?? selection),
        hits: judged.filter(flawless).map(cite),
        misses: judged.filter((entry) => !flawless(entry)).map(cite),
        details: { selection, arguments: given ?? null },
      };
    },
  };
}

/** Whether a turn calls judged tools, only other tools, or none. */
type Calls = 'judged' | 'other' | 'none';

/** @param names the judged tools' names. Default: all. */
function callsIn(
  turns: readonly Turn[],
  number: number,
  names: ReadonlySet<string> | undefined,
): Calls {
  const turn = turns.find((one) => one.number === number);
  const calls = turn ? callsOf(turn) : [];
  if (calls.length === 0) return 'none';
  return calls.some(({ name }) => names === undefined || names.has(name)) ? 'judged' : 'other';
}

function entryMistakes(entry: Entry, calls: Calls): Mistake[] {
  const { turn, applicable, selection, arguments: given } = entry;
  const called = calls === 'judged';
  if (!applicable) {
    return called ? [contradiction(`Turn ${turn} calls something, so it is applicable.`)] : [];
  }
  if (calls !== 'other' && called !== (given !== null)) {
    const text = called
      ? `Turn ${turn} calls something, so \`arguments\` must hold its counts.`
      : `Turn ${turn} calls nothing, so \`arguments\` must be null.`;
    return [contradiction(text)];
  }
  return [
    ...rangeMistake(selection, [0, 1], `\`selection\` of turn ${turn}`),
    ...(given === null ? [] : countMistakes(given, turn)),
  ];
}

function countMistakes(counts: ArgumentCounts, turn: number): Mistake[] {
  const { given, right, missing } = counts;
  const whole = [given, right, missing].every((count) => Number.isInteger(count) && count >= 0);
  if (whole && right <= given) return [];
  const text = `\`arguments\` of turn ${turn} must be counts from 0, with no more \`right\` than \`given\`.`;
  return [{ reason: 'out-of-range', text }];
}

/** right ÷ (given + missing); 1 if no argument was given or needed. */
function shareOfArguments({ given, right, missing }: ArgumentCounts): number {
  const wanted = given + missing;
  return wanted === 0 ? 1 : right / wanted;
}

function scoreOf({ selection, arguments: counts }: Entry): number {
  return counts === null ? selection : Math.min(selection, shareOfArguments(counts));
}
