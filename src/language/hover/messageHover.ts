import type { Hover } from 'vscode-languageserver-types';
import type { Path } from '../../core/data/data.ts';
import type { Position } from '../../core/problem.ts';
import { paragraphs } from '../../core/text/markdown.ts';
import { messagesFileSchema } from '../../evalfile/messagesSchema.ts';
import { spokenMessages } from '../../evalfile/spokenMessages.ts';
import { parseTranscript } from '../../evalfile/transcript.ts';
import type { Work } from '../../node/cooperative.ts';
import type { YamlDocument } from '../../yaml/yamlDocument.ts';
import { documentation } from './keyMarkdown.ts';

/**
 * In a file of messages: on a key and on a role or type what it is, and everywhere in a message the
 * turn that it belongs to.
 *
 * @param path absolute
 */
export function* messageHover(
  text: string,
  path: string,
  position: Position,
): Work<Hover | undefined> {
  const document = yield* parseTranscript(text, path);
  const { path: place } = document.pathAt(position);
  const help = documentation(document, position, messagesFileSchema);
  const turn = turnAt(document, place);
  if (!help && turn === undefined) return undefined;
  const value = paragraphs(help?.markdown, turn);
  const range = help?.range ?? document.entryRangeOf(place);
  return { contents: { kind: 'markdown', value }, range };
}

function turnAt({ value }: YamlDocument, [index]: Path): string | undefined {
  if (!Array.isArray(value) || typeof index !== 'number') return undefined;
  const { turn } = spokenMessages(value)[index] ?? {};
  const number = `Message ${index + 1} of ${value.length}`;
  return turn === undefined ? `${number}, in no turn.` : `${number}, in turn ${turn}.`;
}
