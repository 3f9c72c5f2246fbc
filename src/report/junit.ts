import { groupBy } from '../core/data/data.ts';
import type { CaseRef } from '../core/identity.ts';
import { caseName, executionTitle } from '../core/presentation/words.ts';
import type { CaseLine, CaseSummary } from '../core/record/runRecord.ts';
import { isFailure } from '../core/scoring.ts';
import { plainLog, visibleLine, visibleText } from '../core/text/visibleText.ts';
import type { Status } from '../core/verdict.ts';
import { describeFailure } from './failures.ts';
import { variantSentences } from './findings/variantReport.ts';
import type { CaseResult, ReportWriter, RunLog } from './reporter.ts';
import { createPaint, shownPath } from './style.ts';

/**
 * JUnit XML with one suite per eval file and one test case per case. A judged failure is a `failure`; anything else
 * that went wrong is an `error`.
 */
export const writeJUnit: ReportWriter = function* (log, folder) {
  const { results } = log;
  const suites = groupBy(results, ({ lines }) => lines[0].suite);
  const shown = (path: string) => shownPath(path, folder).replaceAll('\\', '/');
  yield '<?xml version="1.0" encoding="UTF-8"?>\n';
  const unfinished = log.unfinishedRefs;
  yield `<testsuites name="Turnlight"${totalAttributes(results, unfinished.length)}>\n`;
  for (const some of suites.values()) {
    for (const line of suiteLines(some, log, shown)) yield `${line}\n`;
  }
  for (const line of unfinishedLines(unfinished, shown)) yield `${line}\n`;
  yield '</testsuites>\n';
};

type PathFormatter = (path: string) => string;

function* suiteLines(
  results: readonly [CaseResult, ...CaseResult[]],
  log: RunLog,
  shown: PathFormatter,
): Generator<string> {
  const [first] = results[0].lines;
  const started = log.run?.started.replace(/\.\d+Z$/, '');
  const attributes = [
    attribute('name', first.suite_name),
    attribute('file', shown(first.suite)),
    ...(started ? [attribute('timestamp', started)] : []),
  ].join('');
  yield `  <testsuite${attributes}${totalAttributes(results)}>`;
  yield* variantLines(results, log);
  for (const result of results) yield* caseLines(result, log, shown);
  yield '  </testsuite>';
}

/** How the variants of the run's targets compare. */
function* variantLines(results: readonly CaseResult[], { variants }: RunLog): Generator<string> {
  const names = new Set(results.map(({ lines }) => lines[0].target_variant?.name));
  const own = variants.filter((one) => one.variants.some(({ name }) => names.has(name)));
  const sentences = own.flatMap(variantSentences);
  if (sentences.length === 0) return;
  yield '    <properties>';
  for (const [index, one] of sentences.entries()) {
    yield `      <property${attribute('name', `variants.${index + 1}`)}${attribute('value', one)}/>`;
  }
  yield '    </properties>';
}

/** Cases without a result, which are added so that the counts include them. */
function* unfinishedLines(refs: readonly CaseRef[], shown: PathFormatter): Generator<string> {
  if (refs.length === 0) return;
  yield `  <testsuite name="Not finished"${totalAttributes([], refs.length)}>`;
  for (const ref of refs) {
    const path = shown(ref.suite);
    const name = attribute('name', `${caseName(ref)} ${ref.repetition}`);
    yield `    <testcase${attribute('classname', path)}${name}${attribute('file', path)} time="0">`;
    yield '      <error message="The case did not finish." type="not-finished"/>';
    yield '    </testcase>';
  }
  yield '  </testsuite>';
}

function caseLines(result: CaseResult, log: RunLog, shown: PathFormatter): string[] {
  const [first] = result.lines;
  const attributes = [
    attribute('classname', first.suite_name),
    attribute('name', caseName(first)),
    attribute('file', shown(first.source.path)),
    attribute('line', String(first.source.range.start.line + 1)),
    attribute('time', seconds(durationOf(result))),
  ].join('');
  const failed = [...log.lines(result.lines.filter(isFailure))];
  if (result.status === 'pass' && failed.length === 0) return [`    <testcase${attributes}/>`];
  return [`    <testcase${attributes}>`, resultElement(result, failed, shown), '    </testcase>'];
}

function resultElement(
  { status, lines }: CaseResult,
  bad: readonly CaseLine[],
  shown: PathFormatter,
): string {
  const style = { paint: createPaint(false), shownPath: shown };
  const text = bad.flatMap((line) => describeFailure(line, [], style)).join('\n');
  // If enough repetitions passed, failed ones are shown only as output.
  if (status === 'pass') return `      <system-out>${escapeXml(text)}</system-out>`;
  const message = attribute(
    'message',
    bad.length > 0 ? messageText(bad, badVerdicts) : messageText(lines, () => []),
  );
  if (status === 'skipped') return `      <skipped${message}/>`;
  const tag = status === 'fail' ? 'failure' : 'error';
  const type = attribute('type', status === 'fail' ? 'failed' : errorType(bad));
  return `      <${tag}${message}${type}>${escapeXml(text)}</${tag}>`;
}

/** @param more what to append to the reason on a line */
function messageText<Line extends CaseSummary>(
  lines: readonly Line[],
  more: (line: Line) => string[],
): string {
  return lines
    .map((line) => {
      const words = [...(line.reason ? [line.reason] : []), ...more(line)].join('; ');
      return line.repetitions > 1 ? `${executionTitle(line)}: ${words}` : words;
    })
    .join('; ');
}

function badVerdicts(line: CaseLine): string[] {
  return line.verdicts.filter(isFailure).map(({ assertion, status, misses, rationale }) => {
    const why = misses[0] ?? rationale;
    const what = status === 'fail' ? 'failed' : 'could not be judged';
    return `${assertion.name} ${what}${why === '' ? '' : `: ${why}`}`;
  });
}

function errorType(lines: readonly CaseLine[]): string {
  const verdicts = lines.flatMap((line) => line.verdicts);
  return verdicts.find(({ status }) => status === 'error')?.reason ?? 'errored';
}

function durationOf({ lines }: CaseResult): number {
  return lines.reduce((sum, line) => sum + line.duration, 0);
}

function totalAttributes(results: readonly CaseResult[], unfinished = 0): string {
  const count = (status: Status) => results.filter((result) => result.status === status).length;
  const time = results.reduce((sum, result) => sum + durationOf(result), 0);
  return [
    attribute('tests', String(results.length + unfinished)),
    attribute('failures', String(count('fail'))),
    attribute('errors', String(count('error') + unfinished)),
    attribute('skipped', String(count('skipped'))),
    attribute('time', seconds(time)),
  ].join('');
}

function seconds(milliseconds: number): string {
  return (milliseconds / 1000).toFixed(3);
}

function attribute(name: string, value: string): string {
  return ` ${name}="${escapeXml(visibleLine(value))}"`;
}

/** Escapes text for XML, and so that it is safe to print to a CI log. */
function escapeXml(text: string): string {
  return plainLog(visibleText(text))
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
