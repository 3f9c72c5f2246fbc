import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { Scrubber } from '../../../src/core/scrubber.ts';
import { assertWork } from '../../support/work.ts';

const KEY = 'sk-"test"\\+0123456789/ü';

function hiding(value = KEY): Scrubber {
  const scrubber = new Scrubber();
  scrubber.add('MY_KEY', value);
  return scrubber;
}

describe('a secret', () => {
  for (const [form, text] of [
    ['as it is', KEY],
    ['in JSON', JSON.stringify(KEY).slice(1, -1)],
    ['in JSON within JSON', JSON.stringify(JSON.stringify(KEY)).slice(3, -3)],
    ['in JSON of Python', 'sk-\\"test\\"\\\\+0123456789/\\u00fc'],
    ['in JSON of PHP', 'sk-\\"test\\"\\\\+0123456789\\/\\u00fc'],
    ['in JSON of .NET', 'sk-\\"test\\"\\\\\\u002B0123456789/\\u00FC'],
    ['in a URL', encodeURIComponent(KEY)],
    ['in a URL of Python', encodeURIComponent(KEY).replace('%2F', '/')],
    ['in a URL with small letters', 'sk-%22test%22%5c%2b0123456789%2f%c3%bc'],
    ['in a URL with few escapes', encodeURI(KEY)],
    ['in HTML', 'sk-&quot;test&quot;\\+0123456789/ü'],
    ['in JSON of Python within JSON', 'sk-\\\\\\"test\\\\\\"\\\\\\\\+0123456789/\\\\u00fc'],
    ['in a form', new URLSearchParams({ k: KEY }).toString().slice(2)],
  ] as const) {
    it(`is hidden ${form}, with the name of its variable`, () => {
      assert.equal(hiding().text(`a ${text} b ${text}`), 'a [hidden: MY_KEY] b [hidden: MY_KEY]');
    });
  }

  it('is hidden in JSON of Go and Gson', () => {
    const scrubber = hiding('a&b<c>d=0123456789');
    for (const text of [
      'a\\u0026b\\u003cc\\u003ed=0123456789',
      'a\\u0026b\\u003cc\\u003ed\\u003d0123456789',
    ]) {
      assert.equal(scrubber.text(text), '[hidden: MY_KEY]');
    }
  });

  it('is hidden in base64, whatever surrounds it', () => {
    const text = fc.string({ unit: 'binary', maxLength: 9 });
    fc.assert(
      fc.property(text, text, fc.constantFrom('base64', 'base64url'), (before, after, code) => {
        const shown = hiding().text(Buffer.from(`${before}${KEY}${after}`).toString(code));
        assert.match(shown, /\[hidden: MY_KEY\]/);
        assert.ok(!Buffer.from(shown, code).includes('0123456789'), shown);
      }),
    );
  });

  it('is hidden completely if it starts with another secret', () => {
    const scrubber = hiding('0123456789');
    scrubber.add('LONGER', '0123456789-abc');
    assert.equal(scrubber.text('0123456789-abc 0123456789'), '[hidden: LONGER] [hidden: MY_KEY]');
  });

  it('is hidden completely at any length, without a RegExp that V8 would print', () => {
    const long = `${'a'.repeat(30_000)}+`;
    const scrubber = hiding(long);
    scrubber.add('OTHER', `${'a'.repeat(30_000)}-b`);
    for (const text of [long, encodeURIComponent(long), Buffer.from(long).toString('base64')]) {
      assert.doesNotMatch(scrubber.text(`x ${text} y`), /aaaaaaaa|YWFhYWFh/);
    }
    assert.equal(scrubber.text(`x ${'a'.repeat(30_000)}-b y`), 'x [hidden: OTHER] y');
    assert.equal(scrubber.beginning(`x ${'a'.repeat(255)}`), 'x ');
  });

  describe('of several lines', () => {
    const lines = [
      '-----BEGIN PRIVATE KEY-----',
      'MIIEvQIBADANBg/kqh',
      'kiG9w0BAQEF+AASCB',
      'x7w==',
    ];
    const shown = ['-----BEGIN PRIVATE KEY-----', '[hidden: MY_KEY]', '[hidden: MY_KEY]', 'x7w=='];
    for (const [form, value] of [
      ['as it is', lines.join('\n')],
      ['with escaped line breaks', lines.join('\\n')],
      ['within JSON', JSON.stringify({ id: 7, key: `${lines.join('\n')}\n` })],
    ] as const) {
      it(`is hidden line by line, except for its heading and short lines: ${form}`, () => {
        const scrubber = hiding(value);
        for (const between of ['\n  ', '\r\n', ' / ']) {
          assert.equal(scrubber.text(lines.join(between)), shown.join(between));
        }
      });
    }

    it('takes little time, however many lines it has', async () => {
      const lines = Array.from({ length: 100_000 }, (_, line) => `line ${line} of it`).join('\n');
      await assertWork(400, () => hiding(lines));
    });
  });

  it('may contain half of a surrogate pair', () => {
    assert.equal(hiding('\ud800 abcdefgh').text('a \ud800 abcdefgh'), 'a [hidden: MY_KEY]');
  });

  it('is added in constant time', async () => {
    await assertWork(100, () => {
      const scrubber = new Scrubber();
      for (let index = 0; index < 300; index += 1) {
        scrubber.add('X-Key', `${index}/${'kz/'.repeat(60)}`);
        assert.equal(scrubber.text('a line of a log'), 'a line of a log');
      }
    });
  });

  it('is hidden at every depth of data; other data stays the same object', () => {
    const scrubber = hiding();
    assert.deepEqual(scrubber.data({ a: [{ b: `x${KEY}`, n: 1 }] }), {
      a: [{ b: 'x[hidden: MY_KEY]', n: 1 }],
    });
    const clean = { a: ['x'] };
    assert.equal(scrubber.data(clean), clean);
    assert.equal(scrubber.data(undefined), undefined);
  });

  it('hides secrets under keys that an endpoint chose', () => {
    const thoughts = [{ type: 'reasoning', path: KEY, variant: [KEY], suite: KEY }];
    assert.ok(!hiding().json({ reply: { thoughts } }).includes(KEY));
  });

  it('is hidden in keys that others chose, but not in our keys and words', () => {
    const scrubber = new Scrubber();
    const words = ['arguments', 'required', 'verdicts', 'assistant', 'tool-calls', '12345678'];
    for (const word of words) scrubber.add('A_KEY', word);
    const ours = { verdicts: [{ required: true, line: 12345678, constructor: 'x' }] };
    assert.equal(scrubber.data(ours), ours);
    const turn = { kind: 'tool-calls', role: 'assistant', side: 'assistant' };
    assert.equal(scrubber.data(turn), turn);
    const call = { name: 'assistant', arguments: { required: [12345678, { side: 'assistant' }] } };
    assert.deepEqual(scrubber.data(call), {
      name: '[hidden: A_KEY]',
      arguments: { '[hidden: A_KEY]': ['[hidden: A_KEY]', { side: '[hidden: A_KEY]' }] },
    });
    assert.equal(scrubber.json({ required: 'x required' }), '{"required":"x [hidden: A_KEY]"}');
  });

  it('is not hidden in names of files and cases, which identify results', () => {
    const scrubber = new Scrubber({ SONAR_PROJECT_KEY: 'support-bot' });
    const run = { files: [{ path: '/w/support-bot/a.eval.yaml', cases: ['support-bot'] }] };
    assert.equal(scrubber.data(run), run);
    const line = { suite: '/w/support-bot/a.eval.yaml', id: 'support-bot', variant: 'support-bot' };
    assert.equal(scrubber.data(line), line);
    const call = { call: { id: 'support-bot', arguments: { path: 'support-bot' } } };
    assert.deepEqual(scrubber.data(call), {
      call: {
        id: '[hidden: SONAR_PROJECT_KEY]',
        arguments: { path: '[hidden: SONAR_PROJECT_KEY]' },
      },
    });
  });

  it('has a name without hidden characters', () => {
    const scrubber = new Scrubber({ 'A\u001b]0;x\u0007KEY': 'abcdefgh' });
    assert.equal(scrubber.text('abcdefgh'), '[hidden: A[U+001B]]0;x[U+0007]KEY]');
  });

  it("isn't hidden if it has less than eight characters", () => {
    assert.equal(hiding('gpt-5-m').text('gpt-5-m'), 'gpt-5-m');
    assert.equal(hiding('').text('abc'), 'abc');
  });

  for (const name of [
    'DB_PASSWD',
    'DB_PASS',
    'pass',
    'SSH_PASSPHRASE',
    'APP_PWD',
    'GH_PAT',
    'AWS_CREDENTIALS',
    'Set-Cookie',
    'Helicone-Auth',
    'SENTRY_DSN',
  ]) {
    it(`is recognized by the name ${name}`, () => {
      assert.equal(new Scrubber({ [name]: 'abcdefgh' }).text('abcdefgh'), `[hidden: ${name}]`);
    });
  }

  it('is not what a path, a folder, or another word contains', () => {
    for (const name of [
      'PATH',
      'PWD',
      'OLDPWD',
      'SSH_ASKPASS',
      'COMPASS',
      'COOKIE_DOMAIN',
      'AUTH_URL',
    ]) {
      assert.equal(new Scrubber({ [name]: 'abcdefgh' }).text('abcdefgh'), 'abcdefgh', name);
    }
  });

  for (const [what, address] of [
    ['a database', 'postgres://postgres:p%40ss-0123456789@db.example.com/shop?a=b@c'],
    ['a database of several hosts', 'mongodb://u:p%40ss-0123456789@a:1,b:2/shop'],
    ['a database in Java', 'jdbc:postgresql://u:p%40ss-0123456789@db/shop'],
    ['a queue', 'redis://:p%40ss-0123456789@127.0.0.1:1'],
  ] as const) {
    it(`is the password in the address of ${what}`, () => {
      const scrubber = new Scrubber({ ADDRESS: address });
      assert.match(scrubber.text(address), /^[^%]*:\[hidden: ADDRESS\]@/);
      assert.equal(scrubber.text('p@ss-0123456789'), '[hidden: ADDRESS]');
    });
  }

  it('is no password in an address that is an ordinary word, and nothing else in it', () => {
    const addresses = {
      DATABASE: 'postgres://postgres:postgres@localhost/postgres',
      SITE: 'https://example.com/a:b@c',
      BROKEN: 'redis://u:%zz-0123456789@h',
    };
    const text = 'postgres localhost example.com a:b@c';
    assert.equal(
      new Scrubber(addresses).text(`${text} %zz-0123456789`),
      `${text} [hidden: BROKEN]`,
    );
  });

  it('is recognized by the name of its variable', () => {
    const scrubber = new Scrubber({
      AWS_SECRET_ACCESS_KEY: 'aaaaaaaaaa',
      db_password: 'bbbbbbbbbb',
      GH_TOKEN: 'cccccccccc',
      HOME: 'dddddddddd',
    });
    assert.equal(
      scrubber.text('aaaaaaaaaa bbbbbbbbbb cccccccccc dddddddddd'),
      '[hidden: AWS_SECRET_ACCESS_KEY] [hidden: db_password] [hidden: GH_TOKEN] dddddddddd',
    );
  });
});
