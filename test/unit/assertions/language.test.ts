import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { eld } from 'eld/extrasmall';
import { LANGUAGES, language } from '../../../src/assertions/types/language.ts';
import type { Assertion } from '../../../src/core/suite.ts';
import {
  EACH,
  findingOf,
  LAST,
  NOT,
  outcomeOf,
  replies,
  statuses,
} from '../../support/deterministic.ts';
import { assistant, call } from '../../support/judging.ts';

function saying(...texts: string[]) {
  return replies(...texts.map((text) => [assistant(text)]));
}

const ENGLISH = 'Your order was shipped on Monday and will arrive tomorrow.';
const GERMAN = 'Ihre Bestellung wurde am Montag verschickt und kommt morgen an.';
const IN: readonly [code: string, text: string][] = [
  ['en', ENGLISH],
  ['de', GERMAN],
  ['es', 'Su pedido salió el lunes y llegará mañana.'],
  ['fr', 'Votre commande est partie lundi et arrivera demain.'],
  ['it', 'Il tuo ordine è partito lunedì e arriverà domani.'],
  ['pt', 'O seu pedido foi enviado na segunda-feira.'],
  ['nl', 'Je bestelling is maandag verzonden en komt morgen aan.'],
  ['pl', 'Twoje zamówienie zostało wysłane w poniedziałek.'],
  ['ru', 'Ваш заказ был отправлен в понедельник.'],
  ['uk', 'Ваше замовлення було відправлено в понеділок.'],
  ['tr', 'Siparişiniz pazartesi günü kargoya verildi.'],
  ['ar', 'تم شحن طلبك يوم الاثنين وسيصل غدا.'],
  ['zh', '您的订单已于周一发货，明天送达。'],
  ['ja', 'ご注文は月曜日に発送されました。'],
  ['ko', '주문하신 상품은 월요일에 발송되었습니다.'],
];

describe('language', () => {
  for (const [code, text] of IN) {
    it(`tells ${code} from the others`, async () => {
      assert.equal((await findingOf(language, { language: code }, saying(text))).score, 1);
      const other = code === 'en' ? 'fr' : 'en';
      assert.equal((await findingOf(language, { language: other }, saying(text))).score, 0);
    });
  }

  const rows: [
    what: string,
    texts: string[],
    code: string,
    rest: Partial<Assertion>,
    score: number,
    entries: string[],
  ][] = [
    ['two of three', [GERMAN, ENGLISH, GERMAN], 'de', {}, 2 / 3, ['2 pass', '4 fail', '6 pass']],
    ['each', [GERMAN, ENGLISH, GERMAN], 'de', EACH, 2 / 3, ['2 pass', '4 fail', '6 pass']],
    ['the last', [GERMAN, ENGLISH, GERMAN], 'de', LAST, 1, ['6 pass']],
    ['negated', [GERMAN, ENGLISH, GERMAN], 'de', NOT, 1 / 3, ['2 fail', '4 pass', '6 fail']],
    [
      'with short ones',
      ['OK.', GERMAN, '', '98765'],
      'de',
      {},
      1,
      ['2 skipped', '4 pass', '6 skipped', '8 skipped'],
    ],
    ['negated, with short ones', ['OK.', GERMAN], 'en', NOT, 1, ['2 skipped', '4 pass']],
    [
      'code left out',
      [`${GERMAN}\n\`\`\`js\n${'const order = await shop.find(this.number);\n'.repeat(20)}\`\`\``],
      'de',
      {},
      1,
      ['2 pass'],
    ],
    [
      'an address left out',
      [`${GERMAN} https://example.com/where-is-my-order-and-when`],
      'de',
      {},
      1,
      ['2 pass'],
    ],
    ['more German than English', [`${ENGLISH}\n${GERMAN.repeat(6)}`], 'de', {}, 1, ['2 pass']],
    [
      'more English, but later',
      [`${GERMAN.repeat(6)}\n${`${ENGLISH} `.repeat(30)}`],
      'en',
      {},
      1,
      ['2 pass'],
    ],
  ];
  for (const [what, texts, code, rest, score, entries] of rows) {
    it(`${what}: ${score}`, async () => {
      const finding = await findingOf(language, { language: code }, saying(...texts), rest);
      assert.equal(finding.score, score);
      assert.deepEqual(statuses(finding), entries);
    });
  }

  it('names the language of each turn', async () => {
    const mixed = `${ENGLISH} ${ENGLISH}\n${GERMAN.repeat(6)}`;
    const finding = await findingOf(language, { language: 'en' }, saying(ENGLISH, GERMAN, mixed));
    assert.deepEqual(finding.hits, ['Turn 2: is in English']);
    assert.deepEqual(finding.misses, ['Turn 4: is in German', 'Turn 6: is mostly in German']);
    assert.equal(finding.rationale, 'Is in English: 1 of 3 turns.');
  });

  it('is skipped if no turn can be detected', async () => {
    const talk = replies([assistant('OK.')], call('look', { text: ENGLISH }, ENGLISH));
    const outcome = await outcomeOf(language, { language: 'en' }, talk);
    assert.deepEqual([outcome.kind, statuses(outcome)], ['skipped', ['2 skipped', '4 skipped']]);
  });

  it('takes the codes that the detector knows and no others', () => {
    assert.deepEqual([...LANGUAGES], Object.values(eld.info().Languages).sort());
    for (const code of ['xx', 'eng', 'EN', 'en-US', '']) {
      assert.equal(language.params.safeParse({ language: code }).success, false);
    }
  });
});
