/** The parsed body of a chat request. */
export interface ChatBody {
  readonly model: string;
  readonly messages: readonly ChatBodyMessage[];
  readonly response_format?: {
    readonly type: string;
    readonly json_schema?: { readonly name: string; readonly schema: unknown };
  };
  readonly [key: string]: unknown;
}

export interface ChatBodyMessage {
  readonly role: string;
  readonly content: string | null;
  readonly [key: string]: unknown;
}
