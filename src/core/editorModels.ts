import { ReasonedError } from './errors.ts';
import type { Message, Tool } from './message.ts';

/** The models of the host editor, such as GitHub Copilot's. */
export interface EditorModels {
  /** @param name `vendor/family`, such as `copilot/gpt-4.1` */
  find(name: string): Promise<EditorModel | undefined>;
}

export interface EditorModel {
  /** The exact version. */
  readonly version: string;
  /** @throws EditorModelError; the signal's reason when aborted */
  send(request: EditorRequest, signal: AbortSignal): Promise<EditorReply>;
  countTokens(text: string): Promise<number>;
}

export interface EditorRequest {
  readonly messages: readonly Message[];
  readonly tools: readonly Tool[];
  /** Whether the model has to answer with a tool call. */
  readonly mustCall: boolean;
  readonly options: Readonly<Record<string, unknown>>;
}

export interface EditorReply {
  readonly text: string;
  readonly toolCalls: readonly {
    readonly id: string;
    readonly name: string;
    readonly arguments: unknown;
  }[];
}

export type EditorModelReason = 'no-consent' | 'quota-exceeded' | 'blocked' | 'not-found' | 'other';

export class EditorModelError extends ReasonedError<EditorModelReason> {
  override readonly name = 'EditorModelError';
}
