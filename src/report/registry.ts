import type { Reporter } from './reporter.ts';

/** Where a report is written. */
export interface ReportScene {
  /** Paths are given relative to it. */
  readonly folder: string;
}

interface ReporterEntry {
  /** What it writes, for the help. */
  readonly writes: string;
  /** Whether its text is commands to a CI, which go nowhere but to standard output. */
  readonly commands?: true;
  create(scene: ReportScene): Promise<Reporter>;
}

/** Reporters that write a text when the run is over; the terminal's writes all the while. */
export const REPORTERS = {
  json: {
    writes: 'all that the record holds, with sums, as JSON',
    create: async () => new (await import('./json.ts')).JsonReporter(),
  },
  junit: {
    writes: "JUnit's XML, for CI",
    create: async ({ folder }) => new (await import('./junit.ts')).JUnitReporter(folder),
  },
  markdown: {
    writes: 'a summary with every failure, for a pull request',
    create: async ({ folder }) => new (await import('./markdown.ts')).MarkdownReporter(folder),
  },
  github: {
    writes:
      'annotations at the failed turns, and the Markdown as the step summary of GitHub Actions',
    commands: true,
    create: async ({ folder }) => new (await import('./github.ts')).GitHubReporter(folder),
  },
  html: {
    writes: 'one page with every conversation as the editor shows it; opens without a network',
    create: async ({ folder }) => (await import('./html.ts')).HtmlReporter.create(folder),
  },
  csv: {
    writes: 'a row for each verdict and each judged turn',
    create: async () => new (await import('./csv.ts')).CsvReporter(),
  },
  otlp: {
    writes: 'OpenTelemetry log events `gen_ai.evaluation.result`, as OTLP JSON',
    create: async () => new (await import('./otlp.ts')).OtlpReporter(),
  },
} as const satisfies Readonly<Record<string, ReporterEntry>>;

export type FileReporterName = keyof typeof REPORTERS;

export type ReporterName = FileReporterName | 'terminal';

export const REPORTER_NAMES = ['terminal', ...Object.keys(REPORTERS)] as readonly ReporterName[];
