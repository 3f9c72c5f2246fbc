import { Composer, type CST, type Document, Lexer, Parser, type YAMLParseError } from 'yaml';
import { ReasonedError } from '../core/errors.ts';
import { LIMITS, readable } from '../core/limits.ts';

/** Codes of the problems that a refused text has. */
export const REFUSALS = ['too-deep', 'too-many-tokens', 'too-many-errors'] as const;

/** A text that exceeds a limit: none of it is read. */
export class Refusal extends ReasonedError<(typeof REFUSALS)[number]> {
  override readonly name = 'Refusal';
}

type Fault = ConstructorParameters<typeof YAMLParseError>;

/** The documents of a text for as long as it stays within the limits. @throws Refusal */
export function documentsWithin(
  text: string,
  options: ConstructorParameters<typeof Composer>[0],
): Iterable<Document.Parsed> {
  let faults = 0;
  // Each fault takes kilobytes.
  const countFault = () => {
    faults += 1;
    if (faults <= LIMITS.syntaxErrors) return;
    const most = readable(LIMITS.syntaxErrors);
    const message = `This is not valid YAML: it has more than ${most} syntax errors.`;
    throw new Refusal('too-many-errors', message);
  };
  const composer = new Composer(options);
  const { onError } = composer as unknown as { onError(...fault: Fault): void };
  Object.assign(composer, {
    onError(...fault: Fault) {
      countFault();
      onError(...fault);
    },
  });
  return composer.compose(tokensWithin(text, countFault), true, text.length);
}

function* tokensWithin(text: string, onFault: () => void): Generator<CST.Token> {
  const parser = new Parser();
  let count = 0;
  const all = function* (tokens: Iterable<CST.Token>) {
    for (const token of tokens) {
      if (token.type === 'error') onFault();
      yield token;
    }
  };
  for (const lexeme of new Lexer().lex(text)) {
    yield* all(parser.next(lexeme));
    count += 1;
    if (count > LIMITS.tokens) {
      const message = `The text has more than ${readable(LIMITS.tokens)} YAML tokens. Split it.`;
      throw new Refusal('too-many-tokens', message);
    }
    if (parser.stack.length > LIMITS.depth) {
      const message = `The text is nested more than ${LIMITS.depth} levels deep. Flatten it.`;
      throw new Refusal('too-deep', message);
    }
  }
  yield* all(parser.end());
}
