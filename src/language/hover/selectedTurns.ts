import { textOf, toConversation, turnsOf } from '../../core/conversation.ts';
import { valueAt } from '../../core/data/data.ts';
import { speakerText } from '../../core/presentation/agents.ts';
import { contains, type Position } from '../../core/problem.ts';
import type { CaseLine } from '../../core/record/runRecord.ts';
import type { SuiteCase } from '../../core/suite.ts';
import { escapeLine } from '../../core/text/markdown.ts';
import type { OutlineCase } from '../../evalfile/loadedSuite.ts';
import type { EvalDocument, ResultPorts } from '../ports.ts';
import type { HoverPart } from './keyMarkdown.ts';

const MAX_TURNS = 6;
/** Maximum number of characters per turn. */
const MAX_TEXT = 300;

/** The text of each turn selected by a number, a list, or a range under `at`. */
export async function chosenTurns(
  { yaml, suite }: EvalDocument,
  position: Position,
  { lastRuns }: ResultPorts,
): Promise<HoverPart | undefined> {
  const { path, onKey } = yaml.pathAt(position);
  const [top, index] = path;
  const chosen = path.at(-1) === 'at' || (path.at(-2) === 'at' && typeof path.at(-1) === 'number');
  if (onKey || !chosen || top !== 'cases' || !path.includes('assert')) return undefined;
  const range = yaml.rangeOf(path);
  const found = typeof index === 'number' ? suite.outline[index] : undefined;
  if (!found || found.path !== yaml.path || !contains(range, position)) return undefined;
  const built = suite.suite?.cases.find(({ id }) => id === found.id);
  const spoken = (built && turnsOfCase(built)) ?? turnsOfOutline(found);
  const [last] = found.id === undefined ? [] : await lastRuns(suite.path, found.id);
  const turns = numbersOf(valueAt(yaml.value, path), Math.max(0, ...spoken.keys()))
    .filter((number) => spoken.has(number))
    .map((number) => turnMarkdown(number, spoken.get(number), last));
  if (turns.length === 0) return undefined;
  const more = turns.length > MAX_TURNS ? [`… and ${turns.length - MAX_TURNS} more turns`] : [];
  return { markdown: [...turns.slice(0, MAX_TURNS), ...more].join('\n\n'), range };
}

interface SpokenTurn {
  readonly speaker: string;
  /** Undefined for a reply, which isn't in the file. */
  readonly text?: string;
}

function numbersOf(value: unknown, count: number): number[] {
  if (Array.isArray(value)) return value.flatMap((one) => numbersOf(one, count));
  if (typeof value === 'number') return [value < 0 ? count + 1 + value : value];
  const [, from, to] = /^(\d+)-(\d+)$/.exec(String(value)) ?? [];
  const first = Math.max(1, Number(from ?? 1));
  const length = Math.min(Number(to ?? 0), count) - first + 1;
  return Array.from({ length: Math.max(0, length) }, (_, index) => first + index);
}

function turnsOfCase({ origin }: SuiteCase): Map<number, SpokenTurn> {
  const { messages } = origin.kind === 'transcript' ? origin : (origin.history ?? { messages: [] });
  const spoken = turnsOf(toConversation(messages));
  const turns: SpokenTurn[] = spoken.map((turn) => ({
    speaker: speakerText(turn),
    text: textOf(turn),
  }));
  if (origin.kind !== 'transcript') {
    const scripted = origin.kind === 'turns' ? origin.turns : origin.user.opening;
    for (const { user } of scripted) {
      turns.push({ speaker: 'user', text: user }, { speaker: 'assistant' });
    }
  }
  return new Map(turns.map((turn, index) => [index + 1, turn]));
}

/** The turns of a case with errors. */
function turnsOfOutline({ turns }: OutlineCase): Map<number, SpokenTurn> {
  const spoken = new Map<number, SpokenTurn>();
  for (const { turns: numbers, role, label } of turns) {
    const [own, reply] = numbers;
    if (own !== undefined && role !== 'tool') {
      const before = spoken.get(own)?.text;
      spoken.set(own, {
        speaker: role,
        text: before === undefined ? label : `${before}\n\n${label}`,
      });
    }
    if (reply !== undefined) spoken.set(reply, { speaker: 'assistant' });
  }
  return spoken;
}

function turnMarkdown(
  number: number,
  turn: SpokenTurn | undefined,
  last: CaseLine | undefined,
): string {
  const heading = `**Turn ${number}** (${escapeLine(turn?.speaker ?? 'assistant')})`;
  if (turn?.text !== undefined) return `${heading}: ${escapeLine(turn.text, MAX_TEXT)}`;
  const reply = last && replyMarkdown(last, number);
  return reply ?? `${heading}: the target's reply, when it runs`;
}

export function replyMarkdown({ conversation }: CaseLine, number: number): string | undefined {
  const reply = turnsOf(conversation).find((one) => one.number === number);
  if (!reply) return undefined;
  const heading = `**Turn ${number}** (${escapeLine(speakerText(reply))}), in the last run`;
  return `${heading}: ${escapeLine(textOf(reply), MAX_TEXT)}`;
}
