import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PROTOCOL_VERSION } from '../../../src/assertions/questionHash.ts';
import { PROTOCOL } from '../../../src/judge/protocol.ts';
import { sha256 } from '../../../src/node/hashes.ts';

/** What judges were told in each version. */
const TEXTS: Readonly<Record<number, string>> = {
  1: '67552c51c654af5b33fc9d6ef0d1200223663c37cb11c652445aa3a9f5740be6',
  2: '0fe1d016c9c7d74c426e836528f64f2d23d85baa147638bf804f546b6c1907b9',
  3: '9f65e5102802445fdf1520815d06fff328902ed8f64a97014b287451d3e3df3e',
  4: 'a44a99ead30a647d8c823b84d93886949e8eb53c2ad6c78c318b3dd568c706a3',
};

test('what judges are told changes with its version alone', () => {
  const message = 'Raise PROTOCOL_VERSION, and add the hash of the new text here.';
  assert.equal(sha256(PROTOCOL), TEXTS[PROTOCOL_VERSION], message);
});
