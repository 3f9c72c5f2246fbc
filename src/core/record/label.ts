import * as z from 'zod';
import { type Conversation, conversationSchema } from '../conversation.ts';
import { groupBy } from '../data/data.ts';
import type { CaseIdentity } from '../identity.ts';
import type { Assertion } from '../suite.ts';
import { type Status, statusSchema } from '../verdict.ts';
import { factsSchema } from './runRecord.ts';

/** A person's label for a verdict: one line in `NAME.labels/PERSON.jsonl`. */
export const labelSchema = z.object({
  case: z.string(),
  variant: z.string().optional(),
  /** The key of the assertion in its case. */
  assertion: z.string(),
  /** Absent if the file didn't contain the assertion when the label was saved. */
  question_hash: z.string().optional(),
  /** Absent if the label is about the whole conversation. */
  turn: z.int().min(1).optional(),
  conversation_hash: z.string(),
  status: statusSchema.exclude(['error']),
  label: z.string().optional(),
  score: z.number().min(0).max(1).optional(),
  comment: z.string().optional(),
  /** ISO 8601, UTC, by `labelTime`; a label with another text still counts. */
  at: z.string(),
});

const timeSchema = z.iso.datetime({ offset: true });

/** Milliseconds by which the clock of the labeling person's computer may be ahead. */
const MAX_AHEAD = 86_400_000;

/** When a label was saved, in milliseconds since 1970; undefined if `at` isn't a time, or is in the future. */
export function labelTime({ at }: Pick<Label, 'at'>): number | undefined {
  const time = Date.parse(timeSchema.safeParse(at).data ?? '');
  return time <= Date.now() + MAX_AHEAD ? time : undefined;
}

/** A labeled conversation: `NAME.labels/conversations/HASH.json`. */
export const labeledConversationSchema = z.object({
  conversation: conversationSchema,
  facts: factsSchema,
});

export type Label = z.infer<typeof labelSchema>;

export interface PlacedLabel extends Label {
  /** The person, from the file's name. */
  readonly person: string;
  readonly path: string;
  /** From 1. */
  readonly line: number;
}

/** Identifies a label's subject: a person's newer label for the same subject replaces an earlier one. */
export function sameSubject(
  label: Parameters<typeof labeledConversation>[0] & Pick<Label, 'assertion' | 'turn'>,
): string {
  return JSON.stringify([labeledConversation(label), label.assertion, label.turn]);
}

/** Identifies a label's conversation as that of its case. */
export function labeledConversation(
  label: Pick<Label, 'case' | 'variant' | 'conversation_hash'>,
): string {
  return JSON.stringify([label.case, label.variant, label.conversation_hash]);
}

/** Whether an eval file has a case; undefined if that is unknown. */
export type HasCase = (id: string, variant: string | undefined) => boolean | undefined;

const UNKNOWN: HasCase = () => undefined;

export function hasCaseOf(cases: readonly CaseName[]): HasCase {
  const names = new Set(cases.map(nameKey));
  return (id, variant) => names.has(nameKey({ id, variant }));
}

type CaseName = Omit<CaseIdentity, 'suite'>;

function nameKey({ id, variant }: CaseName): string {
  return JSON.stringify([id, variant]);
}

/** A case with a verdict on a label's conversation, by an assertion with the label's key. */
export interface LabelCandidate extends CaseName {
  readonly question?: string | undefined;
}

/**
 * The cases that a label is about: its own or, if that isn't in the file or has no verdict, those that it may have been
 * renamed to. These ask the same question; if there are none, a case with another question counts if it is the only one.
 */
export function casesOf<Candidate extends LabelCandidate>(
  label: Pick<Label, 'case' | 'variant' | 'question_hash'>,
  candidates: readonly Candidate[],
  hasCase = UNKNOWN,
): readonly Candidate[] {
  const own = candidates.filter((one) => isOwn(label, one));
  if (hasCase(label.case, label.variant) ?? own.length > 0) return own;
  const isOld = ({ id, variant }: Candidate) => hasCase(id, variant) === false;
  const closest = (all: readonly Candidate[]) => {
    const same = all.filter(({ question }) => question === label.question_hash);
    if (same.length > 0) return same;
    return new Set(all.map(nameKey)).size === 1 ? all : [];
  };
  const old = own.length > 0 ? own : closest(candidates.filter(isOld));
  return [...closest(candidates.filter((one) => !isOld(one))), ...old];
}

function isOwn(label: Pick<Label, 'case' | 'variant'>, { id, variant }: CaseName): boolean {
  return label.case === id && label.variant === variant;
}

