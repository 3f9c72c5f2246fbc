import type { Estimate } from '../core/estimate.ts';
import type { CaseLine } from '../core/runRecord.ts';
import type { SuiteCase } from '../core/suite.ts';
import type { LoadedSuite } from '../evalfile/loadedSuite.ts';
import type { YamlDocument } from '../yaml/yamlDocument.ts';

/** An eval file as the features see it: parsed once for each version of its text. */
export interface EvalDocument {
  readonly yaml: YamlDocument;
  readonly suite: LoadedSuite;
}

/** What the last runs said about a case, one line for each repetition; empty where it never ran. */
export type LastRuns = (suite: string, id: string) => Promise<readonly CaseLine[]>;

/** What a run of a case would take. */
export type Estimating = (suiteCase: SuiteCase) => Promise<Estimate>;
