import type { CaseLine } from '../core/record/runRecord.ts';
import { cacheText, costText, counted, durationText } from '../core/text/format.ts';
import { visibleLine, visibleText } from '../core/text/visibleText.ts';
import type { JudgeAnswer, JudgeRequest, JudgeRequests } from '../runner/judgeRequests.ts';

/** The requests as plain text. Quoted text is indented, so that it can't imitate another part. */
export function judgeSawText(saw: JudgeRequests, line: CaseLine): string {
  const { verdict, isSame, requests } = saw;
  const { judge, assertion, usage } = verdict;
  const { version } = judge ?? {};
  const unusable = 'unusable' in verdict ? (verdict.unusable ?? []) : [];
  return [
    `What the judge saw for “${visibleLine(assertion.name)}”`,
    '',
    `Case: ${visibleLine(line.id)}${line.variant === undefined ? '' : `/${visibleLine(line.variant)}`}, repetition ${line.repetition}`,
    `Judge: ${visibleLine(judge?.model ?? '')}${version === undefined ? '' : `, reported as ${visibleLine(version)}`}`,
    `In that run: ${cacheText(usage) ?? counted(usage.calls, 'request')}, ${usage.input_tokens} input tokens (${usage.cached_tokens} from the provider's prompt cache), ${usage.output_tokens} output tokens${usage.cost === null ? '' : `, cost ${costText(usage.cost)}`}`,
    '',
    "Run records don't store requests. Turnlight reconstructed this one.",
    ...(isSame
      ? ['It is exactly what was sent: its hash matches that of the verdict.']
      : [
          'It is NOT what was sent: its hash differs from that of the verdict.',
          'The question, the facts of the case, or its labels have changed since.',
        ]),
    '',
    ...requests.flatMap((one, index) => [
      ...requestLines(one, requests.slice(0, index), index + 1),
      ...(unusable.length === 0 || one.answers.length > 0 ? answerLines(one, saw.from) : []),
    ]),
    ...unusable.flatMap(unusableLines),
  ].join('\n');
}

/** Shows one request. A repair is shown without the messages that it repeats. */
function requestLines(
  { request, samples }: JudgeRequest,
  before: readonly JudgeRequest[],
  number: number,
): string[] {
  const { messages, answer, temperature } = request;
  const repaired = before.find((one) =>
    one.request.messages.every((message, index) => message === messages[index]),
  );
  const repeated = repaired?.request.messages.length ?? 0;
  const title = repaired
    ? `REQUEST ${number}: repair of the answer to request ${before.indexOf(repaired) + 1}, new messages only`
    : `REQUEST ${number}`;
  const asked = samples === 1 ? '' : `, ${samples} answers`;
  return [
    `${title} (temperature ${temperature ?? 'set by the model'}${asked})`,
    ...messages.slice(repeated).flatMap(({ role, content }) => [`${role}:`, indent(content)]),
    ...(answer && !repaired
      ? [`answer schema (${answer.name}):`, indent(JSON.stringify(answer.schema, null, 2))]
      : []),
    '',
  ];
}

function answerLines({ answers }: JudgeRequest, from: JudgeRequests['from']): string[] {
  if (answers.length === 0) return [NO_ANSWER[from], ''];
  return answers.flatMap((one) => [
    `ANSWER (${factsOf(one, from)})`,
    indent(one.text === '' ? '(empty)' : one.text),
    ...(one.refusal === undefined ? [] : ['refusal:', indent(one.refusal)]),
    '',
  ]);
}

/** Unusable answers from the record, because caches don't store them. */
function unusableLines(text: string, index: number): string[] {
  const which = index === 0 ? 'ANSWER' : 'REPAIRED ANSWER';
  return [`${which} (could not be used)`, indent(text === '' ? '(empty)' : text), ''];
}

const NO_ANSWER: Readonly<Record<JudgeRequests['from'], string>> = {
  cache:
    "ANSWER: not in this computer's cache. The run didn't use the cache or was on another computer, or the answer\nwas removed.",
  recording: 'ANSWER: the recording has no answer to this request.',
};

function factsOf({ usage, latency, finish }: JudgeAnswer, from: JudgeRequests['from']): string {
  return [
    `found in the ${from}`,
    `${usage.input_tokens} input tokens`,
    `${usage.output_tokens} output tokens`,
    ...(latency === undefined ? [] : [`took ${durationText(latency)}`]),
    ...(finish === 'stop' ? [] : [`ended with ${finish}`]),
  ].join(', ');
}

function indent(text: string): string {
  return visibleText(text)
    .split('\n')
    .map((line) => `    ${line}`)
    .join('\n');
}
