import { pushAll } from '../core/data/data.ts';
import type { Problem, Range } from '../core/problem.ts';
import type { ExpandedCase, MessageHistory, Suite, SuiteCase } from '../core/suite.ts';
import type { SpillBuffer } from '../disk/spillBuffer.ts';

/** The result of `loadSuite`, even for an invalid file. */
export interface LoadedSuite {
  readonly path: string;
  /** Sorted by location; includes problems in included files, prompts, and transcripts. */
  readonly problems: readonly Problem[];
  /** All cases, valid or not: first the file's own cases, then included ones. */
  readonly outline: readonly OutlineCase[];
  /** The cases without errors, ready to run; absent if there are none. */
  readonly suite?: Suite;
  /** Absolute paths of other files that it depends on: included files, prompts, and transcripts. */
  readonly dependencies: readonly string[];
}

/** Drops a suite's cases and problems, for a file that isn't open. */
export function withoutCases({ suite, ...loaded }: LoadedSuite): LoadedSuite {
  return { ...loaded, problems: [], ...(suite && { suite: { ...suite, cases: [] } }) };
}

/** A case for the Testing panel, the outline, and code lenses. */
export interface OutlineCase {
  readonly id?: string;
  readonly description?: string;
  /** The file that contains it: the suite's file or an included one. */
  readonly path: string;
  readonly range: Range;
  /** The range of the `id` value, or else of the case's first line. */
  readonly nameRange: Range;
  /** Scripted user turns or transcript messages. */
  readonly turns: readonly OutlineTurn[];
  /** Its transcript or history, even if the case can't run. */
  readonly said?: MessageHistory;
  readonly assertions: readonly OutlineAssertion[];
  readonly tags: readonly string[];
  readonly repetitions: number;
  /** Identifies where its variants come from; set if it has several. */
  readonly several?: string;
  /** SHA-256 of the case's text, hexadecimal. */
  readonly hash: string;
  /** The errors that prevent the case from running, including errors about its whole file. */
  readonly errors: readonly Problem[];
}

export interface OutlineTurn {
  readonly label: string;
  readonly range: Range;
  readonly role: string;
  /** Numbers of the turns on this line: `[1]` in a transcript; `[1, 2]` for a scripted user turn and its reply. */
  readonly turns: readonly number[];
}

export interface OutlineAssertion extends WrittenAssertion {
  /** Index in the case's list, as in a verdict. */
  readonly index: number;
  readonly label: string;
  readonly path: string;
  readonly range: Range;
}

/** Replaces a file's judges. */
export interface JudgeOverride {
  readonly judge?: string;
  readonly baseUrl?: string;
  /** Whether the user gave the address, so that keys may be sent to it. Default: true. */
  readonly isOwnAddress?: boolean;
}

export interface LoadOptions {
  /** The folder that paths in the file must not leave. */
  readonly workspace: string;
  /** The absolute path of the `--dotenv` file, which eval files may not reference. */
  readonly dotenv?: string;
  /** `provider:model` of the judge to use if neither the file nor the case sets one. */
  readonly defaultJudge?: string;
  /** Replaces every judge, as the command line's `--judge` and `--base-url` do. */
  readonly judgeOverride?: JudgeOverride;
  /**
   * The name of the target that replaces all cases' targets and their variants, as the command line's `--target` does.
   */
  readonly target?: string;
  readonly signal?: AbortSignal;
  readonly env: (name: string) => string | undefined;
}

/**
 * The suite with each variant as a separate case, and problems found along the way.
 *
 * @param expand returns the variants of a case; undefined to keep the case as it is
 */
export async function expandSuite(
  loaded: LoadedSuite,
  expand = async (suiteCase: SuiteCase): Promise<ExpandedCase | undefined> => suiteCase.expand?.(),
): Promise<LoadedSuite> {
  const { suite } = loaded;
  if (!suite?.cases.some((one) => one.expand)) return loaded;
  const cases: SuiteCase[] = [];
  const problems = [...loaded.problems];
  const dependencies = new Set(loaded.dependencies);
  for (const one of suite.cases) {
    const expanded = await expand(one);
    pushAll(cases, expanded?.cases ?? [one]);
    pushAll(problems, expanded?.problems ?? []);
    for (const file of expanded?.files ?? []) dependencies.add(file);
  }
  return { ...loaded, problems, dependencies: [...dependencies], suite: { ...suite, cases } };
}

/**
 * A copy of a suite that takes little memory: its conversations are stored as text in the buffer until their cases are
 * opened, and the outline has no turns. As objects, thousands of conversations would take up a gigabyte.
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
  // Cases that are read later don't have a conversation yet.
  if (suiteCase.open || suiteCase.expand || suiteCase.origin.kind !== 'transcript')
    return suiteCase;
  const { messages, ...origin } = suiteCase.origin;
  const text = conversations.put(JSON.stringify(messages));
  const light: SuiteCase = { ...suiteCase, origin: { ...origin, messages: [] } };
  const open = async () => {
    const messages = JSON.parse(conversations.get(text));
    return { suiteCase: { ...light, origin: { ...origin, messages } }, problems: [] };
  };
  return { ...light, open };
}

export interface WrittenAssertion {
  readonly given: unknown;
  /** Index of the scripted turn that contains it, from 0. */
  readonly scriptedTurn?: number;
}
