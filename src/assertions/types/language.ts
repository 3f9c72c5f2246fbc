import * as z from 'zod';
import { type Turn, textOf } from '../../core/conversation.ts';
import { stepsOf } from '../../node/cooperative.ts';
import { checkTurns, type TurnFinding, wordsOf } from '../shared/deterministic.ts';
import { deterministicType } from '../shared/kinds.ts';

/** ISO 639-1 codes of the languages that the detector distinguishes. */
export const LANGUAGES =
  'am ar az be bg bn ca cs da de el en es et eu fa fi fr gu he hi hr hu hy is it ja ka kn ko ku lo lt lv ml mr ms nl no or pa pl pt ro ru sk sl sq sr sv ta te th tl tr uk ur vi yo zh'.split(
    ' ',
  );

const params = z.strictObject({
  language: z
    .enum(LANGUAGES)
    .meta({ description: 'The expected language as an ISO 639-1 code, such as `en`.' }),
});

function nameOf(language: string): string | undefined {
  return new Intl.DisplayNames(['en'], { type: 'language' }).of(language);
}

export const language = deterministicType({
  type: 'language',
  summary: 'Each chosen reply is in `language`.',
  docs: {
    asks: 'Detects the language of each chosen turn from its letter sequences, locally and without a model. Code is ignored. In a turn with several languages, the predominant one counts. Turns that are too short or too ambiguous, such as "OK.", are skipped; if all turns are skipped, so is the assertion. Both forms of Norwegian are `no`, and Indonesian is detected as Malay, `ms`.',
    score: 'turns in `language` ÷ turns whose language was detected.',
    example:
      'with `language: de`, three replies are in German, one is in English, and one is "OK.": 3 ÷ 4 = 0.75.',
    yaml: `
      - type: language
        language: de
    `,
  },
  params,
  async check(input, { language: wanted }) {
    // The detector's data takes up about a megabyte.
    loading ??= loadDetector();
    const detect = await loading;
    const checkTurn = async (turn: Turn): Promise<TurnFinding> => {
      const found = await detect(textOf(turn));
      if (!found)
        return {
          holds: undefined,
          rationale: 'is too short or too ambiguous for language detection',
        };
      const rationale = `is ${found.share < 1 ? 'mostly ' : ''}in ${nameOf(found.language)}`;
      return { holds: found.language === wanted, rationale };
    };
    return checkTurns(input, checkTurn, {
      claim: (found) => `${found ? 'is' : 'is not'} in ${nameOf(wanted)}`,
      undecided: {
        reason: 'language-unsure',
        rationale: 'The language of the chosen turns could not be detected.',
      },
    });
  },
});

/** One word isn't enough: `Gift` is both an English and a German word. */
const MIN_WORDS = 3;

/** Minimum number of characters per piece. The detector reads about 350 bytes of each. */
const MIN_PIECE = 100;

let loading: ReturnType<typeof loadDetector> | undefined;

async function loadDetector() {
  const { eld } = await import('eld/extrasmall');
  const detector = eld.newInstance();
  const sentences = new Intl.Segmenter('en', { granularity: 'sentence' });
  // Addresses and numbers aren't in any language.
  detector.enableTextCleanup(true);
  /** The predominant language and its share of the text; undefined if the text is too short or ambiguous. */
  return async (text: string) => {
    const prose = text.replace(/```[\s\S]*?```/g, '\n').replace(/`[^`\n]*`/g, ' ');
    if (!(await hasWords(prose))) return undefined;
    const step = stepsOf();
    const lengths = new Map<string, number>();
    for (const piece of piecesOf(prose, sentences)) {
      await step();
      const found = detector.detect(piece);
      if (!found.isReliable()) continue;
      lengths.set(found.language, (lengths.get(found.language) ?? 0) + piece.length);
    }
    const [longest] = [...lengths].sort(([, a], [, b]) => b - a);
    if (!longest) return undefined;
    const detected = [...lengths.values()].reduce((sum, length) => sum + length, 0);
    return { language: longest[0], share: longest[1] / detected };
  };
}

async function hasWords(text: string): Promise<boolean> {
  let count = 0;
  for await (const word of wordsOf(text)) {
    if (/\p{L}/u.test(word)) count += 1;
    if (count >= MIN_WORDS) return true;
  }
  return false;
}

function* piecesOf(text: string, sentences: Intl.Segmenter): Generator<string> {
  let piece = '';
  for (const { segment } of sentences.segment(text)) {
    piece += segment;
    if (piece.length < MIN_PIECE) continue;
    yield piece;
    piece = '';
  }
  if (piece !== '') yield piece;
}
