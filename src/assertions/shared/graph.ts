import * as z from 'zod';
import { atSchema, type ChosenTurns, parseAt, selectTurns } from '../../core/at.ts';
import { fence } from '../../core/text/visibleText.ts';
import type { AssertionInput, Divisible, Fault } from '../contract.ts';
import { entrySchema, partsOf, rationaleSchema } from './entries.ts';
import type { TurnsAnswer } from './kinds.ts';
import { withFacts } from './questions.ts';

const text = z.string().regex(/\S/, 'Expected text, found only whitespace');

const branch = z
  .union([z.string().min(1).meta({ refersTo: 'node' }), z.number().min(0).max(10)])
  .meta({ description: "The next node's name, or a score from 0 to 10 that ends the graph." });

const at = atSchema
  .optional()
  .meta({ description: `Which turns to look at. Default: the assertion's turns.` });

/** The schema of a node, given the assertion schema. */
export function nodeSchema(assertion: z.ZodType) {
  return z.discriminatedUnion('type', [
    z.strictObject({
      type: z
        .literal('task')
        .meta({ description: 'A task for the judge, such as extracting facts.' }),
      instructions: text.meta({
        description: 'What the judge should work out. Later nodes see the result.',
      }),
      at,
      next: branch,
    }),
    z.strictObject({
      type: z.literal('yes-no').meta({ description: 'A yes-or-no question.' }),
      question: text.meta({ description: 'A question to answer with yes or no.' }),
      at,
      if_yes: branch,
      if_no: branch,
    }),
    z.strictObject({
      type: z.literal('choice').meta({ description: 'A question with your own answers.' }),
      question: text.meta({ description: 'A question to answer with one of the choices.' }),
      at,
      choices: z
        .record(z.string().min(1), branch)
        .meta({ description: 'The next node or the score for each answer; at least two answers.' }),
    }),
    z.strictObject({
      type: z.literal('verdict').meta({ description: 'Ends the graph with a score.' }),
      score: z.number().min(0).max(10).meta({ description: 'From 0 to 10.' }),
    }),
    z.strictObject({
      type: z.literal('assertion').meta({ description: 'Ends the graph with another assertion.' }),
      assert: assertion.meta({ description: "The assertion whose score becomes the graph's." }),
    }),
  ]);
}

export type Node = z.infer<ReturnType<typeof nodeSchema>>;
export type Nodes = Readonly<Record<string, Node>>;

interface Edge {
  /** The key's path, relative to the node. */
  readonly key: readonly string[];
  readonly to: string | number;
}

export function edgesFrom(node: Node): Edge[] {
  switch (node.type) {
    case 'task':
      return [{ key: ['next'], to: node.next }];
    case 'yes-no':
      return [
        { key: ['if_yes'], to: node.if_yes },
        { key: ['if_no'], to: node.if_no },
      ];
    case 'choice':
      return Object.entries(node.choices).map(([answer, to]) => ({ key: ['choices', answer], to }));
    default:
      return [];
  }
}

export function nodeAt(nodes: Nodes, name: string | number): Node | undefined {
  return Object.hasOwn(nodes, name) ? nodes[name] : undefined;
}

/** Reasons why a graph doesn't lead to exactly one end, whatever the answers. */
export function graphFaults(nodes: Nodes, start: string): Fault[] {
  if (!nodeAt(nodes, start)) {
    const known = Object.keys(nodes).join(', ');
    return [{ path: ['start'], message: `There is no node "${start}". Known: ${known}.` }];
  }
  const faults: Fault[] = [];
  for (const [name, node] of Object.entries(nodes)) {
    for (const { key, to } of edgesFrom(node)) {
      if (typeof to === 'number' || nodeAt(nodes, to)) continue;
      const message = `There is no node "${to}". Use a node's name, or a score from 0 to 10.`;
      faults.push({ path: ['nodes', name, ...key], message });
    }
    if (node.type === 'choice') faults.push(...choiceFaults(name, Object.keys(node.choices)));
  }
  const { reached, cycles } = explore(nodes, start);
  for (const name of Object.keys(nodes)) {
    if (reached.has(name)) continue;
    const message = `The node "${name}" is unreachable. Point a branch to it, or remove it.`;
    faults.push({ path: ['nodes', name], message });
  }
  return [...faults, ...cycles];
}

