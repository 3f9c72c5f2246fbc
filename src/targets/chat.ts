import { resolve } from 'node:path';
import * as z from 'zod';
import { type Message, toolsSchema } from '../core/message.ts';
import { addUsage, NO_USAGE } from '../core/verdict.ts';
import type { TimeLimit } from '../models/endpoint/timeLimit.ts';
import { type Model, type ModelReply, type Thoughts, usageOfFailure } from '../models/model.ts';
import { withDeadline } from './deadline.ts';
import { commonKeys } from './keys.ts';
import { tooLong } from './replyLimits.ts';
import { type HearText, TargetError, type TargetReply, type TargetType } from './target.ts';
import { answerKeys, ToolAnswers, unansweredTools } from './toolAnswers.ts';

const DEFAULT_ROUNDS = 10;

const schema = z.strictObject({
  type: z.literal('chat').meta({ description: 'A model plays the assistant.' }),
  model: z.unknown().meta({
    description: 'The model: a name in `models`, `provider:model`, or a mapping.',
    refersTo: 'model',
  }),
  tools: toolsSchema.optional().meta({
    description: "Tools the model may call. Default: the case's tools.",
  }),
  ...answerKeys,
  max_tool_rounds: z.int().min(1).optional().meta({
    description: 'How many rounds of tool calls one reply may take.',
    default: DEFAULT_ROUNDS,
  }),
  ...commonKeys,
});

export const chatTarget: TargetType = {
  type: 'chat',
  summary:
    'A model with a system prompt and tools, answered by scripted results or by your functions',
  schema,
  repliesWithSystemTexts: false,
  keysDecide: true,
  reportsAll: true,
  files: ({ folder, params: { tool_module } }) =>
    typeof tool_module === 'string' ? [resolve(folder, tool_module)] : [],
  unansweredTools,
  async open(spec, host) {
    const { model } = host;
    if (!model) throw new TargetError('target-error', `The target "${spec.name}" has no model.`);
    const params = schema.parse(spec.params);
    const { timeout = host.timeout, max_tool_rounds: rounds = DEFAULT_ROUNDS } = params;
    const tools = spec.tools ?? host.tools;
    const answers = new ToolAnswers(spec, tools, timeout, host);
    let usage = NO_USAGE;
    let replies = 0;
    let waited = 0;
    const converse = async (
      messages: readonly Message[],
      signal: AbortSignal,
      limit: TimeLimit,
      hear: HearText | undefined,
    ): Promise<TargetReply> => {
      limit.waits(true);
      await answers.start(signal).finally(() => limit.waits(false));
      const added: Message[] = [];
      // Wanted back until the reply is complete, and not after it.
      const thoughts = new Map<Message, Thoughts>();
      let length = 0;
      const add = (message: Message) => {
        added.push(message);
        const size = JSON.stringify(message).length;
        length += size;
        replies += size;
        const why = tooLong(length, replies);
        if (why !== undefined) throw new TargetError('target-too-much-output', why);
      };
      usage = NO_USAGE;
      let past = { usage: NO_USAGE, latency: 0 };
      let recalled = false;
      for (let round = 0; ; round += 1) {
        const request = {
          messages: [...messages, ...added],
          tools,
          thoughts,
          waits: limit.waits,
          ...(hear && { hear: (text: string) => hear(joined([...textsIn(added), text])) }),
        };
        const [reply] = await model.complete(request, 1, signal).catch((error) => {
          usage = addUsage(usage, usageOfFailure(error));
          throw error;
        });
        usage = addUsage(usage, reply.usage);
        const { usage: used, latency } = reply.past ?? { usage: reply.usage, latency: 0 };
        past = { usage: addUsage(past.usage, used), latency: past.latency + latency };
        recalled ||= reply.past !== undefined;
        const said = spoken(reply, model);
        if (reply.thoughts) thoughts.set(said, reply.thoughts);
        add(said);
        if (reply.toolCalls.length === 0) {
          return { messages: added, usage, ...(recalled && { past }) };
        }
        if (round === rounds) {
          const message = `${model.id} called tools more than ${rounds} times without a reply. Raise \`max_tool_rounds\` if it needs more.`;
          throw new TargetError('target-error', message);
        }
        for (const call of reply.toolCalls) {
          const content = await answers.answer(call, signal);
          add({ role: 'tool', callId: call.id, content });
        }
      }
    };
    return {
      reply: (messages, signal, hear) =>
        withDeadline(
          (bound, limit) =>
            converse(messages, bound, limit, hear).finally(() => {
              waited += limit.waited;
            }),
          timeout,
          signal,
        ),
      spent: () => usage,
      waited: () => waited,
      startup: () => answers.startup(),
      close: () => answers.close(),
    };
  },
};

/** @throws TargetError where it holds nothing, or was cut off */
function spoken({ text, refusal = '', toolCalls, finish }: ModelReply, { id }: Model): Message {
  if (finish === 'error') {
    const message = `The endpoint of ${id} reported an error in the middle of the reply.`;
    throw new TargetError('target-malformed-reply', message);
  }
  const content = joined([text, refusal]);
  if (content === '' && toolCalls.length === 0) {
    throw new TargetError('target-empty-reply', `${id} returned an empty reply.`);
  }
  if (finish === 'length') {
    const message = `The reply of ${id} was cut off at the token limit. Raise \`max_tokens\`.`;
    throw new TargetError('target-malformed-reply', message);
  }
  return { role: 'assistant', content, ...(toolCalls.length > 0 && { toolCalls: [...toolCalls] }) };
}

function textsIn(messages: readonly Message[]): string[] {
  return messages.flatMap(({ role, content }) => (role === 'assistant' ? [content] : []));
}

function joined(texts: readonly string[]): string {
  return texts.filter((text) => text !== '').join('\n\n');
}
