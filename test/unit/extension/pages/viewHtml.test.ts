import assert from 'node:assert/strict';
import { it } from 'node:test';
import { viewHtml } from '../../../../src/extension/pages/viewHtml.ts';

const page = viewHtml('conversation', 'https://view.test', (name) => `https://view.test/${name}`);
const [, nonce = ''] = /<meta property="csp-nonce" content="([\w-]+)" \/>/.exec(page) ?? [];

it('the conversation view loads its own script and style, and images that are data', () => {
  const policy = /Content-Security-Policy" content="([^"]*)"/.exec(page)?.[1] ?? '';
  assert.deepEqual(policy.split('; '), [
    "default-src 'none'",
    'img-src data:',
    `script-src 'nonce-${nonce}'`,
    `style-src https://view.test 'nonce-${nonce}'`,
    "base-uri 'none'",
    "form-action 'none'",
  ]);
  assert.doesNotMatch(page, /unsafe-|\s(style|on\w+)="/);
});

it('every script of the page carries the nonce', () => {
  const scripts = page.match(/<script[^>]*>/g) ?? [];
  assert.equal(scripts.length, 1);
  assert.ok(scripts.every((script) => script.includes(`nonce="${nonce}"`)));
});