function choiceFaults(name: string, answers: readonly string[]): Fault[] {
  const path = ['nodes', name, 'choices'];
  if (answers.length < 2) return [{ path, message: 'A choice needs at least two answers.' }];
  const folded = answers.map((answer) => answer.trim().toLowerCase());
  return answers
    .filter((_answer, index) => folded.indexOf(folded[index] ?? '') < index)
    .map((answer) => ({
      path: [...path, answer],
      message: `Duplicate answer "${answer}". Answers must differ in more than case.`,
    }));
}

/** Finds the reachable nodes, and the branch that closes each cycle: depth-first, without recursion. */
function explore(nodes: Nodes, start: string) {
  const cycles: Fault[] = [];
  const reached = new Set([start]);
  const onPath = new Set([start]);
  const stack = [{ name: start, edges: edgesFrom(nodes[start] as Node) }];
  for (let here = stack.at(-1); here; here = stack.at(-1)) {
    const edge = here.edges.shift();
    if (!edge) {
      stack.pop();
      onPath.delete(here.name);
      continue;
    }
    const { to, key } = edge;
    const node = nodeAt(nodes, to);
    if (typeof to === 'number' || !node) continue;
    if (onPath.has(to)) {
      const message = `This branch leads back to "${to}", which creates a cycle.`;
      cycles.push({ path: ['nodes', here.name, ...key], message });
    } else if (!reached.has(to)) {
      reached.add(to);
      onPath.add(to);
      stack.push({ name: to, edges: edgesFrom(node) });
    }
  }
  return { reached, cycles };
}

/** The longest path, as node names. The graph has no cycles. */
export function longestPath(nodes: Nodes, start: string): string[] {
  const known = new Map<string, string[]>();
  const from = (name: string): string[] => {
    const found = known.get(name);
    if (found) return found;
    const node = nodeAt(nodes, name);
    const edges = node ? edgesFrom(node) : [];
    const rests = edges.map(({ to }) => (typeof to === 'string' ? from(to) : []));
    const longest = rests.reduce((a, b) => (b.length > a.length ? b : a), []);
    const path = [name, ...longest];
    known.set(name, path);
    return path;
  };
  return from(start);
}

interface NodeAnswer extends TurnsAnswer {
  readonly answer: string;
}

/** A visited node. */
export interface Step extends NodeAnswer {
  readonly node: string;
  readonly asked: string;
}

const HOW =
  'First say for each turn whether it bears on your answer: applicable if it does, with the words that show it.';

/** A node that asks the judge. */
export type AskingNode = Extract<Node, { type: 'task' | 'yes-no' | 'choice' }>;

export function isAskingNode(node: Node): node is AskingNode {
  return node.type !== 'verdict' && node.type !== 'assertion';
}

export function turnsAt({ at }: AskingNode, { conversation, turns }: AssertionInput): ChosenTurns {
  return at === undefined ? { turns } : selectTurns(parseAt(at), conversation, 'assistant');
}

/** @param steps the steps on the path to the node */
export function questionAt(
  node: AskingNode,
  steps: readonly Step[],
  input: AssertionInput,
): { readonly text: string; readonly asked: Divisible<NodeAnswer> } {
  const { turns } = input;
  const before = steps.map(({ asked, answer }) => `${fence(asked)}\nAnswer:\n${fence(answer)}`);
  const found = before.length === 0 ? [] : [`Found before:\n${before.join('\n')}`];
  const text = node.type === 'task' ? node.instructions : node.question;
  const choices = node.type === 'choice' ? Object.keys(node.choices) : ['yes', 'no'];
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
      instructions: withFacts(input, [ask, HOW, ...found].join('\n\n')),
      turns,
      answer,
      parts: partsOf(answer),
    },
  };
}
