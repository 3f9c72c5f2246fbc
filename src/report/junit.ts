import { visibleText } from '../core/presentation/visibleText.ts';
import type { CaseLine } from '../core/runRecord.ts';
import type { Status } from '../core/verdict.ts';
import type { RunEvent } from '../runner/events.ts';
import { describeFailure } from './failures.ts';
import { createPaint } from './paint.ts';
import { type CaseOutcome, type Reporter, RunLog, titleOf } from './reporter.ts';
import { shownPath } from './shownPath.ts';

/**
 * JUnit's XML, as continuous integration reads it: a suite per eval file, a test case per case, its
 * repetitions taken together. A judged failure is a `failure`, what could not be judged or run an `error`.
 *
 * @param folder paths are given relative to it
 */
export class JUnitReporter implements Reporter {
  readonly #folder: string;
  readonly #log = new RunLog();

  constructor(folder: string) {
    this.#folder = folder;
  }

  event(event: RunEvent): void {
    this.#log.add(event);
  }

  finish(): string {
    const { outcomes } = this.#log;
    const suites = [...new Set(outcomes.map(({ lines }) => lines[0].suite))].map((suite) =>
      this.#suite(outcomes.filter(({ lines }) => lines[0].suite === suite)),
    );
    return [
      '<?xml version="1.0" encoding="UTF-8"?>',
      `<testsuites name="Turnlight"${totals(outcomes)}>`,
      ...suites.flat(),
      '</testsuites>',
      '',
    ].join('\n');
  }

  #suite(outcomes: readonly CaseOutcome[]): string[] {
    const first = outcomes[0]?.lines[0];
    if (!first) return [];
    const started = this.#log.run?.started.replace(/\.\d+Z$/, '');
    const attributes = [
      attribute('name', first.suite_name),
      attribute('file', this.#shownPath(first.suite)),
      ...(started ? [attribute('timestamp', started)] : []),
    ].join('');
    return [
      `  <testsuite${attributes}${totals(outcomes)}>`,
      ...outcomes.flatMap((outcome) => this.#case(outcome)),
      '  </testsuite>',
    ];
  }

  #case(outcome: CaseOutcome): string[] {
    const [first] = outcome.lines;
    const attributes = [
      attribute('classname', first.suite_name),
      attribute('name', first.id),
      attribute('file', this.#shownPath(first.source.path)),
      attribute('line', String(first.source.range.start.line + 1)),
      attribute('time', seconds(durationOf(outcome))),
    ].join('');
    const bad = outcome.lines.filter(({ status }) => status === 'fail' || status === 'error');
    if (outcome.status === 'pass' && bad.length === 0) return [`    <testcase${attributes}/>`];
    return [`    <testcase${attributes}>`, this.#outcome(outcome, bad), '    </testcase>'];
  }

  #outcome({ status, lines }: CaseOutcome, bad: readonly CaseLine[]): string {
    const text = bad
      .flatMap((line) =>
        describeFailure(line, [], createPaint(false), (path) => this.#shownPath(path)),
      )
      .join('\n');
    // Repetitions that failed where enough others passed are told, and are no failure.
    if (status === 'pass') return `      <system-out>${escaped(text)}</system-out>`;
    const message = attribute('message', messageOf(bad.length > 0 ? bad : lines));
    if (status === 'skipped') return `      <skipped${message}/>`;
    const tag = status === 'fail' ? 'failure' : 'error';
    const type = attribute('type', status === 'fail' ? 'failed' : errorType(bad));
    return `      <${tag}${message}${type}>${escaped(text)}</${tag}>`;
  }

  #shownPath(path: string): string {
    return shownPath(path, this.#folder).replaceAll('\\', '/');
  }
}

function messageOf(lines: readonly CaseLine[]): string {
  return lines
    .map((line) => {
      const words = [...(line.reason ? [line.reason] : []), ...badVerdicts(line)].join('; ');
      return line.repetitions > 1 ? `${titleOf(line)}: ${words}` : words;
    })
    .join('; ');
}

function badVerdicts(line: CaseLine): string[] {
  return line.verdicts
    .filter(({ status }) => status === 'fail' || status === 'error')
    .map(({ assertion, status, misses, rationale }) => {
      const why = misses[0] ?? rationale;
      const what = status === 'fail' ? 'failed' : 'could not be judged';
      return `${assertion.name} ${what}${why === '' ? '' : `: ${why}`}`;
    });
}

function errorType(lines: readonly CaseLine[]): string {
  const verdicts = lines.flatMap((line) => line.verdicts);
  return verdicts.find(({ status }) => status === 'error')?.reason ?? 'errored';
}

function durationOf({ lines }: CaseOutcome): number {
  return lines.reduce((sum, line) => sum + line.duration, 0);
}

function totals(outcomes: readonly CaseOutcome[]): string {
  const count = (status: Status) =>
    String(outcomes.filter((outcome) => outcome.status === status).length);
  const time = outcomes.reduce((sum, outcome) => sum + durationOf(outcome), 0);
  return [
    attribute('tests', String(outcomes.length)),
    attribute('failures', count('fail')),
    attribute('errors', count('error')),
    attribute('skipped', count('skipped')),
    attribute('time', seconds(time)),
  ].join('');
}

function seconds(milliseconds: number): string {
  return (milliseconds / 1000).toFixed(3);
}

function attribute(name: string, value: string): string {
  return ` ${name}="${escaped(value).replaceAll('\n', '&#10;')}"`;
}

/** XML has no way to write control characters, lone surrogates and U+FFFE: they are shown by number. */
function escaped(text: string): string {
  return visibleText(text)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
