import { isMapping, type Mapping, mappingOf } from '../../core/data/data.ts';
import { type Mapped, ourAssertion, ourAssertions } from '../assertions.ts';
import { listIn, textIn } from '../fields.ts';

type Say = (message: string) => void;

/**
 * AgentV's assertions as ours.
 *
 * @param criteria of the test, which an `llm-grader` without a prompt grades by
 */
export function agentvAssertions(
  given: unknown,
  criteria: string | undefined,
  say: Say,
): unknown[] {
  const list = Array.isArray(given) ? given : [];
  return ourAssertions(list, (written) => mapped(written, criteria, say), say);
}

function mapped(written: Mapping, criteria: string | undefined, say: Say): Mapped | unknown[] {
  const { type, required, ...rest } = written;
  const gate =
    typeof required === 'number' ? { required: true, threshold: required } : { required };
  switch (String(type).replaceAll('_', '-')) {
    case 'llm-grader':
    case 'llm-judge':
      return graded({ ...rest, ...gate }, criteria, say);
    case 'rubrics':
    case 'rubric':
      return rubrics(listIn(rest, 'criteria', 'rubrics') ?? [], say);
    case 'tool-trajectory':
      return ourAssertion({ type: 'tool-sequence', ...gate, ...trajectory(rest) });
    case 'latency':
      return limit('max-latency', rest, 'threshold', gate);
    case 'cost':
      return limit('max-cost', rest, 'budget', gate);
    case 'token-usage':
      return tokens(rest, gate);
    case 'code-grader':
    case 'code-judge':
      return {
        lost: [
          `"${String(type)}" runs a program by AgentV's protocol: write a \`script\` instead.`,
        ],
      };
    case 'composite': {
      const { assertions, evaluators, aggregator, ...group } = rest;
      if (mappingOf(aggregator).type !== undefined) {
        say('`aggregator` of "composite" has no counterpart: all of its checks must hold.');
      }
      const assert = agentvAssertions(assertions ?? evaluators, criteria, say);
      return ourAssertion({ type: 'all-of', assert, ...group, ...gate });
    }
    default:
      return ourAssertion({ type, ...rest, ...gate });
  }
}

/** By a prompt in a file, by one that stands there, by rubrics, or by the test's criteria. */
function graded(
  { prompt, rubrics: items, target: _target, ...rest }: Mapping,
  criteria: string | undefined,
  say: Say,
): Mapped | unknown[] {
  if (Array.isArray(items)) return rubrics(items, say);
  if (isMapping(prompt)) {
    return { lost: ['"llm-grader" makes its prompt by a program, which has no counterpart.'] };
  }
  if (typeof prompt === 'string') {
    const path = prompt.replace(/^file:\/\//, '');
    const isFile = /\.(md|txt|markdown)$/i.test(path) && !/\s/.test(path);
    const key = isFile ? { prompt: path } : { instructions: prompt };
    return ourAssertion({ type: 'llm-judge', ...rest, ...key });
  }
  if (criteria === undefined) return { lost: ['"llm-grader" has neither a prompt nor criteria.'] };
  return ourAssertion({ type: 'criterion', criterion: criteria, ...rest });
}

function rubrics(items: readonly unknown[], say: Say): unknown[] {
  return items.flatMap((item): unknown[] => {
    if (typeof item === 'string') return [item];
    const { id, outcome, weight, required, min_score, score_ranges, operator } = mappingOf(item);
    const criterion = textIn({ outcome }, 'outcome');
    if (score_ranges !== undefined) say('`score_ranges` of a rubric has no counterpart.');
    if (criterion === undefined) return [];
    if (operator === 'contradiction') say('`operator: contradiction` has no counterpart.');
    if ([id, weight, required, min_score].every((one) => one === undefined)) return [criterion];
    const read = ourAssertion({
      type: 'criterion',
      criterion,
      name: id,
      weight,
      required,
      min_score,
    });
    for (const message of read.lost) say(message);
    return read.assertion ? [read.assertion] : [];
  });
}

const MODES: Readonly<Record<string, string>> = {
  any_order: 'any-order',
  in_order: 'in-order',
};

function trajectory({ mode, expected, args_match, argsMatch, ...rest }: Mapping): Mapping {
  const tools = (Array.isArray(expected) ? expected : []).map(mappingOf).map((one) => {
    const compare = one.args_match ?? one.argsMatch;
    const args = isMapping(one.args) ? one.args : undefined;
    return args || compare ? { name: one.tool, args, compare } : one.tool;
  });
  const match = typeof mode === 'string' ? (MODES[mode] ?? mode) : undefined;
  return { ...rest, match, tools, args: args_match ?? argsMatch };
}

function limit(type: string, rest: Mapping, key: string, gate: Mapping): Mapped {
  const { [key]: max, ...others } = rest;
  return ourAssertion({ type, max, ...others, ...gate });
}

function tokens({ max_total, max_input, max_output, ...rest }: Mapping, gate: Mapping): unknown[] {
  const limits = { total: max_total, input: max_input, output: max_output };
  return Object.entries(limits).flatMap(([of, max]) => {
    if (typeof max !== 'number') return [];
    const { assertion } = ourAssertion({ type: 'max-tokens', max, of, ...rest, ...gate });
    return assertion ? [assertion] : [];
  });
}
