import { dirname } from 'node:path';
import type { ScriptInput } from 'turnlight';
import * as z from 'zod';
import { agentOf, textOf, turnsOf } from '../../core/conversation.ts';
import { mean, reaches } from '../../core/scoring.ts';
import { programKeys, type UserCode } from '../../core/userCode.ts';
import type { TurnVerdict } from '../../core/verdict.ts';
import type { AssertionInput, Outcome } from '../contract.ts';
import { lookUpQuote, notApplicable, scored } from '../shared/entries.ts';
import { procedureType } from '../shared/kinds.ts';

const params = z.strictObject({
  path: z.string().min(1).optional().meta({
    description: 'A `.js`, `.mjs` or `.ts` file, relative to this file.',
    file: 'script',
  }),
  export: z.string().min(1).optional().meta({
    description: 'Name of the function that the file exports.',
    default: 'default',
  }),
  command: z
    .array(z.string().min(1).meta({ file: 'program' }))
    .min(1)
    .optional()
    .meta({
      description:
        "Instead of `path`: a program and its arguments, run without a shell in this file's folder. It reads JSON from stdin, prints JSON to stdout, and logs to stderr.",
    }),
  options: z
    .record(z.string(), z.unknown())
    .default({})
    .meta({ description: 'Passed to the function or program as `options`.' }),
  timeout: z.int().min(1).optional().meta({
    description:
      'Time limit in milliseconds. Default: the setting `turnlight.timeout`, or `--timeout`.',
  }),
  ...programKeys,
});

export const script = procedureType({
  type: 'script',
  summary: 'Your function or program decides.',
  docs: {
    asks: "Passes the conversation to your function, or to your program in any language. It runs in its own process, and only in a trusted workspace. A function returns (and a program prints, as JSON) true or false, a score from 0 to 1, an object with `score`, `label`, `rationale`, `turns`, and `details`, or `{ skipped: 'why' }` if it doesn't apply. Without a `score`, the score is the mean over the `turns`. The type `Script` of the package `turnlight` describes the input and the return value.",
    score: 'the returned score; true is 1, and false is 0. With `negate`, 1 minus the score.',
    example:
      'the `turns` have the scores 1 and 0.5, and there is no `score`: (1 + 0.5) ÷ 2 = 0.75.',
    skipped: 'if the script returns `skipped`.',
    yaml: `
      - type: script
        path: ./checks/order-number.ts
        options: { word: order }
      - type: script
        name: in Python
        command: [python3, ./checks/order_number.py]
        options: { word: order }
    `,
    program: `
      import type { Script } from 'turnlight';

      const check: Script = ({ conversation, options }) => ({
        turns: conversation.turns
          .filter(({ side }) => side === 'assistant')
          .map(({ number, text }) => ({
            turn: number,
            score: text.includes(String(options.word)) ? 1 : 0,
            rationale: 'looked for the word',
          })),
      });
      export default check;
    `,
  },
  params,
  defaultThreshold: 1,
  side: 'both',
  readsContext: true,
  readsFacts: true,
  asksJudge: false,
  plan: () => [],
  faults: ({ path, command, export: exported }) => {
    if (path === undefined && command === undefined) {
      return [{ path: [], message: 'A script needs a `path` or a `command`.' }];
    }
    if (command === undefined) return [];
    if (path !== undefined) {
      return [{ path: ['command'], message: 'Set either `path` or `command`, not both.' }];
    }
    const message = '`export` works only with `path`, because a program has no exports. Remove it.';
    return exported === undefined ? [] : [{ path: ['export'], message }];
  },
  run: async (input, own, toolbox) =>
    conclude(await toolbox.script(codeOf(own, input), scriptInput(input, own.options)), input),
});

function codeOf(own: z.infer<typeof params>, { assertion }: AssertionInput): UserCode {
  const { path = '', export: exported = 'default', command, timeout, env, pass_env } = own;
  const runs = command
    ? { kind: 'program' as const, command, folder: dirname(assertion.source.path) }
    : { kind: 'function' as const, path, exported };
  return { runs, timeout, env, pass_env };
}

