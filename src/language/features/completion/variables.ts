import type { CompletionItem } from 'vscode-languageserver-types';
import { findAssertionType } from '../../../assertions/registry.ts';
import { PROMPT_VARIABLES } from '../../../assertions/shared/promptVariables.ts';
import { type Path, valueAt } from '../../../core/data.ts';
import { visibleLine } from '../../../core/presentation/visibleText.ts';
import { readTolerantly } from '../../../yaml/markedYaml.ts';

import { writeWord } from '../../../yaml/write.ts';
import { KINDS, LONGEST, sortText } from './items.ts';

import type { Place, VariablePlace } from './place.ts';
import { entriesOfCases } from './slice.ts';

/** A variable that a text can hold. */
export interface Variable {
  readonly name: string;
  readonly detail: string;
}

/** The variables of the text that the cursor is in. */
export function variablesAt(place: Place, text: string): Variable[] {
  const { root, path } = place;
  const context = contextVariables(place, text);
  const assertion = assertionAround(root, path);
  if (assertion === undefined) return isFilled(path) ? context : [];
  const key = path[assertion.length];
  const given = valueAt(root, assertion);
  if (key === undefined) return context;
  const type = findAssertionType(Object(given).type);
  if (!type || !Object.hasOwn(type.params.shape, key)) return [];
  // The texts of a judge prompt are not the case's: they have variables of their own.
  if (key === 'instructions' && type.takesPrompt) {
    return promptVariables(context);
  }
  return context;
}

/** What prompts can refer to; `context` holds the keys of a case's `context`. */
export function promptVariables(context: readonly Variable[]): Variable[] {
  return [
    ...Object.entries(PROMPT_VARIABLES).map(([name, { says }]) => ({ name, detail: says })),
    ...context.map(({ name, detail }) => ({ name: `context.${name}`, detail })),
  ];
}

export function variableItems(
  variables: readonly Variable[],
  { bare, range }: VariablePlace,
  style: Place['style'],
): CompletionItem[] {
  return variables.map(({ name, detail }, index) => ({
    label: visibleLine(name),
    kind: KINDS.variable,
    detail: visibleLine(detail, LONGEST),
    documentation: `Stands for this text: {{${name}}}`,
    sortText: sortText(5, index),
    // Braces at the beginning of a text without quotes would be a mapping.
    textEdit: {
      range,
      newText: bare && style === 'plain' ? writeWord(`{{${name}}}`) : `${name}}}`,
    },
    ...(bare && { filterText: `{{${name}}}` }),
  }));
}

/** The texts of a case, beside its assertions, that variables are filled into. */
function isFilled([list, , key, index, inner]: Path): boolean {
  if (list !== 'cases') return false;
  if (key === 'turns') {
    return (
      typeof index === 'number' && (inner === undefined || inner === 'user' || inner === 'expected')
    );
  }
  return key === 'expectations' || key === 'role';
}

/** The path of the innermost assertion that holds a path. */
function assertionAround(root: unknown, path: Path): Path | undefined {
  for (let length = path.length; length > 0; length -= 1) {
    const [owner, last] = [path[length - 2], path[length - 1]];
    const inList = owner === 'assert' && typeof last === 'number';
    const ofNode =
      last === 'assert' && Object(valueAt(root, path.slice(0, length - 1))).type === 'assertion';
    if (inList || ofNode) return path.slice(0, length);
  }
  return undefined;
}

function contextVariables(place: Place, text: string): Variable[] {
  if (place.path[0] === 'cases') return variablesOf(Object(place.wholeCase()).context);
  // Defaults are put before every case: what any of them has.
  const contexts = entriesOfCases(text, 'context').map(readTolerantly);
  return variablesOf(Object.assign({}, ...contexts.map((entry) => Object(entry).context)));
}

function variablesOf(context: unknown): Variable[] {
  if (typeof context !== 'object' || context === null || Array.isArray(context)) return [];
  return Object.entries(context).map(([name, value]) => ({
    name,
    detail: typeof value === 'string' ? value : (JSON.stringify(value) ?? ''),
  }));
}
