/** What the body of a target's request can refer to, beside the keys of the case's context. */
export const REQUEST_VARIABLES = {
  message: 'the last user message',
  messages: "the conversation so far, in OpenAI's chat format",
  session: 'the session; null until the service has named it',
  conversation: 'an id of the conversation, another for each repetition, variant and run',
} as const;

/** Before the name of a key of the case's context. */
export const CONTEXT_PREFIX = 'context.';
