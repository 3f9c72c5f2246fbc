import type { CompletionItem } from 'vscode-languageserver-types';
import { PROMPT_VARIABLES } from '../../assertions/shared/promptVariables.ts';
import { mappingOf, uniqueBy } from '../../core/data/data.ts';
import { CONTEXT_PREFIX, REQUEST_VARIABLES } from '../../core/text/template.ts';
import { visibleLine } from '../../core/text/visibleText.ts';
import { evalFileSchema } from '../../evalfile/schema.ts';
import type { Work } from '../../node/cooperative.ts';
import { rolesAt } from '../../schema/mentions.ts';
import { writeWord } from '../../yaml/quoting.ts';
import type { Cursor, VariableCursor } from './cursor.ts';
import { KINDS, MAX_DETAIL, sortText } from './items.ts';
import { readEntries } from './slice.ts';

export interface Variable {
  readonly name: string;
  readonly detail: string;
}

export function* variablesAt(cursor: Cursor, text: string): Work<Variable[]> {
  const kinds = rolesAt(evalFileSchema, cursor.root, cursor.path).map(({ template }) => template);
  const context = yield* contextVariables(cursor, text);
  if (kinds.includes('case')) return context;
  if (kinds.includes('request')) return withContext(REQUEST_VARIABLES, context);
  return kinds.includes('judge') ? promptVariables(context) : [];
}

function withContext(
  own: Readonly<Record<string, string>>,
  context: readonly Variable[],
): Variable[] {
  return [
    ...Object.entries(own).map(([name, detail]) => ({ name, detail })),
    ...context.map(({ name, detail }) => ({ name: `${CONTEXT_PREFIX}${name}`, detail })),
  ];
}

export function promptVariables(context: readonly Variable[]): Variable[] {
  const own = Object.entries(PROMPT_VARIABLES).map(([name, { says }]) => [name, says]);
  return withContext(Object.fromEntries(own), context);
}

export function variableItems(
  variables: readonly Variable[],
  { needsQuotes, range }: VariableCursor,
  style: Cursor['style'],
): CompletionItem[] {
  return variables.map(({ name, detail }, index) => {
    const braced = `{{${name}}}`;
    // Without quotes, braces at the start of text would be a mapping.
    const newText = needsQuotes && style === 'plain' ? writeWord(braced) : `${name}}}`;
    return {
      label: visibleLine(name),
      kind: KINDS.variable,
      detail: visibleLine(detail, MAX_DETAIL),
      documentation: `The value of ${braced}`,
      sortText: sortText(5, index),
      textEdit: { range, newText },
      ...(needsQuotes && { filterText: braced }),
    };
  });
}

function* contextVariables(cursor: Cursor, text: string): Work<Variable[]> {
  if (cursor.path[0] === 'cases') return variablesOf(yield* cursor.wholeCase());
  // Defaults apply to all cases, so this offers the variables of all cases.
  const [contexts, matrices] = [
    yield* readEntries(text, 'context'),
    yield* readEntries(text, 'matrix'),
  ];
  return uniqueBy([...contexts, ...matrices].flatMap(variablesOf), ({ name }) => name);
}

/** The variables that a case declares. Variables from a matrix file aren't known here. */
function variablesOf(given: unknown): Variable[] {
  const { context, matrix } = mappingOf(given);
  return Object.entries({ ...mappingOf(context), ...mappingOf(matrix) }).map(([name, value]) => ({
    name,
    detail: typeof value === 'string' ? value : (JSON.stringify(value) ?? ''),
  }));
}
