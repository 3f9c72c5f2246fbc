import type { Problem, Range } from '../core/problem.ts';
import type { ExpandedCase, MessageHistory, Suite, SuiteCase } from '../core/suite.ts';
import type { SpillBuffer } from '../disk/spillBuffer.ts';

/** The result of `loadSuite`, even for an invalid file. */
export interface LoadedSuite {
  readonly path: string;
  /** Sorted by location. Problems in included files, prompts, and transcripts have those files' paths. */
  readonly problems: readonly Problem[];
  /** Every case that can be found, valid or not, in order; included files' after the file's own. */
  readonly outline: readonly OutlineCase[];
  /** The cases without an error, ready to run; absent if the file as a whole cannot run. */
  readonly suite?: Suite;
  /** Other files that it depends on, absolute: included files, prompts, transcripts. */
  readonly dependencies: readonly string[];
}

/** A suite without its cases and problems, for suites that aren't open. */
export function withoutCases({ suite, ...loaded }: LoadedSuite): LoadedSuite {
  return { ...loaded, problems: [], ...(suite && { suite: { ...suite, cases: [] } }) };
}

/** A case for the Testing panel, the outline, and code lenses. */
export interface OutlineCase {
  readonly id?: string;
  readonly description?: string;
  /** Its file: the suite's or an included one. */
  readonly path: string;
  readonly range: Range;
  /** The `id` value, or else the case's first line. */
  readonly nameRange: Range;
  /** Scripted user turns or transcript messages, with the turn number each belongs to if known. */
  readonly turns: readonly OutlineTurn[];
  /** Its transcript or history, even if other errors keep the case from running. */
  readonly said?: MessageHistory;
  readonly assertions: readonly OutlineAssertion[];
  readonly tags: readonly string[];
  readonly repetitions: number;
  /** Identifies the sources of its variants, if it has several. */
  readonly several?: string;
  /** SHA-256 of the case's text, hexadecimal. */
  readonly hash: string;
  /** The errors that keep it from running, including those of its file. */
  readonly errors: readonly Problem[];
}

export interface OutlineTurn {
  readonly label: string;
  readonly range: Range;
  readonly role: string;
  /** Turn numbers of this line: `[1]` in a transcript; `[1, 2]` for a scripted user turn and its reply. */
  readonly turns: readonly number[];
}

export interface OutlineAssertion extends WrittenAssertion {
  /** Index in the case's list, as in a verdict. */
  readonly index: number;
  readonly label: string;
  readonly path: string;
  readonly range: Range;
}

/** Replaces the judges of a file. */
export interface JudgeOverride {
  readonly judge?: string;
  readonly baseUrl?: string;
  /** Whether the user gave the address, so that keys may go there. Default: true. */
  readonly isOwnAddress?: boolean;
}

export interface LoadOptions {
  /** The folder that paths must not leave. */
  readonly workspace: string;
  /** `provider:model`, used if neither file nor case sets a judge. */
  readonly defaultJudge?: string;
  /** Replaces every judge: the command line's `--judge` and `--base-url`. */
  readonly judgeOverride?: JudgeOverride;
  readonly signal?: AbortSignal;
  readonly env: (name: string) => string | undefined;
}

/**
 * The suite with each variant as a case of its own, and problems of finding them.
 *
 * @param expand returns the variants of a case; undefined to keep it as it is
 */
export async function expandSuite(
  loaded: LoadedSuite,
  expand: (suiteCase: SuiteCase) => Promise<ExpandedCase | undefined> = expandCase,
): Promise<LoadedSuite> {
  const { suite } = loaded;
  if (!suite?.cases.some((one) => one.expand)) return loaded;
  const cases: SuiteCase[] = [];
  const problems = [...loaded.problems];
  const dependencies = new Set(loaded.dependencies);
  for (const one of suite.cases) {
    const expanded = await expand(one);
    cases.push(...(expanded?.cases ?? [one]));
    problems.push(...(expanded?.problems ?? []));
    for (const file of expanded?.files ?? []) dependencies.add(file);
  }
  const whole: Suite = { ...suite, cases };
  return { ...loaded, problems, dependencies: [...dependencies], suite: whole };
}

async function expandCase(suiteCase: SuiteCase): Promise<ExpandedCase | undefined> {
  return suiteCase.expand?.();
}

/**
 * The same suite in little memory: the conversations that its file contains are texts in the buffer until their cases are
 * opened, and the outline has no turns. As data, with the place of each message, thousands take a gigabyte.
 */
export function compactSuite(
  { suite, outline, ...loaded }: LoadedSuite,
  conversations: SpillBuffer,
): LoadedSuite {
  return {
    ...loaded,
    outline: outline.map(({ said: _, ...one }) => ({ ...one, turns: [] })),
    ...(suite && {
      suite: { ...suite, cases: suite.cases.map((one) => compactCase(one, conversations)) },
    }),
  };
}

function compactCase(suiteCase: SuiteCase, conversations: SpillBuffer): SuiteCase {
  // Cases that are read later have no conversation yet.
  if (suiteCase.open || suiteCase.expand || suiteCase.origin.kind !== 'transcript')
    return suiteCase;
  const { messages, ...origin } = suiteCase.origin;
  const text = conversations.put(JSON.stringify(messages));
  const light: SuiteCase = { ...suiteCase, origin: { ...origin, messages: [] } };
  const open = async () => ({
    suiteCase: {
      ...light,
      origin: { ...origin, messages: JSON.parse(conversations.get(text)) },
    },
    problems: [],
  });
  return { ...light, open };
}

export interface WrittenAssertion {
  readonly given: unknown;
  /** From 0: the scripted turn that contains it. */
  readonly scriptedTurn?: number;
}
