import * as z from 'zod';
import type { Turn } from '../../core/conversation.ts';
import { memoize } from '../../core/data/data.ts';
import { handoffText } from '../../core/presentation/agents.ts';
import { mean, reaches } from '../../core/scoring.ts';
import type { Quote, TurnVerdict } from '../../core/verdict.ts';
import type { Finding, JoinableParts, NotApplicable } from '../contract.ts';

/**
 * The entry for each judged turn, which is part of every judge's answer. The protocol explains its fields: a prompt
 * cache serves the protocol to all assertions, so this costs less than descriptions in every schema.
 */
export const entrySchema = z.object({
  turn: z.number(),
  applicable: z.boolean(),
  rationale: z.string(),
  evidence: z.string(),
});

export const verdictSchema = z.enum(['pass', 'fail']);

export const verdictEntrySchema = entrySchema.extend({ verdict: verdictSchema });

export const rationaleSchema = z.string();

/** The schema of an answer with an entry per turn, and a rationale. Judges fill in the keys in `before` first. */
export function turnsAnswer<
  Entry extends z.ZodRawShape,
  Before extends z.ZodRawShape = Record<never, never>,
>(entry: Entry, before = {} as Before) {
  const turns = z.array(entrySchema.extend(entry));
  return z.object({ ...before, turns, rationale: rationaleSchema });
}

export type Entry = z.infer<typeof entrySchema>;
export type VerdictEntry = z.infer<typeof verdictEntrySchema>;

/**
 * Converts entries to turn verdicts, in the conversation's order.
 *
 * @param scoreOf 0..1, for an applicable entry
 * @param passes whether an entry passes, or the threshold for its score
 */
export function turnVerdicts<Given extends Entry>(
  entries: readonly Given[],
  turns: readonly Turn[],
  scoreOf: (entry: Given) => number,
  passes: number | ((entry: Given) => boolean),
): TurnVerdict[] {
  const isPass = (entry: Given) =>
    typeof passes === 'number' ? reaches(scoreOf(entry), passes) : passes(entry);
  return turns.flatMap((turn): TurnVerdict[] => {
    const entry = entries.find((one) => one.turn === turn.number);
    if (!entry) return [];
    const common = { turn: turn.number, rationale: entry.rationale };
    if (!entry.applicable) return [{ ...common, status: 'skipped', score: null }];
    const evidence = lookUpQuote(turns, turn.number, entry.evidence);
    return [
      {
        ...common,
        status: isPass(entry) ? 'pass' : 'fail',
        score: scoreOf(entry),
        ...(evidence && { evidence }),
      },
    ];
  });
}

export function fromVerdictEntries(
  entries: readonly VerdictEntry[],
  turns: readonly Turn[],
): TurnVerdict[] {
  const passes = ({ verdict }: VerdictEntry) => verdict === 'pass';
  return turnVerdicts(entries, turns, (entry) => (passes(entry) ? 1 : 0), passes);
}

/** The verdict on a turn that passes or fails. */
export function decidedTurn(turn: number, passed: boolean, rationale: string): TurnVerdict {
  return { turn, status: passed ? 'pass' : 'fail', score: passed ? 1 : 0, rationale };
}

/** Mean of the applicable turns' scores; undefined if none was applicable. */
export function meanOfTurns(turns: readonly TurnVerdict[]): number | undefined {
  return mean(turns.flatMap(({ score }) => (score === null ? [] : [score])));
}

/**
 * Cites the turns that pass and those that fail.
 *
 * @param outcome cited instead if no turn shows it
 */
export function hitsAndMisses(
  turns: readonly TurnVerdict[],
  outcome?: { readonly passed: boolean; readonly text: string },
): { hits: string[]; misses: string[] } {
  const cite = (status: TurnVerdict['status'], isOutcome: boolean) => {
    const cited = turns
      .filter((entry) => entry.status === status)
      .map((entry) => citing(entry.turn, entry.rationale));
    return outcome && isOutcome && cited.length === 0 ? [outcome.text] : cited;
  };
  return { hits: cite('pass', outcome?.passed === true), misses: cite('fail', !outcome?.passed) };
}

/** A finding that cites its turns, unless `found` has hits and misses already. */
export function scored(
  rationale: string,
  turns: readonly TurnVerdict[],
  found: Pick<Finding, 'score'> & Partial<Omit<Finding, 'kind'>>,
): Finding {
  return { kind: 'scored', rationale, turns, details: {}, ...hitsAndMisses(turns), ...found };
}

/** A finding that passes or fails as a whole, with `cited` as its hits or misses. */
export function allOrNothing(passed: boolean, cited: readonly string[]) {
  return { score: passed ? 1 : 0, hits: passed ? cited : [], misses: passed ? [] : cited };
}

export function citing(turn: number, text: string): string {
  return `Turn ${turn}: ${text}`;
}

export function notApplicable(
  reason: string,
  rationale: string,
  turns: readonly TurnVerdict[] = [],
): NotApplicable {
  return { kind: 'skipped', reason, rationale, turns };
}

export function numbersOf(turns: readonly Turn[]): string {
  return turns.map(({ number }) => number).join(', ');
}

/** `Turn 4`, `Turns 2, 4` */
export function turnsText(turns: readonly Turn[]): string {
  return `Turn${turns.length === 1 ? '' : 's'} ${numbersOf(turns)}`;
}

/**
 * How to join answers about parts. Keys other than `turns` and `rationale` are about the whole conversation, so they
 * are requested again.
 */
export const partsOf = memoize(
  <Schema extends z.ZodObject>(answer: Schema): JoinableParts<z.infer<Schema>> => {
    const { turns: _, ...rest } = answer.shape;
    const isWhole = Object.keys(rest).some((key) => key !== 'rationale');
    const whole = z.object(rest);
    return {
      ...(isWhole && { whole }),
      join(parts, answered) {
        const rationale = parts.map((part) => Reflect.get(part, 'rationale')).join(' ');
        const turns = parts.flatMap((part) => Reflect.get(part, 'turns'));
        return answer.parse({ ...(isWhole ? whole.parse(answered) : { rationale }), turns });
      },
    };
  },
);

/**
 * Looks up a judge's quote in a turn, ignoring differences in white space. A quote that isn't found there stays
 * unverified.
 *
 * @returns undefined if nothing is quoted, or there is no such turn
 */
export function lookUpQuote(
  turns: readonly Turn[],
  number: number | null,
  quote: string,
): Quote | undefined {
  const turn = turns.find((one) => one.number === number);
  // Some judges copy the fence, too.
  const text = quote.replace(/^\| /gm, '');
  const folded = fold(text);
  if (!turn || folded === '') return undefined;
  return { text, verified: quotableText(turn).includes(folded) };
}

/**
 * All text in a turn that a judge can quote, folded: messages, tool calls as JSON, results, handoffs, and retrieved
 * context.
 */
const quotableText = memoize(({ items, retrievalContext = [] }: Turn): string => {
  const texts = items.map((item) => {
    if (item.kind === 'handoff') return handoffText(item);
    if (item.kind !== 'tool-call') return item.text;
    return `${item.call.name} ${JSON.stringify(item.call.arguments)}\n${item.result ?? ''}`;
  });
  return fold([...texts, ...retrievalContext].join('\n'));
});

function fold(text: string): string {
  return text.replace(/[\s]+/g, ' ').trim();
}
