export const EVAL_GLOB = '**/*.eval.{yaml,yml}';
export const MESSAGES_GLOB = '**/*.messages.{json,jsonl,yaml,yml}';

/** @param name of a file: its path or its address */
export function isEvalFile(name: string): boolean {
  return /\.eval\.ya?ml$/.test(name);
}

/** As `isEvalFile`, of a file of messages, whoever refers to it. */
export function isMessagesFile(name: string): boolean {
  return /\.messages\.(?:jsonl?|ya?ml)$/i.test(name);
}
