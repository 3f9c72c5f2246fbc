import * as z from 'zod';
import { textOf } from '../../core/conversation.ts';
import { checkedType } from '../shared/checkedType.ts';
import { LANGUAGES, languageDetector } from '../shared/detectLanguage.ts';
import { shareOfTurns, type TurnFinding } from '../shared/shareOfTurns.ts';

const params = z.strictObject({
  language: z
    .enum(LANGUAGES)
    .meta({ description: 'The expected language as an ISO 639-1 code, such as `en`.' }),
});

let names: Intl.DisplayNames | undefined;

function nameOf(language: string): string | undefined {
  names ??= new Intl.DisplayNames(['en'], { type: 'language' });
  return names.of(language);
}

export const language = checkedType({
  type: 'language',
  summary: 'Each chosen reply is in `language`.',
  docs: {
    asks: 'Detects the language of each chosen turn from its letter sequences, locally and without a model. Code is ignored; in a turn with several languages, the predominant one counts. Turns too short or too ambiguous to tell, such as "OK.", are skipped; if all are, so is the assertion. Norwegian is `no` in both its forms, and Indonesian is told as Malay, `ms`.',
    score: 'turns in `language` ÷ turns whose language was detected.',
    example:
      'three replies in German, one in English and one "OK." with `language: de`: 3 ÷ 4 = 0.75.',
    yaml: `
      - type: language
        language: de
    `,
  },
  params,
  async check(input, { language: wanted }) {
    const detect = await languageDetector();
    const look = async (text: string): Promise<TurnFinding> => {
      const found = await detect(text);
      if (!found) return { holds: undefined, rationale: 'is too short or too unsure to tell' };
      const rationale = `is ${found.share < 1 ? 'mostly ' : ''}in ${nameOf(found.language)}`;
      return { holds: found.language === wanted, rationale };
    };
    return shareOfTurns(input, (turn) => look(textOf(turn)), {
      claim: (found) => `${found ? 'is' : 'is not'} in ${nameOf(wanted)}`,
      undecided: {
        reason: 'language-unsure',
        rationale: 'The language of none of the chosen turns could be told.',
      },
    });
  },
});
