import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Scrubber } from '../../../src/core/scrubber.ts';
import {
  cleanReceived,
  findPersonalData,
  mapTexts,
  replaceNames,
  replaceTexts,
} from '../../../src/interop/personalData.ts';
import { assistant, call, system, talk, user } from '../../support/judging.ts';
import { growth } from '../../support/work.ts';

const KEY = `sk-${'a1'.repeat(12)}`;

const TALK = talk(
  system('Be kind to Sarah.'),
  user('I am Sarah Miller, sarah.miller@shop.example. Call +49 30 1234567, or (030) 1234-567.'),
  ...call('pay', { card: 4_111_111_111_111_111, order: '98765432', to: 'SARAH' }, `key ${KEY}`),
  assistant('Paid by 4111 1111 1111 1111 on 2026-11-27 at 10.0.0.12, Sarah. Not Sarahs, though.', [
    'sarah.miller@shop.example bought a lamp.',
  ]),
);

const textsIn = (conversation: typeof TALK) => {
  const texts: string[] = [];
  mapTexts(conversation, (text) => {
    texts.push(text);
    return text;
  });
  return texts;
};

describe('Personal data in a conversation', () => {
  it('is found by its form; order numbers, dates, and addresses of machines are not', () => {
    assert.deepEqual(
      findPersonalData(TALK).map(({ kind, text, by }) => [kind, text, by]),
      [
        ['e-mail address', 'sarah.miller@shop.example', 'user1@example.com'],
        ['phone number', '+49 30 1234567', '+1 555 0101'],
        ['phone number', '(030) 1234-567', '+1 555 0102'],
        ['card number', '4111111111111111', '4242 4242 4242 4242'],
        ['key or token', KEY, 'hidden-key-1'],
        ['card number', '4111 1111 1111 1111', '4242 4242 4242 4242'],
      ],
    );
  });

  it('is replaced in everything that was said, with the names that the user types', () => {
    const replacements = [...findPersonalData(TALK), ...replaceNames('Sarah, Miller')];
    assert.deepEqual(textsIn(replaceTexts(TALK, replacements)), [
      'Be kind to Alex.',
      'I am Alex Kim, user1@example.com. Call +1 555 0101, or +1 555 0102.',
      '4242 4242 4242 4242',
      '98765432',
      'Alex',
      'key hidden-key-1',
      'Paid by 4242 4242 4242 4242 on 2026-11-27 at 10.0.0.12, Alex. Not Sarahs, though.',
      'user1@example.com bought a lamp.',
    ]);
  });

  it('stays if nothing is chosen, and in names of roles and tools', () => {
    assert.equal(replaceTexts(TALK, []), TALK);
    const changed = replaceTexts(TALK, replaceNames('user, pay, turn, card, assistant'));
    assert.deepEqual(
      changed.entries.map((entry) => (entry.kind === 'turn' ? entry.side : entry.role)),
      ['system', 'user', 'assistant'],
    );
    assert.match(JSON.stringify(changed), /"name":"pay","arguments":\{"card":4111111111111111,/);
  });

  it('gives names that nobody has, and treats them as plain text', () => {
    const replaced = replaceNames(' Alex ,, Sarah|x, Alex');
    assert.deepEqual(
      replaced.map(({ text, by }) => [text, by]),
      [
        ['Alex', 'Kim'],
        ['Sarah|x', 'Robin'],
      ],
    );
    const said = replaceTexts(talk(user('x Sarah|x Alex $&')), replaced);
    assert.deepEqual(textsIn(said), ['x Robin Kim $&']);
  });

  for (const piece of ['a@', '1-', 'sk-a', '+1(', 'eyJa.', 'a.b@c-']) {
    it(`is found in time that grows with the length of the text, not faster: ${piece}`, async () => {
      const find = async (size: number) => findPersonalData(talk(user(piece.repeat(size))));
      assert.ok((await growth(find, 50_000)) < 8);
    });
  }
});

describe('A received conversation', () => {
  it('is written without secrets and personal data, wherever they are', async () => {
    const secret = 'planted-0123456789';
    const conversation = talk(
      user(`I am sarah@shop.example, ${secret}`),
      ...call(
        'pay',
        { to: 'sarah@shop.example', [secret]: { token: secret } },
        `401 for ${secret}`,
      ),
      assistant(`${secret} is wrong.`, [secret]),
    );
    const tools = [{ name: 'pay', description: `Uses ${secret}`, parameters: { [secret]: {} } }];
    const draft = { line: 1, keys: { tools }, assert: [], suggestions: [] };
    const scrubber = new Scrubber({ MY_TOKEN: secret });
    const choose = async (one: typeof conversation) => findPersonalData(one);
    const clean = await cleanReceived({ conversation, draft }, scrubber, choose);
    const text = JSON.stringify(clean);
    assert.ok(!/planted|sarah/.test(text), text);
    assert.equal(text.split('[hidden: MY_TOKEN]').length, 9);
    assert.equal(text.split('user1@example.com').length, 3);
    assert.equal(clean?.conversation.entries.length, conversation.entries.length);
    const cancel = async () => undefined;
    assert.equal(await cleanReceived({ conversation }, scrubber, cancel), undefined);
  });
});
