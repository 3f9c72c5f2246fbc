import * as z from 'zod';
import { type ChosenTurns, chooseAt, parseAt } from '../../../core/at.ts';
import { fence } from '../../../core/text/fence.ts';
import type { AssertionInput, Divisible } from '../../contract.ts';
import { withCase } from '../caseText.ts';
import { entrySchema, rationaleSchema, withWhole } from '../entries.ts';
import type { Node } from './graphNodes.ts';

type Entry = z.infer<typeof entrySchema>;

interface NodeAnswer {
  readonly turns: readonly Entry[];
  readonly rationale: string;
  readonly answer: string;
}

/** A node that was passed. */
export interface Step {
  readonly node: string;
  readonly asked: string;
  readonly answer: string;
  readonly rationale: string;
  readonly turns: readonly Entry[];
}

const HOW =
  'First say for each turn whether it bears on your answer: applicable if it does, with the words that show it.';

/** A node that a judge is asked at. */
export type AskingNode = Extract<Node, { type: 'task' | 'yes-no' | 'choice' }>;

export function asks(node: Node): node is AskingNode {
  return node.type !== 'verdict' && node.type !== 'assertion';
}

/** The turns that a node looks at. */
export function turnsAt({ at }: AskingNode, { conversation, turns }: AssertionInput): ChosenTurns {
  return at === undefined ? { turns } : chooseAt(parseAt(at), conversation, 'assistant');
}

/** What is asked at a node. @param steps those on the way to it */
export function questionAt(
  node: AskingNode,
  steps: readonly Step[],
  input: AssertionInput,
): { readonly text: string; readonly asked: Divisible<NodeAnswer> } {
  const { turns } = input;
  const before = steps.map(({ asked, answer }) => `${fence(asked)}\nAnswer:\n${fence(answer)}`);
  const found = before.length === 0 ? [] : [`Found before:\n${before.join('\n')}`];
  const text = node.type === 'task' ? node.instructions : node.question;
  const choices =
    node.type === 'yes-no'
      ? ['yes', 'no']
      : node.type === 'choice'
        ? Object.keys(node.choices)
        : [];
  const ask =
    node.type === 'task'
      ? `Work out the following and write it down in \`answer\`:\n${fence(text)}`
      : `Question:\n${fence(text)}\n\n\`answer\` is one of: ${choices.join(', ')}.`;
  const answer = z.object({
    turns: z.array(entrySchema),
    rationale: rationaleSchema,
    answer: node.type === 'task' ? z.string() : z.enum(choices),
  });
  return {
    text,
    asked: {
      name: `decision_${node.type.replace('-', '_')}`,
      instructions: withCase(input, [ask, HOW, ...found].join('\n\n')),
      turns,
      answer,
      parts: withWhole(answer),
    },
  };
}
