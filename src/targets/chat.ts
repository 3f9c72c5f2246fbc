import * as z from 'zod';
import { canonicalJson } from '../core/digest.ts';
import type { Message } from '../core/message.ts';
import { addUsage, NO_USAGE } from '../core/verdict.ts';
import { withDeadline } from './deadline.ts';
import { commonKeys } from './keys.ts';
import { TargetError, type TargetReply, type TargetType } from './target.ts';

const scriptedResult = z.union([
  z.string(),
  z
    .array(
      z.strictObject({
        args: z.record(z.string(), z.unknown()).optional().meta({
          description: 'Arguments that the call must have; any unless given.',
        }),
        result: z.string().meta({ description: 'What the tool answers.' }),
      }),
    )
    .min(1),
]);

const schema = z.strictObject({
  type: z.literal('chat').meta({ description: 'A model plays the assistant.' }),
  model: z
    .unknown()
    .meta({ description: 'The model: a name in `models`, `provider:model`, or a mapping.' }),
  tools: z.array(z.unknown()).optional().meta({ description: "Tools; the case's unless given." }),
  tool_results: z.record(z.string(), scriptedResult).optional().meta({
    description:
      'What tools answer, by name: a text, or a list of `{args?, result}` of which the first whose `args` are all in the call counts.',
  }),
  ...commonKeys,
});

type ToolResults = NonNullable<z.infer<typeof schema>['tool_results']>;

/** Rounds of tool calls within one reply, so that a model that only calls cannot go on for ever. */
const MAX_ROUNDS = 8;

export const chatTarget: TargetType = {
  type: 'chat',
  summary: 'A model with a system prompt, tools and scripted tool results',
  schema,
  repliesWithSystemTexts: false,
  keysDecide: true,
  async open(spec, { model, tools, timeout }) {
    const { tool_results = {}, timeout: own } = schema.parse(spec.params);
    if (!model) throw new TargetError('target-error', `The target "${spec.name}" has no model.`);
    const converse = async (
      messages: readonly Message[],
      signal: AbortSignal,
    ): Promise<TargetReply> => {
      const added: Message[] = [];
      let usage = NO_USAGE;
      for (let round = 0; round < MAX_ROUNDS; round += 1) {
        const request = { messages: [...messages, ...added], tools };
        const [reply] = await model.complete(request, 1, signal);
        usage = addUsage(usage, reply.usage);
        const content = [reply.text, reply.refusal ?? '']
          .filter((text) => text !== '')
          .join('\n\n');
        const toolCalls = [...reply.toolCalls];
        if (content === '' && toolCalls.length === 0) {
          throw new TargetError('target-malformed-reply', `${model.id} replied with nothing.`);
        }
        if (reply.finish === 'length') {
          const message = `The reply of ${model.id} was cut off at the token limit. Raise \`max_tokens\`.`;
          throw new TargetError('target-malformed-reply', message);
        }
        added.push({ role: 'assistant', content, ...(toolCalls.length > 0 && { toolCalls }) });
        if (toolCalls.length === 0) return { messages: added, usage };
        for (const call of toolCalls) {
          added.push({ role: 'tool', callId: call.id, content: resultFor(call, tool_results) });
        }
      }
      const message = `${model.id} called tools ${MAX_ROUNDS} times without a reply.`;
      throw new TargetError('target-error', message);
    };
    return {
      reply: (messages, signal) => withDeadline(converse(messages, signal), own ?? timeout, signal),
      close: async () => {},
    };
  },
};

function resultFor(
  { name, arguments: given }: { readonly name: string; readonly arguments: unknown },
  results: ToolResults,
): string {
  const scripted = results[name];
  if (typeof scripted === 'string') return scripted;
  const found = scripted?.find(({ args = {} }) =>
    Object.entries(args).every(
      ([key, value]) => canonicalJson(Reflect.get(Object(given), key)) === canonicalJson(value),
    ),
  );
  if (found) return found.result;
  const message = `The model called ${name} with ${JSON.stringify(given)}, and \`tool_results\` has no answer to that.`;
  throw new TargetError('target-error', message);
}
