import { type SourcedMessage, toConversation } from '../../src/core/conversation.ts';
import type { CaseRef } from '../../src/core/identity.ts';
import { type CaseLine, RECORD_VERSION } from '../../src/core/record/runRecord.ts';
import type { SuiteCase } from '../../src/core/suite.ts';
import { NO_USAGE } from '../../src/core/verdict.ts';
import type { RunEvent } from '../../src/runner/events.ts';

const PATH = '/work/suite.eval.yaml';

function rangeOf(line: number) {
  return { start: { line: line - 1, character: 0 }, end: { line, character: 0 } };
}

/**
 * A conversation with the given texts in turn, starting with the user. Turn 1 is on line 11, turn 2 on line 12, and so
 * on.
 */
export function talk(...texts: readonly string[]): CaseLine['conversation'] {
  return toConversation(
    texts.map((content, index): SourcedMessage => {
      const role = index % 2 === 0 ? 'user' : 'assistant';
      return { message: { role, content }, source: { path: PATH, range: rangeOf(11 + index) } };
    }),
  );
}

export function buildCaseLine(
  given: Partial<CaseLine> & Pick<CaseLine, 'id' | 'status'> & { readonly line?: number },
): CaseLine {
  const { line, ...rest } = given;
  return {
    kind: 'case',
    suite: PATH,
    suite_name: 'Suite',
    repetition: 1,
    repetitions: 1,
    source: { path: PATH, range: rangeOf(line ?? 10), hash: '0'.repeat(64) },
    tags: [],
    score: null,
    conversation: talk('Hi', 'Hello'),
    verdicts: [],
    usage: NO_USAGE,
    duration: 1200,
    finished: '2026-01-01T00:00:01.200Z',
    ...rest,
  };
}

export function refOf(line: CaseLine): CaseRef {
  return { suite: line.suite, id: line.id, repetition: line.repetition };
}

/** All events of a run. Cases end in the order of `finished`. */
export function runEvents(
  lines: readonly CaseLine[],
  options: {
    readonly finished?: readonly CaseLine[];
    readonly cancelled?: boolean;
    /** Fraction of repetitions that must pass. */
    readonly pass?: number;
  } = {},
): RunEvent[] {
  return [
    {
      kind: 'run-started',
      run: {
        kind: 'run',
        version: RECORD_VERSION,
        id: 'r1',
        started: '2026-01-01T00:00:00.000Z',
        files: [{ path: PATH, hash: '0'.repeat(64) }],
        options: {},
        judges: ['openai:judge'],
      },
      records: ['/work/.turnlight/runs/r1.jsonl'],
      dataFolders: new Map([[PATH, { named: PATH, path: PATH, root: '/work' }]]),
      cases: lines.map(refOf),
    },
    ...(options.finished ?? lines).flatMap((line): RunEvent[] => {
      const plain = buildSuiteCase(line.id, ['Hi'], []);
      const repeat = { times: line.repetitions, pass: options.pass ?? 1 };
      return [
        { kind: 'case-started', ref: refOf(line), case: { ...plain, repeat } },
        { kind: 'case-finished', ref: refOf(line), line },
      ];
    }),
    {
      kind: 'run-finished',
      end: {
        kind: 'end',
        finished: '2026-01-01T00:00:02.000Z',
        cancelled: options.cancelled ?? false,
        counts: { pass: 0, fail: 0, error: 0, skipped: 0 },
      },
    },
  ];
}

/** A scripted case with one turn per text. */
export function buildSuiteCase(
  id: string,
  texts: readonly string[],
  assertions: readonly string[],
): SuiteCase {
  const source = { path: PATH, range: rangeOf(10) };
  return {
    id,
    tags: [],
    only: false,
    source: { ...source, hash: '0'.repeat(64) },
    origin: {
      kind: 'turns',
      target: { name: 'agent', type: 'module', params: {}, folder: '/work' },
      turns: texts.map((user) => ({ user, source })),
    },
    topics: [],
    tools: [],
    expectations: {},
    context: {},
    assertions: assertions.map((name, index) => ({
      index,
      key: name,
      type: 'criterion',
      name,
      source,
      params: {},
      threshold: 0.5,
      weight: 1,
      required: false,
      negate: false,
      at: { kind: 'all' },
    })),
    repeat: { times: 1, pass: 1 },
    stopOnFailure: false,
  };
}
