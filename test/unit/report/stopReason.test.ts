import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { writeCsv } from '../../../src/report/csv.ts';
import { writeJson } from '../../../src/report/json.ts';
import { writeJUnit } from '../../../src/report/junit.ts';
import { writeMarkdown } from '../../../src/report/markdown.ts';
import { writeOtlp } from '../../../src/report/otlp.ts';
import type { ReportWriter } from '../../../src/report/reporter.ts';
import { TerminalReporter } from '../../../src/report/terminal.ts';
import { buildVerdict } from '../../support/build.ts';
import { buildCaseLine, runEvents } from '../../support/buildRun.ts';
import { reported } from '../../support/reported.ts';

const LINE = buildCaseLine({
  id: 'returns',
  status: 'fail',
  origin: 'simulate',
  stop_reason: 'goal-refused',
  stop_rationale: 'It has no label.',
  verdicts: [buildVerdict({ name: 'Kind', status: 'fail', score: 0 })],
});

describe('why a simulated conversation ended', () => {
  const reports: [string, ReportWriter, RegExp][] = [
    ['Markdown', writeMarkdown, /Ended: goal refused: It has no label/],
    ['JUnit', writeJUnit, /Ended: goal refused: It has no label\./],
    ['CSV', writeCsv, /goal-refused,It has no label\./],
    ['JSON', writeJson, /"stop_rationale": "It has no label\."/],
    ['OTLP', writeOtlp, /turnlight\.case\.stop_reason.*goal-refused/s],
  ];
  for (const [name, write, expected] of reports) {
    it(`appears in ${name}`, () => {
      assert.match(reported(write, runEvents([LINE])), expected);
    });
  }

  it('appears in the terminal, when the case finishes and at its failure', () => {
    let shown = '';
    const reporter = new TerminalReporter({
      write: (text) => {
        shown += text;
      },
      live: false,
      colors: false,
      size: () => ({ columns: 120, rows: 40 }),
      folder: '/work',
      now: () => 0,
    });
    for (const event of runEvents([LINE])) reporter.event(event);
    reporter.finish();
    assert.equal(shown.match(/goal refused: It has no label\./g)?.length, 2);
  });
});
