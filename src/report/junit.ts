import { isAbsolute, relative } from 'node:path';
import type { CaseLine } from '../core/runRecord.ts';
import type { Status } from '../core/verdict.ts';
import type { RunEvent } from '../runner/events.ts';
import { describeFailure } from './failures.ts';
import { createPaint } from './paint.ts';
import { type Reporter, RunLog, titleOf } from './reporter.ts';

/**
 * JUnit's XML, as continuous integration reads it: a suite per eval file, a test case per case (and
 * repetition). A judged failure is a `failure`, what could not be judged or run an `error`.
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
    const { cases } = this.#log;
    const suites = [...new Set(cases.map((line) => line.suite))].map((suite) =>
      this.#suite(cases.filter((line) => line.suite === suite)),
    );
    return [
      '<?xml version="1.0" encoding="UTF-8"?>',
      `<testsuites name="Turnlight"${totals(cases)}>`,
      ...suites.flat(),
      '</testsuites>',
      '',
    ].join('\n');
  }

  #suite(lines: readonly CaseLine[]): string[] {
    const [first] = lines;
    if (!first) return [];
    const started = this.#log.run?.started.replace(/\.\d+Z$/, '');
    const attributes = [
      attribute('name', first.suite_name),
      attribute('file', this.#shownPath(first.suite)),
      ...(started ? [attribute('timestamp', started)] : []),
    ].join('');
    return [
      `  <testsuite${attributes}${totals(lines)}>`,
      ...lines.flatMap((line) => this.#case(line)),
      '  </testsuite>',
    ];
  }

  #case(line: CaseLine): string[] {
    const attributes = [
      attribute('classname', line.suite_name),
      attribute('name', titleOf(line)),
      attribute('file', this.#shownPath(line.source.path)),
      attribute('line', String(line.source.range.start.line + 1)),
      attribute('time', seconds(line.duration)),
    ].join('');
    if (line.status === 'pass') return [`    <testcase${attributes}/>`];
    return [`    <testcase${attributes}>`, this.#outcome(line), '    </testcase>'];
  }

  #outcome(line: CaseLine): string {
    const message = attribute('message', messageOf(line));
    if (line.status === 'skipped') return `      <skipped${message}/>`;
    const tag = line.status === 'fail' ? 'failure' : 'error';
    const type = attribute('type', line.status === 'fail' ? 'failed' : errorType(line));
    const text = describeFailure(line, [], createPaint(false), (path) => this.#shownPath(path));
    return `      <${tag}${message}${type}>${escaped(text.join('\n'))}</${tag}>`;
  }

  #shownPath(path: string): string {
    const shown = relative(this.#folder, path);
    return (shown.startsWith('..') || isAbsolute(shown) ? path : shown).replaceAll('\\', '/');
  }
}

function messageOf(line: CaseLine): string {
  const bad = line.verdicts.filter(({ status }) => status === 'fail' || status === 'error');
  const names = bad.map(({ assertion, status, misses, rationale }) => {
    const why = misses[0] ?? rationale;
    return `${assertion.name} ${status === 'fail' ? 'failed' : 'could not be judged'}${why === '' ? '' : `: ${why}`}`;
  });
  return [...(line.reason ? [line.reason] : []), ...names].join('; ');
}

function errorType(line: CaseLine): string {
  return line.verdicts.find(({ status }) => status === 'error')?.reason ?? 'errored';
}

function totals(lines: readonly CaseLine[]): string {
  const count = (status: Status) => String(lines.filter((line) => line.status === status).length);
  const time = lines.reduce((sum, line) => sum + line.duration, 0);
  return [
    attribute('tests', String(lines.length)),
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
  return ` ${name}="${escaped(value).replaceAll('\n', '&#10;').replaceAll('\t', '&#9;')}"`;
}

/** XML has no way to write most control characters, lone surrogates, U+FFFE and U+FFFF. */
const NOT_IN_XML = /[^\t\n\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu;

function escaped(text: string): string {
  return text
    .replace(/\r\n?/g, '\n')
    .replace(NOT_IN_XML, '\ufffd')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}
