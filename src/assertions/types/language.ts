import * as z from 'zod';
import { textOf } from '../../core/conversation.ts';
import type { DeterministicType } from '../contract.ts';
import { LANGUAGES, languageDetector } from '../shared/detectLanguage.ts';
import { shareOfTurns, type TurnFinding } from '../shared/shareOfTurns.ts';

const params = z.strictObject({
  language: z
    .enum(LANGUAGES)
    .meta({ description: 'The language that is wanted, as an ISO 639-1 code such as `en`.' }),
});

const names = new Intl.DisplayNames(['en'], { type: 'language' });

export const language: DeterministicType = {
  kind: 'deterministic',
  type: 'language',
  summary: 'Each chosen reply is in `language`.',
  docs: {
    asks: 'Tells the language of each chosen turn from its runs of letters, on this machine and without a model. Code is left out; of a turn in several languages the one of most of its text counts. Skipped are turns that are too short or too unsure to tell, such as "OK.", and the assertion where all are. Norwegian is `no` in both its forms, and Indonesian is told as Malay, `ms`.',
    score: 'turns in `language` ÷ turns of which the language could be told.',
    example:
      'three replies in German, one in English and one "OK." with `language: de`: 3 ÷ 4 = 0.75.',
    yaml: `
      - type: language
        language: de
    `,
  },
  params,
  defaultThreshold: 1,
  side: 'assistant',
  async check(input) {
    const { language: wanted } = params.parse(input.assertion.params);
    const detect = await languageDetector();
    const look = (text: string): TurnFinding => {
      const found = detect(text);
      if (!found) return { holds: undefined, rationale: 'is too short or too unsure to tell' };
      const rationale = `is ${found.share < 1 ? 'mostly ' : ''}in ${names.of(found.language)}`;
      return { holds: found.language === wanted, rationale };
    };
    return shareOfTurns(input, (turn) => look(textOf(turn)), {
      claim: (found) => `${found ? 'is' : 'is not'} in ${names.of(wanted)}`,
      untold: {
        reason: 'language-unsure',
        rationale: 'The language of none of the chosen turns could be told.',
      },
    });
  },
};
