import * as z from 'zod';
import { turnsOfSide } from '../../core/conversation.ts';
import { reaches, type Scale, shareOnScale, valueOnScale } from '../../core/scoring.ts';
import type { Assertion } from '../../core/suite.ts';
import type { TurnVerdict, Verdict } from '../../core/verdict.ts';
import type {
  AssertionInput,
  Fault,
  Finding,
  Outcome,
  PlannedRequest,
  Toolbox,
} from '../contract.ts';
import { citing, hitsAndMisses, notApplicable, scored, turnVerdicts } from '../shared/entries.ts';
import {
  type AskingNode,
  edgesFrom,
  graphFaults,
  isAskingNode,
  longestPath,
  type Nodes,
  nodeAt,
  nodeSchema,
  questionAt,
  type Step,
  turnsAt,
} from '../shared/graph.ts';
import { NestedError, procedureType } from '../shared/kinds.ts';

const SCALE: Scale = [0, 10];

function paramsWith(assertion: z.ZodType) {
  return z.strictObject({
    nodes: z
      .record(z.string().min(1), nodeSchema(assertion))
      .meta({ description: 'The nodes, by name.', declares: 'node' }),
    start: z.string().min(1).optional().meta({
      description: 'The node to start with. Default: the first one.',
      refersTo: 'node',
    }),
  });
}

const params = paramsWith(z.unknown());

