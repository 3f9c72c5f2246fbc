import type { CompletionItem } from 'vscode-languageserver-types';
import type { Position } from '../../core/problem.ts';
import type { CompletionContext } from './completion/context.ts';
import { fits, valueItems } from './completion/items.ts';
import { beginItems, keyItems } from './completion/keys.ts';
import { nameChoices, toolKeys } from './completion/names.ts';
import { pathChoices } from './completion/paths.ts';
import { placeAt } from './completion/place.ts';
import { turnChoices, turnWords } from './completion/turns.ts';
import { enumerated } from './completion/values.ts';
import { variableItems, variablesAt } from './completion/variables.ts';

/**
 * What can be written at a place of an eval file, be it half-written: keys, values, names, paths,
 * turns and, within `{{`, variables. Never a key that is there already, and nothing in free text
 * and comments.
 *
 * @param path absolute
 */
export async function completion(
  text: string,
  path: string,
  position: Position,
  context: CompletionContext = {},
): Promise<CompletionItem[]> {
  const place = placeAt(text, position);
  if (!place) return [];
  const { snippets = false } = context;
  if (place.variable) {
    return place.onKey ? [] : variableItems(variablesAt(place, text), place.variable, place.style);
  }
  if (place.style === 'block') return [];
  if (place.onKey) {
    return [...keyItems(place, snippets), ...valueItems(toolKeys(place), place, snippets)];
  }
  const words = turnWords(place);
  const choices = [
    ...nameChoices(place, text, context.including),
    ...enumerated(place).filter(({ label }) => words === undefined || words.has(label)),
    ...(await turnChoices(place, path, context)),
    ...(await pathChoices(place, path, context)),
  ];
  return [
    ...beginItems(place, snippets),
    ...valueItems(
      choices.filter(({ label, value = label }) => fits(String(value), place.typed)),
      place,
      snippets,
    ),
  ];
}
