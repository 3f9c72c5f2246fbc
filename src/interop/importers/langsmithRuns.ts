import { groupBy, isMapping, type Mapping, mappingOf, textIn } from '../../core/data/data.ts';
import { type Feedback, feedbackIn } from '../feedback.ts';
import { listIn } from '../fields.ts';
import type { Importer } from '../importer.ts';
import { conversationInTrace, type Span } from '../mlflow/session.ts';
import { casesOfTraces, skipBesides, type Trace } from '../traceCases.ts';

/** Who gave feedback, if the run doesn't say. */
const PERSON = 'langsmith';

/** Keys of a run's metadata that contain its thread. LangSmith's own `session_id` is a project. */
const THREAD = ['thread_id', 'session_id', 'conversation_id'];

/** LangSmith's runs, as exported from a project or by `list_runs`. */
export const langsmithRuns: Importer = {
  name: 'LangSmith runs',
  takes: 'runs with `run_type`, `inputs`, and `outputs`, as a list or as JSON lines',
  tag: 'langsmith',
  matches: (value) => isMapping(value) && runsIn(value).some(isRun),
  read(rows, ledger) {
    const runs = rows.flatMap(({ line, value }) =>
      runsIn(mappingOf(value))
        .filter(isRun)
        .map((run) => ({ line, run })),
    );
    const byTrace = groupBy(runs, ({ run }) => textIn(run, 'trace_id', 'id'));
    const traces = [...byTrace.values()].map((group): Trace => {
      const { line, run } = group.find((one) => parentOf(one.run) === undefined) ?? group[0];
      const talk = conversationInTrace(group.map((one) => spanOf(one.run)).sort(byStart));
      const id = textIn(run, 'trace_id', 'id') ?? `line-${line}`;
      skipBesides(talk, { id, line }, ledger);
      return {
        ...talk,
        line,
        id,
        session: textIn(metadataOf(run), ...THREAD),
        time: textIn(run, 'start_time') ?? '',
        task: textIn(run, 'reference_example_id'),
        trial: textIn(run, 'session_name'),
        feedbackOn: (turn) => group.flatMap((one) => feedbackOf(one.run, turn)),
      };
    });
    return {
      cases: casesOfTraces(traces, ledger),
      producers: runs.flatMap(({ run }) => {
        const { sdk, sdk_version: version } = mappingOf(mappingOf(run.extra).runtime);
        return typeof sdk === 'string' ? [[sdk, version].join(' ').trim()] : [];
      }),
    };
  },
};

/** The runs in a row, including the ones inside them. */
function runsIn(value: Mapping): Mapping[] {
  const runs = listIn(value, 'runs')?.map(mappingOf) ?? [value];
  return runs.flatMap((run) => {
    const inner = listIn(run, 'child_runs')?.map(mappingOf) ?? [];
    return [run, ...inner.flatMap(runsIn)];
  });
}

function isRun(run: Mapping): boolean {
  return typeof run.run_type === 'string' && Object.hasOwn(run, 'inputs');
}

function parentOf(run: Mapping): string | undefined {
  return textIn(run, 'parent_run_id');
}

const TYPES: Readonly<Record<string, string>> = {
  llm: 'LLM',
  tool: 'TOOL',
  retriever: 'RETRIEVER',
};

function spanOf(run: Mapping): Span {
  const { tools } = mappingOf(mappingOf(run.extra).invocation_params);
  return {
    id: textIn(run, 'id') ?? '',
    parent: parentOf(run),
    start: Date.parse(textIn(run, 'start_time') ?? '') || 0,
    type: TYPES[textIn(run, 'run_type') ?? ''] ?? '',
    name: textIn(run, 'name') ?? '',
    inputs: run.inputs,
    outputs: run.outputs,
    tools,
  };
}

function byStart(a: Span, b: Span): number {
  return a.start - b.start;
}

function metadataOf(run: Mapping): Mapping {
  return mappingOf(mappingOf(run.extra).metadata);
}

/** A run's feedback, or else the means in its statistics. */
function feedbackOf(run: Mapping, turn: number | undefined): Feedback[] {
  const own = feedbackIn(run, PERSON, turn);
  if (own.length > 0) return own;
  return Object.entries(mappingOf(run.feedback_stats)).map(([name, stats]) => ({
    name,
    value: mappingOf(stats).avg ?? null,
    turn,
    person: PERSON,
  }));
}
