import { fence } from '../../core/text/fence.ts';
import type { AssertionInput } from '../contract.ts';
import { expectationsText } from './promptVariables.ts';

/**
 * A question about the whole conversation, behind what the case says of it. That comes first and is
 * the same for all types, so that a prompt cache serves it.
 */
export function withCase({ facts }: AssertionInput, question: string): string {
  const { role, tools, expectations, context } = facts;
  const parts = [
    ...(role === undefined ? [] : [`The role:\n${fence(role)}`]),
    ...(tools.length === 0
      ? []
      : [`The assistant's tools:\n${fence(tools.map(({ name }) => name).join(', '))}`]),
    ...(Object.keys(expectations).length === 0
      ? []
      : [`Expected:\n${fence(expectationsText(facts))}`]),
    ...(Object.keys(context).length === 0
      ? []
      : [`Context:\n${fence(JSON.stringify(context, null, 1))}`]),
  ];
  return parts.length === 0 ? question : ['The case says:', ...parts, '', question].join('\n');
}
