/** Whether a file is one of messages by its name, whoever refers to it. */
export function isMessagesFile(path: string): boolean {
  return /\.messages\.(?:jsonl?|ya?ml)$/i.test(path);
}
