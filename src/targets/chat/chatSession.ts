import type { Message, Tool } from '../../core/message.ts';
import { addUsage, NO_USAGE } from '../../core/verdict.ts';
import { type TimeLimit, withTimeLimit } from '../../models/endpoint/timeLimit.ts';
import {
  type Model,
  type ModelReply,
  type ModelRequest,
  type OriginalUsage,
  type Thoughts,
  usageOfFailure,
} from '../../models/model.ts';
import { checkLength } from '../replyLimits.ts';
import { type OnText, TargetError, type TargetReply, type TargetSession } from '../target.ts';
import { type Approvals, REFUSED } from './approvals.ts';
import type { ToolAnswers } from './toolAnswers.ts';

interface ChatSetup {
  readonly model: Model;
  readonly answers: ToolAnswers;
  readonly approvals: Approvals;
  readonly sampling: Partial<ModelRequest>;
  /** Maximum number of rounds of tool calls per reply. */
  readonly rounds: number;
  /** Milliseconds per reply. */
  readonly timeout: number;
}

/** A conversation with a model that plays the assistant. */
export class ChatSession implements TargetSession {
  readonly #setup: ChatSetup;
  #usage = NO_USAGE;
  #length = 0;
  #waited = 0;
  /** The servers' tools, as last reported. */
  #reported: readonly Tool[] | undefined;

  constructor(setup: ChatSetup) {
    this.#setup = setup;
  }

  reply(messages: readonly Message[], signal: AbortSignal, onText?: OnText): Promise<TargetReply> {
    const work = (stop: AbortSignal, limit: TimeLimit) =>
      this.#converse(messages, stop, limit, onText).finally(() => {
        this.#waited += limit.waited;
      });
    const { answers, timeout } = this.#setup;
    return withTimeLimit(work, timeout, signal, (late) => answers.lateError(late));
  }

  readonly spent = () => this.#usage;
  readonly waited = () => this.#waited;
  readonly startup = () => this.#setup.answers.startup();

  close(): Promise<void> {
    return this.#setup.answers.close();
  }

  async #converse(
    messages: readonly Message[],
    signal: AbortSignal,
    limit: TimeLimit,
    onText: OnText | undefined,
  ): Promise<TargetReply> {
    const { answers, approvals, model, rounds } = this.#setup;
    limit.onWait(true);
    await answers.start(signal).finally(() => limit.onWait(false));
    const added: Message[] = [];
    const unscrubbed: Message[] = [];
    // The endpoint needs these only until the reply is complete.
    const thoughts = new Map<Message, Thoughts>();
    let length = 0;
    const add = (message: Message, exact = message) => {
      added.push(message);
      unscrubbed.push(exact);
      const size = JSON.stringify(message).length;
      length += size;
      this.#length += size;
      checkLength(length, this.#length);
    };
    this.#usage = NO_USAGE;
    let past: OriginalUsage<typeof NO_USAGE> = { usage: NO_USAGE, latency: 0 };
    let isCached = false;
    const replyOf = (): TargetReply => {
      const tools = answers.reported !== this.#reported && { tools: answers.tools };
      this.#reported = answers.reported;
      return {
        messages: added,
        ...tools,
        usage: this.#usage,
        ...(isCached && { past }),
        ...(unscrubbed.some((message, index) => message !== added[index]) && { unscrubbed }),
      };
    };
    for (const { call, isAllowed } of approvals.decide(messages)) {
      const content = isAllowed ? await answers.answer(call, signal, limit) : REFUSED;
      add({ role: 'tool', callId: call.id, content });
    }
    for (let round = 0; ; round += 1) {
      await answers.refresh(signal, limit);
      const request = {
        ...this.#setup.sampling,
        messages: approvals.forModel([...messages, ...added]),
        tools: answers.tools,
        thoughts,
        onWait: limit.onWait,
        ...(onText && { onText: (text: string) => onText(joinTexts([...textsIn(added), text])) }),
      };
      const [reply] = await model.complete(request, 1, signal).catch((error) => {
        this.#usage = addUsage(this.#usage, usageOfFailure(error));
        throw error;
      });
      this.#usage = addUsage(this.#usage, reply.usage);
      const { usage: used, latency } = reply.past ?? { usage: reply.usage, latency: 0 };
      past = { usage: addUsage(past.usage, used), latency: past.latency + latency };
      isCached ||= reply.past !== undefined;
      const said = replyMessageOf(reply, model);
      if (reply.thoughts) thoughts.set(said, reply.thoughts);
      add(said, reply.unscrubbed && replyMessageOf(reply.unscrubbed, model));
      if (reply.toolCalls.length === 0) return replyOf();
      if (round === rounds) {
        const message = `${model.id} called tools more than ${rounds} times without a reply. Raise \`max_tool_rounds\` if it needs more.`;
        throw new TargetError('target-error', message);
      }
      for (const call of reply.toolCalls) {
        const policy = approvals.policyOf(call);
        if (policy === 'ask') continue;
        const content = policy === 'refuse' ? REFUSED : await answers.answer(call, signal, limit);
        add({ role: 'tool', callId: call.id, content });
      }
      const asked = reply.toolCalls.filter((call) => approvals.policyOf(call) === 'ask');
      if (asked.length === 0) continue;
      add(approvals.ask(asked, messages.length + added.length));
      return replyOf();
    }
  }
}

/** @throws TargetError if the reply is empty or truncated */
function replyMessageOf(
  { text, refusal = '', toolCalls, finish }: ModelReply,
  { id }: Model,
): Message {
  if (finish === 'error') {
    const message = `The endpoint of ${id} reported an error in the middle of the reply.`;
    throw new TargetError('target-malformed-reply', message);
  }
  const content = joinTexts([text, refusal]);
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

function joinTexts(texts: readonly string[]): string {
  return texts.filter((text) => text !== '').join('\n\n');
}
