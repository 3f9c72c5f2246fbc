import type { ReportWriter } from './reporter.ts';

interface ReporterEntry {
  /** What the reporter writes, for the help. */
  readonly writes: string;
  /** Set if its output consists of CI commands, which work only on standard output. */
  readonly commands?: true;
  /** Set if it doesn't need the conversations of passed cases. */
  readonly covers?: 'failures';
  load(): Promise<ReportWriter>;
}

/** Reporters that write after the run. The terminal reporter also writes during the run. */
export const REPORTERS = {
  json: {
    writes: 'the whole record and totals, as JSON',
    load: async () => (await import('./json.ts')).writeJson,
  },
  junit: {
    writes: 'JUnit XML, for CI',
    covers: 'failures',
    load: async () => (await import('./junit.ts')).writeJUnit,
  },
  markdown: {
    writes: 'a summary with every failure, for a pull request',
    covers: 'failures',
    load: async () => (await import('./markdown.ts')).writeMarkdown,
  },
  github: {
    writes: 'GitHub Actions annotations at the failed turns, and the Markdown as the step summary',
    commands: true,
    covers: 'failures',
    load: async () => (await import('./github.ts')).writeAnnotations,
  },
  html: {
    writes: 'a page that shows every conversation as the editor does; works offline',
    load: async () => (await import('./html.ts')).htmlReport(),
  },
  csv: {
    writes: 'a row for each verdict and each judged turn',
    load: async () => (await import('./csv.ts')).writeCsv,
  },
  otlp: {
    writes: 'OpenTelemetry log events `gen_ai.evaluation.result`, as OTLP JSON',
    load: async () => (await import('./otlp.ts')).writeOtlp,
  },
  deepeval: {
    writes: "a test run in DeepEval's JSON: test cases with turns and metrics",
    load: async () => (await import('./deepeval.ts')).writeDeepEval,
  },
  azure: {
    writes: "rows and metrics in the JSON of Azure's `evaluate`",
    load: async () => (await import('./azure.ts')).writeAzure,
  },
} as const satisfies Readonly<Record<string, ReporterEntry>>;

export type FileReporterName = keyof typeof REPORTERS;

/** Undefined for the terminal reporter. */
export function findReporter(name: ReporterName): ReporterEntry | undefined {
  return name === 'terminal' ? undefined : REPORTERS[name];
}

export type ReporterName = FileReporterName | 'terminal';

export const REPORTER_NAMES = ['terminal', ...Object.keys(REPORTERS)] as readonly ReporterName[];
