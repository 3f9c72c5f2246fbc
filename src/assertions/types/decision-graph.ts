import * as z from 'zod';
import { reaches, type Scale, shareOn, valueOn } from '../../core/scoring.ts';
import type { Assertion } from '../../core/suite.ts';
import type { TurnVerdict, Verdict } from '../../core/verdict.ts';
import type {
  AssertionInput,
  Fault,
  Finding,
  Means,
  Outcome,
  Planned,
  ProcedureType,
} from '../contract.ts';
import { citing, hitsAndMisses, notApplicable, turnVerdicts } from '../shared/entries.ts';
import {
  type Branch,
  graphFaults,
  longestWay,
  type Node,
  type Nodes,
  nodeAt,
  nodeSchema,
  waysFrom,
} from '../shared/graphNodes.ts';
import { type AskingNode, asks, questionAt, type Step } from '../shared/graphQuestion.ts';
import { NestedError } from '../shared/nested.ts';

const SCALE: Scale = [0, 10];

function paramsWith(assertion: z.ZodType) {
  return z.strictObject({
    nodes: z
      .record(z.string().min(1), nodeSchema(assertion))
      .meta({ description: 'The nodes by their names.' }),
    start: z.string().min(1).optional().meta({
      description: 'The node that it begins with; the first one unless given.',
    }),
  });
}

const params = paramsWith(z.unknown());

export const decisionGraph: ProcedureType = {
  kind: 'procedure',
  type: 'decision-graph',
  summary: 'Questions in a graph: each answer leads to the next, the last to a score.',
  like: 'DeepEval DAG',
  docs: {
    asks: 'Asks one question after the other, one request for each node on the way that is taken, until it comes to a score from 0 to 10 or to another assertion. The way stands in `details.path`. A circle, a branch that ends nowhere, a missing or doubled answer and a node that is never reached are told while typing. An end that is `required` and fails fails the case.',
    score:
      'the score of the end ÷ 10, or that of the assertion. A threshold may be written on the scale: `threshold: 7`.',
    example:
      '`satisfied` is answered with yes, which leads to `tone`, and that with neutral, which is worth 5: 5 ÷ 10 = 0.5.',
    skipped: 'where it ends in an assertion that is skipped.',
    yaml: `
      - type: decision-graph
        nodes:
          satisfied:
            type: yes-no
            question: Do the replies answer what the user asked?
            if_yes: tone
            if_no: 0
          tone:
            type: choice
            question: How does the assistant treat the user?
            choices:
              rude: 0
              neutral: 5
              playful: 10
    `,
  },
  params,
  nesting: {
    params: paramsWith,
    places({ nodes }) {
      return Object.entries(Object(nodes)).flatMap(([name, node]) => {
        const { type, assert } = Object(node);
        return type === 'assertion' && assert !== undefined ? [['nodes', name, 'assert']] : [];
      });
    },
  },
  scale: SCALE,
  defaultThreshold: 0.5,
  side: 'assistant',
  asksJudge: true,
  faults(given): Fault[] {
    const read = params.safeParse(given);
    if (!read.success) return [];
    const { nodes } = read.data;
    if (Object.keys(nodes).length === 0) {
      return [{ path: ['nodes'], message: 'A decision graph needs at least one node.' }];
    }
    // Such keys of an object do not keep their order.
    const numbers = Object.keys(nodes).filter((name) => /^\d+$/.test(name));
    if (numbers.length > 0) {
      const message = 'The name of a node begins with a letter: a number is a score.';
      return numbers.map((name) => ({ path: ['nodes', name], message }));
    }
    return graphFaults(nodes, startOf(read.data));
  },
  plan(input) {
    const own = params.parse(input.assertion.params);
    return longestWay(own.nodes, startOf(own)).flatMap((name): Planned[] => {
      const node = nodeAt(own.nodes, name);
      const end = endAt(name, input);
      if (node?.type === 'assertion' && end) return [{ kind: 'assertion', assertion: end }];
      if (!node || !asks(node)) return [];
      const about = (turns: AssertionInput['turns']) =>
        questionAt(node, [], { ...input, turns }).asked;
      return [{ kind: 'asked', about }];
    });
  },
  async run(input, means) {
    const own = params.parse(input.assertion.params);
    const steps: Step[] = [];
    let next: Branch = startOf(own);
    while (typeof next === 'string') {
      const node = nodeAt(own.nodes, next);
      if (!node || steps.some((step) => step.node === next)) {
        throw new Error(`The decision graph cannot go on at "${next}".`);
      }
      if (node.type === 'verdict') return conclude(node.score, steps, input);
      if (node.type === 'assertion') return endInAssertion(next, steps, input, means);
      next = await takeStep(next, node, steps, input, means);
    }
    return conclude(next, steps, input);
  },
};

