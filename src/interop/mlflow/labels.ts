import { questionHash } from '../../assertions/questionHash.ts';
import { findAssertionType } from '../../assertions/registry.ts';
import { toConversation } from '../../core/conversation.ts';
import { jsonOrText } from '../../core/data/data.ts';
import type { Message } from '../../core/message.ts';
import type { Label } from '../../core/record/label.ts';
import { reaches } from '../../core/scoring.ts';
import type { Suite, SuiteCase } from '../../core/suite.ts';
import { conversationHash } from '../../node/hashes.ts';
import { personName } from '../../node/paths.ts';
import { appendLabels, saveLabelledConversation } from '../../store/labels.ts';
import type { Assessment } from './api.ts';
import { SESSION, type Session } from './session.ts';

/** The threshold if there is no matching assertion. */
const DEFAULT_THRESHOLD = 0.5;

/** A session that became a case. */
export interface Pulled {
  readonly id: string;
  readonly session: Session;
  readonly messages: readonly Message[];
  readonly turns: ReadonlyMap<string, number>;
}

interface LabelledSessions {
  /** Number of new labels. */
  readonly added: number;
  readonly people: readonly string[];
  /** `tone: "so-so"`: assessments that are neither good nor bad. */
  readonly unclear: readonly string[];
}

/** Writes people's assessments as labels next to the eval file, one file per person. */
export async function writeLabels(
  evalFile: string,
  pulled: readonly Pulled[],
  suite: Suite | undefined,
): Promise<LabelledSessions> {
  const byPerson = new Map<string, Label[]>();
  const unclear = new Set<string>();
  for (const one of pulled) {
    const suiteCase = suite?.cases.find(({ id }) => id === one.id);
    for (const { person, label, name, value } of labelsOf(one, suiteCase)) {
      if (!label) unclear.add(`${name}: ${JSON.stringify(value)}`);
      else byPerson.set(person, [...(byPerson.get(person) ?? []), label]);
    }
    if ([...byPerson.values()].flat().some((label) => label.case === one.id)) {
      await saveConversation(evalFile, one, suiteCase);
    }
  }
  let added = 0;
  for (const [person, labels] of byPerson) {
    added += await appendLabels(evalFile, person, labels);
  }
  return { added, people: [...byPerson.keys()], unclear: [...unclear] };
}

function labelsOf({ id, session, messages, turns }: Pulled, suiteCase?: SuiteCase) {
  const hash = conversationHash(conversationOf(messages));
  return session.traces.flatMap((trace) =>
    trace.assessments
      .filter((one) => isHuman(one) && one.feedback !== undefined)
      .map((one) => {
        const turn = one.metadata[SESSION] === undefined ? turns.get(trace.trace_id) : undefined;
        return {
          person: personName(one.source?.source_id ?? ''),
          name: one.assessment_name,
          value: one.feedback?.value,
          label: labelOf(one, { case: id, conversation_hash: hash }, turn, suiteCase),
        };
      }),
  );
}

function labelOf(
  { assessment_name: name, feedback, rationale, create_time: at = '' }: Assessment,
  about: Pick<Label, 'case' | 'conversation_hash'>,
  turn: number | undefined,
  suiteCase: SuiteCase | undefined,
): Label | undefined {
  const key = assertionKeyOf(name);
  const assertion = suiteCase?.assertions.find((one) => one.key === key);
  const { value } = feedback ?? {};
  const score = shareOf(value);
  if (score === undefined) return undefined;
  return {
    ...about,
    assertion: key,
    ...(suiteCase && assertion && { question_hash: questionHash(assertion, suiteCase) }),
    ...(turn !== undefined && { turn }),
    status: reaches(score, assertion?.threshold ?? DEFAULT_THRESHOLD) ? 'pass' : 'fail',
    ...(typeof value === 'string' && { label: value }),
    score,
    ...(rationale && { comment: rationale }),
    at,
  };
}

function conversationOf(messages: readonly Message[]) {
  return toConversation(messages.map((message) => ({ message })));
}

async function saveConversation(
  evalFile: string,
  { messages }: Pulled,
  suiteCase: SuiteCase | undefined,
): Promise<void> {
  const { role, topics = [], tools = [], expectations = {}, context = {} } = suiteCase ?? {};
  await saveLabelledConversation(evalFile, {
    conversation: conversationOf(messages),
    facts: {
      ...(role !== undefined && { role }),
      topics: [...topics],
      tools: [...tools],
      expectations,
      context,
    },
  });
}

/** Assertion types for MLflow's scorers whose names aren't our types in snake case. */
const SCORERS: Readonly<Record<string, string>> = {
  conversational_guidelines: 'guidelines',
  expectations_guidelines: 'guidelines',
  conversational_role_adherence: 'role-adherence',
  conversational_safety: 'safety',
  conversational_tool_call_efficiency: 'tool-call-efficiency',
  tool_call_correctness: 'tool-use',
  retrieval_groundedness: 'groundedness',
  relevance_to_query: 'turn-relevancy',
};

/** The assertion that an assessment is about: one of our types, or the assessment's name. */
export function assertionKeyOf(name: string): string {
  const type = SCORERS[name] ?? name.replaceAll('_', '-');
  return findAssertionType(type) ? type : name;
}

/** Values from MLflow's scorers, and yes and no, grouped by score. */
const GOOD = ['yes', 'true', 'pass', 'passed', 'correct', 'none'];
const BAD = ['no', 'false', 'fail', 'failed', 'incorrect', 'unresolved'];

/** A person's score, 0..1; undefined if the value is neither good nor bad. */
function shareOf(value: unknown): number | undefined {
  if (typeof value === 'boolean') return Number(value);
  if (typeof value === 'number') return value >= 0 && value <= 1 ? value : undefined;
  const word = typeof value === 'string' ? value.trim().toLowerCase() : '';
  if (GOOD.includes(word)) return 1;
  if (BAD.includes(word)) return 0;
  return word === 'resolved' ? 0.5 : undefined;
}

export function isHuman({ source, valid }: Assessment): boolean {
  return valid && source?.source_type === 'HUMAN';
}

export function expectedIn({ expectation }: Assessment): unknown {
  const serialized = expectation?.serialized_value?.value;
  return serialized === undefined ? expectation?.value : jsonOrText(serialized);
}
