import { type Conversation, type Turn, type TurnItem, turnsOf } from '../core/conversation.ts';
import { summaries } from '../core/presentation/assertionSummary.ts';
import { caseName } from '../core/presentation/words.ts';
import type { CaseLine } from '../core/record/runRecord.ts';
import type { Verdict } from '../core/verdict.ts';
import type { ReportWriter, RunLog } from './reporter.ts';
import { streamJson } from './streamJson.ts';

/** The result of `evaluate` in Azure's evaluation SDK: one row per case, and means and pass rates under `metrics`. */
export const writeAzure: ReportWriter = function* (log) {
  const metrics = summaries(log.cases).flatMap(({ name, mean: score, passed, failed }) => {
    const key = keyOf(name);
    const share = passed + failed === 0 ? null : passed / (passed + failed);
    return [
      [`${key}.${key}`, score],
      [`${key}.binary_aggregate`, share],
    ] as const;
  });
  yield* streamJson({
    rows: rowsOf(log),
    metrics: Object.fromEntries(metrics.filter(([, value]) => value !== null)),
    studio_url: null,
  });
  yield '\n';
};

function* rowsOf(log: RunLog): Generator<object> {
  for (const line of log.lines()) yield rowOf(line);
}

function rowOf(line: CaseLine): object {
  const { conversation, facts } = line;
  const last = turnsOf(conversation).findLast(({ side }) => side === 'assistant');
  const { outcome, ...others } = facts?.expectations ?? {};
  return {
    'inputs.id': caseName(line),
    'inputs.query': messagesOf(conversation, (turn) => turn !== last),
    'inputs.response': messagesOf(conversation, (turn) => turn === last),
    ...(facts && facts.tools.length > 0 && { 'inputs.tool_definitions': facts.tools }),
    ...(outcome !== undefined && { 'inputs.ground_truth': outcome }),
    ...(Object.keys(others).length > 0 && { 'inputs.expectations': others }),
    'outputs.case.status': line.status,
    'outputs.case.score': line.score,
    ...(line.reason !== undefined && { 'outputs.case.reason': line.reason }),
    ...Object.assign({}, ...line.verdicts.map(verdictColumns)),
  };
}

/** Columns of one evaluator: its value, `_result`, `_threshold` and `_reason`. */
function verdictColumns(verdict: Verdict): object {
  const { status, score, scale: [low, high] = [0, 1], threshold, rationale } = verdict;
  const key = keyOf(verdict.assertion.name);
  const at = `outputs.${key}.${key}`;
  const onScale = (share: number) => Number((low + share * (high - low)).toFixed(6));
  return {
    [at]:
      typeof verdict.value === 'number' || score === null
        ? (verdict.value ?? score)
        : onScale(score),
    [`${at}_result`]: status,
    [`${at}_threshold`]: onScale(threshold),
    [`${at}_reason`]: rationale,
    ...(verdict.label !== undefined && { [`${at}_label`]: verdict.label }),
    ...(status === 'error' && { [`${at}_error`]: verdict.reason }),
  };
}

/** A name without dots or spaces, which separate columns. */
function keyOf(name: string): string {
  return name.replace(/[^\p{L}\p{N}]+/gu, '_').replace(/^_|_$/g, '') || 'assertion';
}

function messagesOf({ entries }: Conversation, wanted: (turn: Turn | undefined) => boolean) {
  return entries.flatMap((entry): object[] => {
    // Instructions are part of the query.
    if (entry.kind === 'system') {
      return wanted(undefined) ? [{ role: entry.role, content: entry.text }] : [];
    }
    if (!wanted(entry)) return [];
    return entry.items.flatMap((item) => messageOf(item, entry.side));
  });
}

function messageOf(item: TurnItem, role: Turn['side']): object[] {
  // Azure's format contains only the handoff's call.
  if (item.kind === 'handoff') return [];
  if (item.kind === 'system') return [{ role: item.role, content: item.text }];
  if (item.kind === 'text') return [{ role, content: [{ type: 'text', text: item.text }] }];
  const { call, result } = item;
  const asked = {
    role,
    content: [
      { type: 'tool_call', tool_call_id: call.id, name: call.name, arguments: call.arguments },
    ],
  };
  if (result === undefined) return [asked];
  const content = [{ type: 'tool_result', tool_result: result }];
  return [asked, { role: 'tool', tool_call_id: call.id, content }];
}