function scriptInput(
  { conversation, turns, facts }: AssertionInput,
  options: Readonly<Record<string, unknown>>,
): ScriptInput {
  const { id, conversationId = null, role, topics, tools, expectations, context } = facts;
  return {
    case: id,
    conversation: {
      id: conversationId,
      system: conversation.entries
        .filter((entry) => entry.kind === 'system')
        .map(({ text }) => text),
      turns: turnsOf(conversation).map((turn) => ({
        number: turn.number,
        side: turn.side,
        text: textOf(turn),
        tool_calls: turn.items
          .filter((item) => item.kind === 'tool-call')
          .map(({ call, agent = null, result = null }) => ({
            name: call.name,
            arguments: call.arguments,
            agent,
            result,
          })),
        agents: [...new Set(turn.items.flatMap((item) => agentOf(item) ?? []))],
        retrieval_context: turn.retrievalContext ?? [],
        expected: turn.expected ?? null,
        latency: turn.latency ?? null,
      })),
    },
    chosen: turns.map(({ number }) => number),
    role: role ?? null,
    topics,
    tools,
    expectations,
    context,
    options,
  };
}

/** @throws Error if the function returned an invalid value */
function conclude(returned: unknown, input: AssertionInput): Outcome {
  const read = scriptResultSchema.safeParse(returned);
  if (!read.success) {
    const problems = z.prettifyError(read.error).replaceAll('\n', ' ');
    throw new Error(`The script returned an invalid value: ${problems}`);
  }
  const { data } = read;
  if (typeof data === 'object' && 'skipped' in data) {
    return notApplicable('not-applicable', data.skipped);
  }
  const result: ScriptVerdict = typeof data === 'object' ? data : { score: Number(data) };
  const turns = entriesOf(result, input);
  const score = result.score ?? mean((result.turns ?? []).map((entry) => entry.score));
  if (score === undefined) {
    throw new Error('The script returned neither a `score` nor `turns`.');
  }
  const { label, value, details = {} } = result;
  return scored(result.rationale ?? `The script returned ${score}.`, turns, {
    score: input.assertion.negate ? 1 - score : score,
    ...(label !== undefined && { label }),
    ...(value !== undefined && { value }),
    details,
  });
}

function entriesOf({ turns = [] }: ScriptVerdict, input: AssertionInput): TurnVerdict[] {
  const known = turnsOf(input.conversation);
  const { threshold, negate } = input.assertion;
  const numbers = turns.map(({ turn }) => turn);
  const twice = numbers.find((number, index) => numbers.indexOf(number) < index);
  if (twice !== undefined) throw new Error(`The script returned turn ${twice} twice.`);
  return turns.map(({ turn: number, score: given, rationale, evidence }) => {
    if (!known.some((one) => one.number === number)) {
      throw new Error(`The script returned turn ${number}, which does not exist.`);
    }
    const score = negate ? 1 - given : given;
    return {
      turn: number,
      status: reaches(score, threshold) ? 'pass' : 'fail',
      score,
      rationale,
      ...(evidence !== undefined && { evidence: lookUpQuote(known, number, evidence) }),
    };
  });
}

/**
 * The result of a script. `types/index.d.ts` declares the same type for script authors; a test checks that they match.
 */
const unit = z.number().min(0).max(1);

const skippedSchema = z.strictObject({ skipped: z.string() });

const verdictSchema = z.strictObject({
  score: unit.optional(),
  label: z.string().optional(),
  value: z.union([z.string(), z.number()]).optional(),
  rationale: z.string().optional(),
  turns: z
    .array(
      z.strictObject({
        turn: z.int().min(1),
        score: unit,
        rationale: z.string(),
        evidence: z.string().optional(),
      }),
    )
    .optional(),
  details: z.record(z.string(), z.unknown()).optional(),
});

export const scriptResultSchema = z.union([z.boolean(), unit, skippedSchema, verdictSchema]);

type ScriptVerdict = z.infer<typeof verdictSchema>;
