import type { ForeignName } from '../schema/foreignNames.ts';

/** A key of another tool that no key here stands for with the same value. */
interface TheirKey {
  readonly tool: string;
  /** What to do about it, as the end of a sentence. */
  readonly advice: string;
  readonly conversion?: {
    /** The entries that say the same; undefined if the value is not one that the tool takes. */
    toOurs(value: unknown): Readonly<Record<string, unknown>> | undefined;
    readonly because: string;
  };
}

const AGGREGATION: TheirKey = {
  tool: 'MLflow',
  advice:
    'every report has the mean, the pass rate and the distribution of an assertion. Remove it',
};

export const THEIR_KEYS: Readonly<Record<string, TheirKey>> = {
  window_size: {
    tool: 'DeepEval',
    advice:
      'it is a number of exchanges; for n of them write `window: 2n - 1` with `granularity: turn`',
    conversion: {
      toOurs: (value) =>
        Number.isInteger(value) && Number(value) > 0
          ? { window: 2 * Number(value) - 1, granularity: 'turn' }
          : undefined,
      because:
        'It counts exchanges, the present one included; `window` counts the turns before the one that is judged.',
    },
  },
  strict_mode: {
    tool: 'DeepEval',
    advice: 'a full score is asked for by `threshold: 1`. Remove it',
    conversion: {
      toOurs: (value) => (value === true ? { threshold: 1 } : undefined),
      because: 'It lets nothing but a full score pass.',
    },
  },
  include_reason: { tool: 'DeepEval', advice: 'every verdict has its reason. Remove it' },
  verbose_mode: {
    tool: 'DeepEval',
    advice: 'the record of a run holds what was asked and answered. Remove it',
  },
  async_mode: {
    tool: 'DeepEval',
    advice: 'how much runs at once is set by `--concurrency`. Remove it',
  },
  evaluation_params: {
    tool: 'DeepEval',
    advice:
      'the judge reads the whole conversation, and `expectations`, `role` and `context` where the case has them. Remove it',
  },
  truths_extraction_limit: {
    tool: 'DeepEval',
    advice: 'the judge reads all that was retrieved. Remove it',
  },
  evaluation_template: {
    tool: 'DeepEval',
    advice: 'questions of your own belong in an `llm-judge`. Remove it',
  },
  relevant_topics: {
    tool: 'DeepEval',
    advice: 'write `topics` in the case or at the top of the file',
  },
  available_tools: {
    tool: 'DeepEval',
    advice: 'write `tools` in the case or at the top of the file',
  },
  aggregation: AGGREGATION,
  aggregations: AGGREGATION,
  aggregator: {
    tool: 'AgentV',
    advice:
      'a score is the weighted mean: write `weight` at each assertion, and `required` at those that must pass',
  },
  on_turn_failure: {
    tool: 'AgentV',
    advice: '`stop` is `stop_on_failure: true` in the case, and `continue` needs no key',
    conversion: {
      toOurs: (value) => (value === 'stop' ? { stop_on_failure: true } : undefined),
      because: 'It ends the conversation at the first failing turn.',
    },
  },
  feedback_value_type: {
    tool: 'MLflow',
    advice: '`labels`, `scale` or neither of an `llm-judge` decide what it answers with. Remove it',
  },
};

/** Another tool's key whose value has to change with it. */
export function converted(
  written: string,
  known: readonly string[],
  value: unknown,
): ForeignName | undefined {
  const { tool, conversion } = theirKey(written) ?? {};
  const instead = conversion?.toOurs(value);
  const [meant] = Object.keys(instead ?? {});
  if (!conversion || !instead || meant === undefined) return undefined;
  if (!Object.keys(instead).every((key) => known.includes(key))) return undefined;
  const entries = Object.entries(instead).map(([key, ours]) => `\`${key}: ${ours}\``);
  const message = `\`${written}: ${value}\` of ${tool} is ${entries.join(' with ')} here. ${conversion.because}`;
  return { meant, instead, message };
}

/** Why a key of another tool has no counterpart, and what to do. */
export function withoutOurs(written: string): string | undefined {
  const found = theirKey(written);
  return found && `"${written}" is ${found.tool}'s name; here ${found.advice}.`;
}

function theirKey(written: string): TheirKey | undefined {
  return Object.hasOwn(THEIR_KEYS, written) ? THEIR_KEYS[written] : undefined;
}
