import { relative, sep } from 'node:path';
import { type CaseIdentity, caseKey } from '../core/identity.ts';
import type { Repetition } from '../core/record/repetitions.ts';
import { type CaseLine, isIncluded } from '../core/record/runRecord.ts';
import { isFailure } from '../core/scoring.ts';
import { visibleLine } from '../core/text/visibleText.ts';
import {
  allKeyedVerdicts,
  keyedVerdicts,
  type Status,
  statusSchema,
  type Verdict,
} from '../core/verdict.ts';
import { conversationHash } from '../node/hashes.ts';

/** A verdict without its text, except for its reason if it didn't pass. */
export interface ComparedVerdict {
  readonly status: Status;
  readonly score: number | null;
  readonly threshold: number;
  /** `2 pass,4 fail` */
  readonly turns: string;
  readonly judge?: string;
  readonly samples: number;
  readonly unstable: boolean;
  /** Whether all of its answers came from the cache. */
  readonly cached: boolean;
  readonly question?: string;
  /** By `conversationHash`. */
  readonly conversation: string;
  readonly reason?: string;
}

/** One assertion of a case, across repetitions. */
export interface ComparisonAssertion {
  /** Key that is unique within its case, even among identical assertions. */
  readonly key: string;
  readonly name: string;
  readonly path: string;
  /** From 1. */
  readonly line: number;
  readonly threshold: number;
  readonly verdicts: ComparedVerdict[];
}

export interface ComparedExecution {
  readonly status: Status;
  readonly score: number | null;
  readonly conversation: string;
  readonly input?: string;
  readonly target?: string;
  /** Verdicts on `required` assertions that failed. */
  readonly verdicts: Repetition['verdicts'];
}

export interface ComparisonCase extends CaseIdentity {
  readonly path: string;
  /** The name of the included file that contains it, if any. */
  readonly included?: string;
  /** From 1. */
  readonly line: number;
  readonly mustPass: number;
  readonly executions: ComparedExecution[];
  readonly assertions: Map<string, ComparisonAssertion>;
  /** Assertions in groups, which aren't used to compare runs. */
  readonly nested: Map<string, ComparisonAssertion>;
}

const REASON_LENGTH = 200;

/** The case data needed for comparisons: a few hundred bytes per verdict. */
export class ComparisonData {
  /** Cases by suite, id, and variant. */
  readonly cases = new Map<string, ComparisonCase>();
  /** Returns a suite's name, which is the same in all compared runs. */
  readonly nameOf: (suite: string) => string;
  readonly #texts = new Map<string, string>();

  /** @param nameOf returns, for example, a path from the root */
  constructor(nameOf: (suite: string) => string = (suite) => suite) {
    this.nameOf = nameOf;
  }

  add(line: CaseLine): void {
    const identity = { suite: this.nameOf(line.suite), id: line.id, variant: line.variant };
    const key = caseKey(identity);
    const known = this.cases.get(key) ?? {
      ...identity,
      suite: this.#intern(identity.suite),
      path: this.#intern(line.source.path),
      ...(isIncluded(line) && {
        included: this.#intern(this.nameOf(line.source.path)),
      }),
      line: line.source.range.start.line + 1,
      mustPass: line.must_pass ?? 1,
      executions: [],
      assertions: new Map<string, ComparisonAssertion>(),
      nested: new Map<string, ComparisonAssertion>(),
    };
    this.cases.set(key, known);
    const conversation = conversationHash(line.conversation);
    known.executions.push({
      status: line.status,
      score: line.score,
      conversation,
      ...(line.input_hash !== undefined && { input: line.input_hash }),
      ...(line.target && { target: this.#intern(targetText(line.target)) }),
      verdicts: line.verdicts
        .filter((one) => one.assertion.required && isFailure(one))
        .map(({ status }) => ({ status, assertion: { required: true } })),
    });
    for (const [own, verdict] of keyedVerdicts(line.verdicts)) {
      this.#addVerdict(known.assertions, own, verdict, conversation);
      for (const [inner, one] of allKeyedVerdicts(verdict.nested ?? [])) {
        this.#addVerdict(known.nested, inner, one, conversation);
      }
    }
  }

  #addVerdict(
    into: Map<string, ComparisonAssertion>,
    key: string,
    verdict: Verdict,
    conversation: string,
  ): void {
    const { status, score, threshold, judge, question_hash: question, usage } = verdict;
    const { name, path, line } = verdict.assertion;
    const known = into.get(key) ?? {
      key: this.#intern(key),
      name: this.#intern(name),
      path: this.#intern(path),
      line,
      threshold,
      verdicts: [],
    };
    into.set(key, known);
    const turns = verdict.turns.map((one) => `${one.turn} ${one.status}`).join(',');
    known.verdicts.push({
      status,
      score,
      threshold,
      turns: this.#intern(turns),
      samples: judge?.samples ?? 1,
      unstable: judge?.unstable ?? false,
      cached: usage.calls === 0 && (usage.from_cache ?? 0) > 0,
      conversation,
      ...(judge && { judge: this.#intern(judge.model) }),
      ...(question !== undefined && { question: this.#intern(question) }),
      ...(isFailure(verdict) && { reason: visibleLine(reasonOf(verdict), REASON_LENGTH) }),
    });
  }

  /** Returns the stored copy of a string, so that equal strings use memory only once. */
  #intern(text: string): string {
    const known = this.#texts.get(text) ?? text;
    this.#texts.set(known, known);
    return known;
  }
}

/** The status of each turn, by turn number. */
export function turnStatuses({ turns }: Pick<ComparedVerdict, 'turns'>): Map<number, Status> {
  return new Map(
    turns.split(',').flatMap((one): [number, Status][] => {
      const [turn, given] = one.split(' ');
      const status = statusSchema.options.find((option) => option === given);
      return status ? [[Number(turn), status]] : [];
    }),
  );
}

function reasonOf({ rationale, turns }: Verdict): string {
  const first = turns.find(isFailure);
  return first?.rationale ? `Turn ${first.turn}: ${first.rationale}` : rationale;
}

/** `agent (module, 1f2e3d4c)`, `agent (chat, 1f2e3d4c, environment 9a8b7c6d)` */
function targetText({ name, type, digest, filled_in }: NonNullable<CaseLine['target']>): string {
  const filled = filled_in === undefined ? '' : `, environment ${filled_in.slice(0, 8)}`;
  return `${name} (${type}, ${digest.slice(0, 8)}${filled})`;
}

/**
 * Names a suite by its path from the root, which is the same in every checkout, or by its absolute path if a run has
 * records under several roots.
 *
 * @param roots the roots of the run's records, followed by those of each run that it is compared with
 */
export function suiteNames(
  roots: readonly string[],
  ...others: readonly (readonly string[])[]
): (suite: string) => string {
  const [root = '', ...more] = roots;
  if (more.length > 0 || others.some(({ length }) => length > 1)) return (suite) => suite;
  return (suite) => relative(root, suite).split(sep).join('/');
}
