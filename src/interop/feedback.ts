import { questionHash } from '../assertions/questionHash.ts';
import { findAssertionType } from '../assertions/registry.ts';
import { toConversation } from '../core/conversation.ts';
import {
  addTo,
  isMapping,
  type Mapping,
  mappingOf,
  parseJsonText,
  textIn,
} from '../core/data/data.ts';
import { readable } from '../core/limits.ts';
import type { Message } from '../core/message.ts';
import { type Label, labelTime, sameSubject } from '../core/record/label.ts';
import { reaches } from '../core/scoring.ts';
import type { Suite, SuiteCase } from '../core/suite.ts';
import { counted } from '../core/text/format.ts';
import { visibleLine } from '../core/text/visibleText.ts';
import { readMessages } from '../messages/readMessages.ts';
import { conversationHash } from '../node/hashes.ts';
import { personName } from '../node/paths.ts';
import { appendLabels, LabelLimitError, saveLabeledConversation } from '../store/labels.ts';
import { writeInline } from '../yaml/quoting.ts';

/** What somebody or something said about a conversation, or about one of its turns. */
export interface Feedback {
  /** What it is about, such as `helpfulness`. */
  readonly name: string;
  readonly value: unknown;
  readonly turn?: number | undefined;
  readonly comment?: string | undefined;
  /** Who or what said it. */
  readonly person: string;
  /** ISO 8601. */
  readonly at?: string | undefined;
}

/** A case's conversation, or that of one of its variants. */
export interface RatedConversation {
  readonly case: string;
  readonly variant?: string | undefined;
  readonly messages: readonly Message[];
  readonly feedback: readonly Feedback[];
}

export interface WrittenLabels {
  /** Number of new labels. */
  readonly added: number;
  readonly people: readonly string[];
  /** Feedback that is neither good nor bad, such as `tone: "so-so"`. */
  readonly unclear: readonly string[];
  /** Feedback of one person that calls the same conversation both good and bad: `late: reward`. */
  readonly contradictory: readonly string[];
  /** Sentences about labels that weren't written, because they or their files are too large. */
  readonly tooLarge: readonly string[];
}

/** Maximum number of values to list. */
const MAX_UNCLEAR = 10;

/** Sentences about the labels. */
export function labelLines(labels: WrittenLabels): string[] {
  const { added, people, unclear, contradictory, tooLarge } = labels;
  const more = unclear.length - MAX_UNCLEAR;
  const others = contradictory.length - MAX_UNCLEAR;
  return [
    ...(people.length > 0 ? [`${counted(added, 'new label')} from ${people.join(', ')}.`] : []),
    ...unclear
      .slice(0, MAX_UNCLEAR)
      .map((one) => `${visibleLine(one, 200)} can't become a label: it is neither good nor bad.`),
    ...(more > 0 ? [`${readable(more)} other values are neither good nor bad.`] : []),
    ...contradictory
      .slice(0, MAX_UNCLEAR)
      .map((one) => `${visibleLine(one, 200)} is both good and bad for identical conversations.`),
    ...(others > 0 ? [`${counted(others, 'other contradiction')} like these.`] : []),
    ...tooLarge.map((one) => visibleLine(one)),
  ];
}

/** Writes feedback as labels next to the eval file, one file per person. @throws UnwritableError */
export async function writeLabels(
  evalFile: string,
  rated: readonly RatedConversation[],
  suite: Suite | undefined,
): Promise<WrittenLabels> {
  const byPerson = new Map<string, Label[]>();
  const unclear = new Set<string>();
  const statuses = new Map<string, Label['status']>();
  const contradictory = new Set<string>();
  for (const one of rated) {
    const suiteCase = suite?.cases.find(({ id }) => id === one.case);
    const conversation = toConversation(one.messages.map((message) => ({ message })));
    const about = {
      case: one.case,
      ...(one.variant !== undefined && { variant: one.variant }),
      conversation_hash: conversationHash(conversation),
    };
    let isLabeled = false;
    for (const feedback of one.feedback) {
      const label = labelOf(feedback, about, suiteCase);
      if (!label) unclear.add(`${feedback.name}: ${JSON.stringify(feedback.value)}`);
      else {
        const person = personName(feedback.person);
        // A later opinion is no contradiction.
        const same = sameSubject({ ...label, variant: undefined });
        const subject = JSON.stringify([person, label.at, same]);
        const before = statuses.get(subject) ?? label.status;
        if (before !== label.status) contradictory.add(`${one.case}: ${feedback.name}`);
        statuses.set(subject, label.status);
        addTo(byPerson, person, label);
        isLabeled = true;
      }
    }
    if (isLabeled) {
      await saveLabeledConversation(evalFile, { conversation, facts: factsOf(suiteCase) });
    }
  }
  let added = 0;
  const tooLarge: string[] = [];
  for (const [person, labels] of byPerson) {
    added += await appendLabels(evalFile, person, labels).catch((error: unknown) => {
      if (!(error instanceof LabelLimitError)) throw error;
      tooLarge.push(error.message);
      return error.added;
    });
  }
  return {
    added,
    people: [...byPerson.keys()],
    unclear: [...unclear],
    contradictory: [...contradictory],
    tooLarge,
  };
}

/** The threshold to use if there is no matching assertion. */
const DEFAULT_THRESHOLD = 0.5;

