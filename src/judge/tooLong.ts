import type { Turn } from '../core/conversation.ts';
import type { Model } from '../models/model.ts';
import { JudgeError } from './ask.ts';

interface Reader {
  readonly model: Model;
  readonly maxInputTokens: number | undefined;
}

/** @param turns a judged turn, and those before it that must be shown with it */
export function tooLong(reader: Reader, [turn, before]: readonly Turn[] = []): JudgeError {
  const alone = before === undefined ? 'alone' : `with turn ${before.number} before it`;
  const what = turn === undefined ? 'What is to be judged' : `Turn ${turn.number} ${alone}`;
  return new JudgeError(
    'too-long',
    `${what} does not fit into ${windowOf(reader)}. Use a judge that reads more.`,
  );
}

export function windowOf({ model, maxInputTokens = 0 }: Reader): string {
  return `the ${maxInputTokens} tokens that ${model.id} reads (\`max_input_tokens\`)`;
}
