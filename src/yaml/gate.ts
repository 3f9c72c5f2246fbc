import { Composer, type CST, type Document, Lexer, Parser, type YAMLParseError } from 'yaml';
import { ReasonedError } from '../core/errors.ts';
import { LIMITS, readable } from '../core/limits.ts';
import type { Work } from '../node/cooperative.ts';

/** Codes of the problems that a refused text has. */
export const REFUSALS = ['too-deep', 'too-many-tokens', 'too-many-errors'] as const;

/** A text that exceeds a limit: none of it is read. */
export class Refusal extends ReasonedError<(typeof REFUSALS)[number]> {
  override readonly name = 'Refusal';
}

type Fault = ConstructorParameters<typeof YAMLParseError>;

/** Lexemes between two places at which the parser may rest. */
const STRETCH = 500;

/**
 * The document of a text and, if there are more, the second one, for as long as the text stays within
 * the limits.
 *
 * @throws Refusal
 */
export function* documentsWithin(
  text: string,
  options: ConstructorParameters<typeof Composer>[0],
): Work<readonly Document.Parsed[]> {
  let faults = 0;
  // Each fault takes kilobytes.
  const countFault = () => {
    faults += 1;
    if (faults <= LIMITS.syntaxErrors) return;
    const most = readable(LIMITS.syntaxErrors);
    const message = `This is not valid YAML: it has more than ${most} syntax errors.`;
    throw new Refusal('too-many-errors', message);
  };
  const composer = composerThat(countFault, options);
  const documents: Document.Parsed[] = [];
  for (const token of tokensWithin(text)) {
    if (token?.type === 'error') countFault();
    if (token) documents.push(...composer.next(token));
    else yield;
    if (documents.length > 1) return documents;
  }
  yield;
  return [...documents, ...composer.end(true, text.length)];
}

/** The tokens of a text, and nothing where their reader may rest. @throws Refusal */
export function* tokensWithin(text: string): Generator<CST.Token | undefined> {
  const parser = new Parser();
  let count = 0;
  for (const lexeme of new Lexer().lex(text)) {
    yield* parser.next(lexeme);
    count += 1;
    if (count % STRETCH === 0) yield;
    if (count > LIMITS.tokens) {
      const message = `The text has more than ${readable(LIMITS.tokens)} YAML tokens. Split it.`;
      throw new Refusal('too-many-tokens', message);
    }
    if (parser.stack.length > LIMITS.depth) {
      const message = `The text is nested more than ${LIMITS.depth} levels deep. Flatten it.`;
      throw new Refusal('too-deep', message);
    }
  }
  yield;
  yield* parser.end();
}

function composerThat(
  countFault: () => void,
  options: ConstructorParameters<typeof Composer>[0],
): Composer {
  const composer = new Composer(options);
  const { onError } = composer as unknown as { onError(...fault: Fault): void };
  return Object.assign(composer, {
    onError(...fault: Fault) {
      countFault();
      onError(...fault);
    },
  });
}
