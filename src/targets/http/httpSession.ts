import type { Message } from '../../core/message.ts';
import { toOpenaiChat } from '../../messages/openaiChat.ts';
import type { OnText, TargetReply } from '../target.ts';
import { type Answer, type Pointers, readEvents, readWhole } from './answer.ts';
import { fillBody } from './bodyTemplate.ts';
import {
  isEventStream,
  type OutgoingRequest,
  type PendingReply,
  RemoteSession,
  type RemoteSetup,
  readBytes,
  send,
  targetError,
} from './send.ts';

interface HttpSetup extends Pointers, RemoteSetup {
  readonly method: string;
  readonly body: unknown;
}

export class HttpSession extends RemoteSession<HttpSetup> {
  /** Starts with Turnlight's id if the service has no sessions. */
  #session: string | null = this.setup.session === undefined ? this.host.conversationId : null;

  async reply(
    messages: readonly Message[],
    signal: AbortSignal,
    onText: OnText = () => {},
  ): Promise<TargetReply> {
    const { reply, session } = await this.run(signal, (pending) =>
      this.#ask(messages, pending, onText),
    );
    this.#session = session ?? this.#session;
    if (this.#session === null) {
      const message = `The answer has no text at \`session\` (${this.setup.session}), so the next message would start another conversation.`;
      throw targetError(message);
    }
    this.countReply(JSON.stringify(reply.messages).length);
    return reply;
  }

  async #ask(messages: readonly Message[], pending: PendingReply, onText: OnText): Promise<Answer> {
    const request = this.#request(messages);
    const response = await send(request, pending);
    const bytes = readBytes(request, response, pending);
    return isEventStream(response)
      ? readEvents(bytes, this.setup, onText, this.replies + 1)
      : readWhole(bytes, this.setup, this.replies + 1);
  }

  #request(messages: readonly Message[]): OutgoingRequest {
    const { url, method, headers, body } = this.setup;
    const values = {
      message: messages.at(-1)?.content ?? '',
      messages: messages.map(toOpenaiChat),
      session: this.#session,
      conversation: this.host.conversationId,
      context: this.host.context,
    };
    return {
      url,
      method,
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream;q=0.9, */*;q=0.1',
        ...lowerCaseNames(headers),
        ...this.traceHeaders(),
      },
      body: fillBody(body, values),
    };
  }
}

/** Lowercases header names, so that the user's headers override the defaults. */
function lowerCaseNames(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
}
