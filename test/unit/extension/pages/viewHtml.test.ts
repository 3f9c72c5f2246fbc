import assert from 'node:assert/strict';
import { it } from 'node:test';
import { viewHtml } from '../../../../src/extension/pages/viewHtml.ts';

const page = viewHtml({
  nonce: 'n0nce',
  page: 'conversation',
  cspSource: 'https://view.test',
  scriptUri: 'https://view.test/webview.js',
  styleUri: 'https://view.test/webview.css',
});

it('the conversation view loads its own script and style, and nothing else', () => {
  const policy = /Content-Security-Policy" content="([^"]*)"/.exec(page)?.[1] ?? '';
  assert.deepEqual(policy.split('; '), [
    "default-src 'none'",
    "script-src 'nonce-n0nce'",
    "style-src https://view.test 'nonce-n0nce'",
    "base-uri 'none'",
    "form-action 'none'",
  ]);
  assert.doesNotMatch(page, /unsafe-|\s(style|on\w+)="/);
});

it('every script of the page carries the nonce', () => {
  const scripts = page.match(/<script[^>]*>/g) ?? [];
  assert.equal(scripts.length, 1);
  assert.ok(scripts.every((script) => script.includes('nonce="n0nce"')));
  assert.match(page, /<meta property="csp-nonce" content="n0nce" \/>/);
});