/** The time of feedback without one: any label that somebody adds replaces it. */
const LONG_AGO = new Date(0).toISOString();

function labelOf(
  { name, value, turn, comment, at = LONG_AGO }: Feedback,
  about: Pick<Label, 'case' | 'variant' | 'conversation_hash'>,
  suiteCase: SuiteCase | undefined,
): Label | undefined {
  const key = assertionKeyOf(name);
  const assertion = suiteCase?.assertions.find((one) => one.key === key);
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
    ...(comment && { comment }),
    at,
  };
}

function factsOf(suiteCase: SuiteCase | undefined) {
  const { role, topics = [], tools = [], expectations = {}, context = {} } = suiteCase ?? {};
  return {
    ...(role !== undefined && { role }),
    topics: [...topics],
    tools: [...tools],
    expectations,
    context,
  };
}

/** Assertion types for MLflow scorers whose names aren't simply our types in snake case. */
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

/** The key of the assertion that feedback is about: one of our types, or the feedback's name. */
export function assertionKeyOf(name: string): string {
  const type = SCORERS[name] ?? name.replaceAll('_', '-');
  return findAssertionType(type) ? type : name;
}

/** An assertion to define, so that its verdicts can be compared with feedback. @param key by `assertionKeyOf` */
export function suggestedAssertion(key: string): string {
  const assertion = findAssertionType(key)
    ? { type: key }
    : { name: key, type: 'criterion', criterion: '' };
  return visibleLine(writeInline(assertion), 200);
}

/** Values that are good or bad, including yes and no of MLflow's scorers. */
const GOOD = [
  ...['yes', 'true', 'pass', 'passed', 'correct', 'none', 'good', 'positive'],
  ...['up', 'thumbs_up', 'thumbs-up', 'thumbsup', 'like', '👍', '+1'],
];
const BAD = [
  ...['no', 'false', 'fail', 'failed', 'incorrect', 'unresolved', 'bad', 'negative'],
  ...['down', 'thumbs_down', 'thumbs-down', 'thumbsdown', 'dislike', '👎', '-1'],
];

/** A score, 0..1; undefined if the value is neither good nor bad. */
function shareOf(value: unknown): number | undefined {
  if (typeof value === 'boolean') return Number(value);
  if (typeof value === 'number') return value >= 0 && value <= 1 ? value : undefined;
  const word = typeof value === 'string' ? value.trim().toLowerCase() : '';
  if (GOOD.includes(word)) return 1;
  if (BAD.includes(word)) return 0;
  return word === 'resolved' ? 0.5 : undefined;
}

/** Keys of conversations and messages that contain feedback. */
export const FEEDBACK_KEYS = ['reward', 'rating', 'thumbs', 'feedback', 'scores'];

/**
 * The feedback in a conversation's or message's keys: `reward: 1`, `feedback: thumbs_up`, or a list as in LangSmith and
 * Langfuse, `feedback: [{key: helpful, score: 1, comment: …}]`.
 *
 * @param person who said it, if that isn't known
 */
export function feedbackIn(value: Mapping, person: string, turn?: number): Feedback[] {
  return FEEDBACK_KEYS.flatMap((key) => {
    const given = parseJsonText(value[key]);
    if (given === undefined || given === null) return [];
    return (Array.isArray(given) ? given : [given]).map((one): Feedback => {
      if (!isMapping(one)) return { name: key, value: one, turn, person };
      return {
        name: textIn(one, 'key', 'name') ?? key,
        value: one.score ?? one.value ?? one.rating ?? one.thumbs ?? null,
        turn,
        comment: textIn(one, 'comment', 'rationale', 'explanation', 'reason'),
        person: textIn(one, 'person', 'user', 'user_id', 'authorUserId') ?? person,
        at: toIsoTime(textIn(one, 'created_at', 'createdAt', 'timestamp')),
      };
    });
  });
}

/** The feedback in the messages of a list, on their turns. */
export function feedbackOnTurns(list: readonly unknown[], person: string): Feedback[] {
  if (!list.some(hasFeedback)) return [];
  const turns = new Map<number, number>();
  let [turn, side] = [0, ''];
  for (const { message, index } of readMessages(withoutFeedback(list)).messages) {
    const { role } = message;
    if ((role === 'user' || role === 'assistant') && role !== side) [turn, side] = [turn + 1, role];
    turns.set(index, turn);
  }
  return list.flatMap((one, index) => feedbackIn(mappingOf(one), person, turns.get(index)));
}

/** The messages without their feedback, which is no part of what was said. */
export function withoutFeedback(list: readonly unknown[]): readonly unknown[] {
  if (!list.some(hasFeedback)) return list;
  return list.map((one) => {
    const entries = Object.entries(mappingOf(one));
    const said = entries.filter(([key]) => !FEEDBACK_KEYS.includes(key));
    return isMapping(one) ? Object.fromEntries(said) : one;
  });
}

function hasFeedback(message: unknown): boolean {
  return isMapping(message) && FEEDBACK_KEYS.some((key) => Object.hasOwn(message, key));
}

/** A valid time of a label; undefined if the text isn't a time, or is in the future. */
export function toIsoTime(text = ''): string | undefined {
  const time = new Date(text);
  const at = Number.isNaN(time.getTime()) ? '' : time.toISOString();
  return labelTime({ at }) === undefined ? undefined : at;
}