/**
 * Labels under the names of the cases that they are about, by `casesOf`. Keeps each person's newest label for a subject;
 * a label that may be about another question counts only if there is no other.
 */
export function assignLabels(
  labels: readonly PlacedLabel[],
  candidatesFor: (label: PlacedLabel) => readonly LabelCandidate[],
  hasCase = UNKNOWN,
): PlacedLabel[] {
  const kept = new Map<string, Assigned>();
  for (const label of labels) {
    const sure: string[] = [];
    const found = casesOf(label, candidatesFor(label), hasCase);
    const given = { id: label.case, variant: label.variant, question: label.question_hash };
    for (const one of found.length > 0 ? found : [given]) {
      const own = isOwn(label, one) ? label : { ...label, case: one.id, variant: one.variant };
      const isSure = own === label || one.question === label.question_hash;
      const rank = (labelTime(label) ?? 0) - (isSure ? 0 : Number.MAX_SAFE_INTEGER);
      const key = JSON.stringify([label.path, label.person, sameSubject(own)]);
      if (isSure) sure.push(key);
      if (rank < (kept.get(key)?.rank ?? rank)) continue;
      kept.delete(key);
      kept.set(key, { label: own, rank, sure });
    }
  }
  // A label that was replaced under one name of a case doesn't count under its other name either.
  const counts = ({ sure }: Assigned) => sure.every((key) => kept.get(key)?.sure === sure);
  return [...kept.values()].filter(counts).map(({ label }) => label);
}

interface Assigned {
  readonly label: PlacedLabel;
  readonly rank: number;
  /** Its keys under the names of all cases that it is surely about. */
  readonly sure: readonly string[];
}

/** The status that most people chose; undefined if there is a tie. */
export function majority(labels: readonly Pick<Label, 'status'>[]): Label['status'] | undefined {
  const [first, second] = [...groupBy(labels, ({ status }) => status)].sort(
    ([, a], [, b]) => b.length - a.length,
  );
  return first && first[1].length > (second?.[1].length ?? 0) ? first[0] : undefined;
}

/**
 * Whether a label still applies. `earlier-text`: a turn of the conversation has changed; `other-question`: only the
 * question has changed, so the label counts and is marked.
 */
export type LabelValidity = 'current' | 'other-question' | 'earlier-text';

/** @param now the conversation and question of the verdict */
export function validityOf(
  label: Pick<Label, 'conversation_hash' | 'question_hash'>,
  now: { readonly conversation: string; readonly question?: string | undefined },
): LabelValidity {
  if (label.conversation_hash !== now.conversation) return 'earlier-text';
  const isOther =
    label.question_hash !== undefined &&
    now.question !== undefined &&
    label.question_hash !== now.question;
  return isOther ? 'other-question' : 'current';
}

/** A person's label for a verdict, as views show it. */
export const opinionSchema = labelSchema
  .omit({ case: true, variant: true, question_hash: true, conversation_hash: true, at: true })
  .extend({ person: z.string(), standing: z.enum(['current', 'other-question', 'earlier-text']) })
  .strict();

export type Opinion = z.infer<typeof opinionSchema>;

/** An assertion about a conversation, or about one of its turns. */
export type Subject = Pick<Opinion, 'assertion' | 'turn'>;

export function subjectKey({ assertion, turn }: Subject): string {
  return JSON.stringify([assertion, turn]);
}

export function agreesWith(
  opinion: Pick<Opinion, 'status' | 'label'>,
  verdict: { readonly status: Status; readonly label?: string | undefined },
): boolean {
  if (opinion.status !== verdict.status) return false;
  return opinion.label === undefined || opinion.label === verdict.label;
}

/** The majority's verdict on a turn, or on the whole conversation if `turn` is absent. */
export interface ExampleVerdict extends Pick<Label, 'turn' | 'status'> {
  readonly label?: string;
  readonly comments: readonly string[];
}

/** A labeled conversation to use as an example for an assertion's question. */
export interface Example {
  readonly case: string;
  readonly variant?: string;
  /** By `conversationHash`. */
  readonly hash: string;
  readonly conversation: Conversation;
  readonly facts: z.infer<typeof factsSchema>;
  /** Starts with the verdict on the whole conversation, if any; at least one passes or fails. */
  readonly verdicts: readonly ExampleVerdict[];
}

/** Finds examples for an assertion, excluding its own case. */
export type ExamplesFor = (assertion: Assertion) => Promise<readonly Example[]>;