function startOf({ nodes, start }: { nodes: Nodes; start?: string | undefined }): string {
  return start ?? Object.keys(nodes)[0] ?? '';
}

async function takeStep(
  name: string,
  node: AskingNode,
  steps: Step[],
  input: AssertionInput,
  means: Means,
): Promise<Branch> {
  const question = (turns: AssertionInput['turns']) => questionAt(node, steps, { ...input, turns });
  const { answer } = await means.ask(input.turns, (turns) => question(turns).asked);
  steps.push({ node: name, asked: question(input.turns).text, ...answer });
  const ways = waysFrom(node);
  const taken =
    node.type === 'task'
      ? ways[0]
      : ways.find(({ key }) => key.at(-1) === keyOf(node, answer.answer));
  if (!taken) throw new Error(`The node "${name}" has no branch for "${answer.answer}".`);
  return taken.to;
}

/** The key of the branch that an answer takes. */
function keyOf({ type }: Node, answer: string): string {
  return type === 'yes-no' ? `if_${answer}` : answer;
}

/** The assertion of a node that holds one. */
function endAt(name: string, { assertion }: AssertionInput): Assertion | undefined {
  return assertion.nested?.find(({ place }) => place === `nodes.${name}.assert`)?.assertion;
}

async function endInAssertion(
  name: string,
  steps: readonly Step[],
  input: AssertionInput,
  means: Means,
): Promise<Outcome> {
  const end = endAt(name, input);
  if (!end) throw new Error(`The node "${name}" holds no assertion.`);
  const verdict = await means.verdict(end);
  if (verdict.status === 'error') throw new NestedError(verdict);
  if (verdict.score === null) {
    return { ...notApplicable('not-applicable', verdict.rationale), turns: verdict.turns };
  }
  return conclude(valueOn(SCALE, verdict.score), steps, input, verdict);
}

function conclude(
  value: number,
  steps: readonly Step[],
  input: AssertionInput,
  end?: Verdict,
): Finding {
  const score = shareOn(SCALE, value);
  const passed = reaches(score, input.assertion.threshold);
  const turns = end?.turns.length ? end.turns : turnsOfWay(steps, score, passed, input);
  const way = steps.map(({ node, answer }) => `${node}: ${brief(answer)}`).join(' → ');
  const last = end?.rationale ?? steps.at(-1)?.rationale ?? '';
  const rationale = `${way === '' ? '' : `${way} → `}${value} of ${SCALE[1]}. ${last}`.trim();
  const label = end?.label ?? steps.at(-1)?.answer;
  const cited = hitsAndMisses(turns);
  const whole = citing(input.turns.at(-1)?.number ?? 0, `by then ${rationale}`);
  return {
    kind: 'scored',
    score,
    value,
    scale: SCALE,
    ...(label !== undefined && label.length <= MAX_LABEL && { label }),
    rationale,
    turns,
    hits: passed && cited.hits.length === 0 ? [whole] : cited.hits,
    misses: !passed && cited.misses.length === 0 ? [whole] : cited.misses,
    details: {
      path: steps.map(({ node, asked, answer, rationale: why }) => ({ node, asked, answer, why })),
    },
    ...(end && { nested: [end] }),
  };
}

const MAX_LABEL = 40;

function brief(answer: string): string {
  return answer.length <= MAX_LABEL ? answer : `${answer.slice(0, MAX_LABEL)}…`;
}

/** The turns that the answers on the way rest on: they share the outcome. */
function turnsOfWay(
  steps: readonly Step[],
  score: number,
  passed: boolean,
  input: AssertionInput,
): TurnVerdict[] {
  const entries = input.turns.map(({ number }) => {
    const spoken = steps.flatMap(({ node, turns }) =>
      turns.filter(({ turn }) => turn === number).map((entry) => ({ node, entry })),
    );
    const bearing = spoken.filter(({ entry }) => entry.applicable);
    const told = bearing.length > 0 ? bearing : spoken;
    return {
      turn: number,
      applicable: bearing.length > 0,
      rationale: told.map(({ node, entry }) => `${node}: ${entry.rationale}`).join(' '),
      evidence: bearing.at(-1)?.entry.evidence ?? '',
    };
  });
  return turnVerdicts(
    entries.filter(({ rationale }) => rationale !== ''),
    input.turns,
    () => score,
    () => passed,
  );
}