export const decisionGraph = procedureType({
  type: 'decision-graph',
  summary: 'A graph of questions: each answer leads to the next question or to a score.',
  like: 'DeepEval DAG',
  docs: {
    asks: 'Asks one question after another, one request per node on the path taken, until it reaches a score from 0 to 10 or another assertion. The path is recorded in `details.path`. The editor reports cycles, branches that lead nowhere, missing or duplicate answers, and unreachable nodes as you type. If the path ends in a `required` assertion that fails, the case fails.',
    score:
      "the final score ÷ 10, or the assertion's score. A threshold may use that scale: `threshold: 7`.",
    example:
      '`satisfied` is answered with yes, which leads to `tone`. `tone` is answered with neutral, which is worth 5: 5 ÷ 10 = 0.5.',
    skipped: 'if the path ends in an assertion that is skipped.',
    differences:
      "- None known. If a path ends in an assertion, the score is that assertion's score, as with metrics in DeepEval.",
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
  readsContext: true,
  asksJudge: true,
  faults({ nodes, start }): Fault[] {
    if (Object.keys(nodes).length === 0) {
      return [{ path: ['nodes'], message: 'A decision graph needs at least one node.' }];
    }
    // Objects don't keep the order of numeric keys.
    const numbers = Object.keys(nodes).filter((name) => /^\d+$/.test(name));
    if (numbers.length > 0) {
      const message = 'Node names must not be numbers, because a number is a score.';
      return numbers.map((name) => ({ path: ['nodes', name], message }));
    }
    return graphFaults(nodes, startOf({ nodes, start }));
  },
  plan(input, own) {
    return longestPath(own.nodes, startOf(own)).flatMap((name): PlannedRequest[] => {
      const node = nodeAt(own.nodes, name);
      const end = endAt(name, input);
      if (node?.type === 'assertion' && end) return [{ kind: 'assertion', assertion: end }];
      if (!node || !isAskingNode(node)) return [];
      const about = (turns: AssertionInput['turns']) => {
        // Before a run, some of its turns may not exist yet.
        const looked = { turns, ...turnsAt(node, { ...input, turns }) };
        return questionAt(node, [], { ...input, turns: looked.turns }).asked;
      };
      return [{ kind: 'asked', about }];
    });
  },
  async run(input, own, toolbox) {
    const steps: Step[] = [];
    let next: string | number = startOf(own);
    while (typeof next === 'string') {
      const node = nodeAt(own.nodes, next);
      if (!node || steps.some((step) => step.node === next)) {
        throw new Error(`The decision graph cannot continue at "${next}".`);
      }
      if (node.type === 'verdict') return conclude(node.score, steps, input);
      if (node.type === 'assertion') return endInAssertion(next, steps, input, toolbox);
      next = await takeStep(next, node, steps, input, toolbox);
    }
    return conclude(next, steps, input);
  },
});

function startOf({ nodes, start }: { nodes: Nodes; start?: string | undefined }): string {
  return start ?? Object.keys(nodes)[0] ?? '';
}

async function takeStep(
  name: string,
  node: AskingNode,
  steps: Step[],
  input: AssertionInput,
  toolbox: Toolbox,
): Promise<string | number> {
  const question = (turns: AssertionInput['turns']) => questionAt(node, steps, { ...input, turns });
  const looked = turnsAt(node, input);
  if ('missing' in looked) throw new Error(`The node "${name}": ${looked.missing}.`);
  const { answer } = await toolbox.ask(looked.turns, (turns) => question(turns).asked);
  steps.push({ node: name, asked: question(looked.turns).text, ...answer });
  const keys = { task: 'next', 'yes-no': `if_${answer.answer}`, choice: answer.answer };
  const taken = edgesFrom(node).find(({ key }) => key.at(-1) === keys[node.type]);
  if (!taken) throw new Error(`The node "${name}" has no branch for "${answer.answer}".`);
  return taken.to;
}

/** The assertion that ends the graph at a node. */
function endAt(name: string, { assertion }: AssertionInput): Assertion | undefined {
  return assertion.nested?.find(({ path }) => path === `nodes.${name}.assert`)?.assertion;
}

async function endInAssertion(
  name: string,
  steps: readonly Step[],
  input: AssertionInput,
  toolbox: Toolbox,
): Promise<Outcome> {
  const end = endAt(name, input);
  if (!end) throw new Error(`The node "${name}" has no assertion.`);
  const verdict = await toolbox.verdict(end);
  if (verdict.status === 'error') throw new NestedError(verdict);
  if (verdict.score === null) {
    return { ...notApplicable('not-applicable', verdict.rationale), turns: verdict.turns };
  }
  return conclude(valueOnScale(SCALE, verdict.score), steps, input, verdict);
}

function conclude(
  value: number,
  steps: readonly Step[],
  input: AssertionInput,
  end?: Verdict,
): Finding {
  const score = shareOnScale(SCALE, value);
  const passed = reaches(score, input.assertion.threshold);
  const turns = end?.turns.length ? end.turns : turnsOnPath(steps, score, passed, input);
  const answers = steps.map(({ node, answer }) => `${node}: ${brief(answer)}`);
  const last = end?.rationale ?? steps.at(-1)?.rationale ?? '';
  const rationale = `${[...answers, `${value} of ${SCALE[1]}.`].join(' → ')} ${last}`.trim();
  const label = end?.label ?? steps.at(-1)?.answer;
  const whole = citing(input.turns.at(-1)?.number ?? 0, `by then ${rationale}`);
  return scored(rationale, turns, {
    score,
    value,
    scale: SCALE,
    ...(label !== undefined && label.length <= MAX_LABEL && { label }),
    ...hitsAndMisses(turns, { passed, text: whole }),
    details: {
      path: steps.map(({ node, asked, answer, rationale: why }) => ({ node, asked, answer, why })),
    },
    ...(end && { nested: [end] }),
  });
}

const MAX_LABEL = 40;

function brief(answer: string): string {
  return answer.length <= MAX_LABEL ? answer : `${answer.slice(0, MAX_LABEL)}…`;
}

/** The turns that the answers along the path are based on: they share the outcome. */
function turnsOnPath(
  steps: readonly Step[],
  score: number,
  passed: boolean,
  input: AssertionInput,
): TurnVerdict[] {
  const turns = turnsOfSide(input.conversation, 'assistant');
  const entries = turns.flatMap(({ number }) => {
    const found = steps.flatMap((step) =>
      step.turns
        .filter(({ turn }) => turn === number)
        .map((entry) => ({ ...entry, rationale: `${step.node}: ${entry.rationale}` })),
    );
    const applicable = found.filter((entry) => entry.applicable);
    const shown = applicable.length > 0 ? applicable : found;
    const last = shown.at(-1);
    return last ? [{ ...last, rationale: shown.map((one) => one.rationale).join(' ') }] : [];
  });
  const isPass = () => passed;
  return turnVerdicts(entries, turns, () => score, isPass);
}
