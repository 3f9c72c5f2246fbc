import * as z from 'zod';
import type { Turn, TurnItem } from '../../core/conversation.ts';
import { mean, reaches } from '../../core/scoring.ts';
import type { Quote, TurnVerdict } from '../../core/verdict.ts';
import type { Finding, NotApplicable, Parts } from '../contract.ts';

/**
 * The part of every judge's answer for each judged turn. The protocol explains the fields, because a
 * prompt cache serves it to all assertions; descriptions in each schema would cost more.
 */
export const entrySchema = z.object({
  turn: z.number(),
  applicable: z.boolean(),
  rationale: z.string(),
  evidence: z.string(),
});

export const verdictSchema = z.enum(['pass', 'fail']);

export const verdictEntrySchema = entrySchema.extend({ verdict: verdictSchema });

export const scoreEntrySchema = entrySchema.extend({ score: z.number() });

export const rationaleSchema = z.string();

/** The schema of an answer with an entry per turn, and a rationale. */
export function turnsAnswer<Entry extends z.ZodRawShape>(entry: Entry) {
  return z.object({ turns: z.array(entrySchema.extend(entry)), rationale: rationaleSchema });
}

export type VerdictEntry = z.infer<typeof verdictEntrySchema>;

/**
 * Entries as turn verdicts, in the conversation's order.
 *
 * @param scoreOf 0..1, of an applicable entry
 * @param passes whether it passes, or the threshold of its score
 */
export function turnVerdicts<Entry extends Omit<VerdictEntry, 'verdict'>>(
  entries: readonly Entry[],
  turns: readonly Turn[],
  scoreOf: (entry: Entry) => number,
  passes: number | ((entry: Entry) => boolean),
): TurnVerdict[] {
  const isPass = (entry: Entry) =>
    typeof passes === 'number' ? reaches(scoreOf(entry), passes) : passes(entry);
  return turns.flatMap((turn): TurnVerdict[] => {
    const entry = entries.find((one) => one.turn === turn.number);
    if (!entry) return [];
    const common = { turn: turn.number, rationale: entry.rationale };
    if (!entry.applicable) return [{ ...common, status: 'skipped', score: null }];
    const evidence = lookUpQuote(turn, entry.evidence);
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

/** The verdict of a turn that passes or fails. */
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

/** A finding that cites its turns, unless `found` has its own hits and misses. */
export function scored(
  rationale: string,
  turns: readonly TurnVerdict[],
  found: Pick<Finding, 'score'> & Partial<Omit<Finding, 'kind'>>,
): Finding {
  return { kind: 'scored', rationale, turns, details: {}, ...hitsAndMisses(turns), ...found };
}

/** The score of something that passes or fails as a whole, and `cited` as its hits or misses. */
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

/** The name of the answer's schema: endpoints allow no hyphens. */
export function questionName(type: string): string {
  return type.replaceAll('-', '_');
}

export function numbersOf(turns: readonly Turn[]): string {
  return turns.map(({ number }) => number).join(', ');
}

/** `Turn 4`, `Turns 2, 4` */
export function turnsText(turns: readonly Turn[]): string {
  return `Turn${turns.length === 1 ? '' : 's'} ${numbersOf(turns)}`;
}

interface TurnsAndRationale {
  readonly turns: readonly unknown[];
  readonly rationale: string;
}

/** For answers with entries of turns only. */
export function entriesOnly<Answer extends TurnsAndRationale>(): Parts<Answer> {
  return {
    join(parts) {
      const [first] = parts;
      if (!first) throw new Error('There are no answers to join.');
      return {
        ...first,
        turns: parts.flatMap(({ turns }) => turns),
        rationale: parts.map(({ rationale }) => rationale).join(' '),
      };
    },
  };
}

/** For answers about the whole, too: everything but `turns` is asked again at the end. */
export function withWhole<Schema extends z.ZodObject>(answer: Schema): Parts<z.infer<Schema>> {
  const { turns: _, ...rest } = answer.shape;
  const whole = z.object(rest);
  return {
    whole,
    join(parts, answered) {
      const turns = parts.flatMap((part) => Reflect.get(part, 'turns'));
      return answer.parse({ ...whole.parse(answered), turns });
    },
  };
}

/**
 * Looks up a judge's quote in its turn, with white space folded; a quote that isn't there is not verified.
 *
 * @returns undefined if nothing is quoted
 */
export function lookUpQuote(turn: Turn, quote: string): Quote | undefined {
  // Some judges copy the fence, too.
  const text = quote.replace(/^\| /gm, '');
  const folded = fold(text);
  if (folded === '') return undefined;
  return { text, verified: fold(wordsOf(turn)).includes(folded) };
}

/** Everything that a judge can quote: texts, tool calls as JSON, results, retrieved context. */
function wordsOf({ items, retrievalContext = [] }: Turn): string {
  return [...items.map(wordsOfItem), ...retrievalContext].join('\n');
}

function wordsOfItem(item: TurnItem): string {
  if (item.kind !== 'tool-call') return item.text;
  return `${item.call.name} ${JSON.stringify(item.call.arguments)}\n${item.result ?? ''}`;
}

function fold(text: string): string {
  return text.replace(/[\s]+/g, ' ').trim();
}
