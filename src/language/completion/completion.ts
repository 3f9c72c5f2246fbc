import type { CompletionItem } from 'vscode-languageserver-types';
import type { Position } from '../../core/problem.ts';
import { inSteps, stepsOf } from '../../core/steps.ts';
import type { CompletionContext } from '../ports.ts';
import { cursorAt } from './cursor.ts';
import { fits, valueItems } from './items.ts';
import { beginItems, keyItems } from './keys.ts';
import { pathChoices } from './paths.ts';
import { symbolChoices } from './symbolChoices.ts';
import { turnChoices, turnWords } from './turns.ts';
import { enumerated } from './values.ts';
import { variableItems, variablesAt } from './variables.ts';

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
  step = stepsOf(),
): Promise<CompletionItem[]> {
  const cursor = await inSteps(cursorAt(text, position), step);
  if (!cursor) return [];
  const { snippets = false } = context;
  if (cursor.variable) {
    return cursor.onKey
      ? []
      : variableItems(
          await inSteps(variablesAt(cursor, text), step),
          cursor.variable,
          cursor.style,
        );
  }
  if (cursor.style === 'block') return [];
  if (cursor.onKey) {
    const keys = await symbolChoices(cursor, text, context, step);
    return [...keyItems(cursor, snippets), ...valueItems(keys, cursor, snippets)];
  }
  const words = turnWords(cursor);
  const choices = [
    ...(await symbolChoices(cursor, text, context, step)),
    ...enumerated(cursor).filter(({ label }) => words === undefined || words.has(label)),
    ...(await turnChoices(cursor, path, context, step)),
    ...(await pathChoices(cursor, path, context)),
  ];
  return [
    ...beginItems(cursor, snippets),
    ...valueItems(
      choices.filter(({ label, value = label }) => fits(String(value), cursor.typed)),
      cursor,
      snippets,
    ),
  ];
}
