import type { Hover } from 'vscode-languageserver-types';
import { type Path, valueAt } from '../../core/data.ts';
import type { Position, Range } from '../../core/problem.ts';
import { messagesFileSchema } from '../../evalfile/messagesSchema.ts';
import { spokenMessages } from '../../evalfile/spokenMessages.ts';
import { parseTranscript } from '../../evalfile/transcript.ts';
import { keysAt, valuesAt } from '../../schema/schemaWalk.ts';
import type { YamlDocument } from '../../yaml/yamlDocument.ts';
import { contains } from '../place.ts';

/**
 * In a file of messages: on a key and on a role or type what it is, and everywhere in a message the
 * turn that it belongs to.
 *
 * @param path absolute
 */
export function messageHover(text: string, path: string, position: Position): Hover | undefined {
  const document = parseTranscript(text, path);
  const { path: place, onKey } = document.pathAt(position);
  const said = documentation(document, place, onKey, position);
  const turn = turnAt(document, place);
  if (!said && turn === undefined) return undefined;
  const value = [said?.markdown, turn].filter((part) => part !== undefined).join('\n\n');
  const range = said?.range ?? document.entryRangeOf(place);
  return { contents: { kind: 'markdown', value }, range };
}

function documentation(
  document: YamlDocument,
  path: Path,
  onKey: boolean,
  position: Position,
): { readonly markdown: string; readonly range: Range } | undefined {
  const last = path.at(-1);
  if (typeof last !== 'string') return undefined;
  if (onKey) {
    const keys = keysAt(messagesFileSchema, document.value, path.slice(0, -1));
    const key = keys.find(({ name }) => name === last);
    const markdown = `**${key?.name}**\n\n${key?.documentation ?? ''}`;
    return key && { markdown, range: document.keyRangeOf(path) };
  }
  const range = document.rangeOf(path);
  if (!contains(range, position)) return undefined;
  const given = valueAt(document.value, path);
  const known = valuesAt(messagesFileSchema, document.value, path).find(
    ({ value }) => value === given,
  );
  if (known?.documentation === undefined) return undefined;
  return { markdown: `**${known.value}** — ${known.documentation}`, range };
}

function turnAt({ value }: YamlDocument, [index]: Path): string | undefined {
  if (!Array.isArray(value) || typeof index !== 'number') return undefined;
  const { turn } = spokenMessages(value)[index] ?? {};
  const number = `Message ${index + 1} of ${value.length}`;
  return turn === undefined ? `${number}, in no turn.` : `${number}, in turn ${turn}.`;
}
