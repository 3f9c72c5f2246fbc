import assert from 'node:assert/strict';
import { it } from 'node:test';
import { formatFor } from '../../../src/models/openai/answerFormat.ts';

const SHARED = { messages: [], answer: { name: 'a', schema: {} }, shared: true };

for (const [baseUrl, isOpenAi, format] of [
  ['https://api.openai.com/v1', true, 'json_object'],
  ['https://contoso.openai.azure.com/openai/v1', false, 'json_object'],
  ['https://openai.azure.com.example.com/v1', false, 'json_schema'],
  ['http://localhost:8000/v1', false, 'json_schema'],
  ['no address', false, 'json_schema'],
] as const) {
  it(`asks for ${format} at ${baseUrl} where requests share a long beginning`, () => {
    assert.equal(formatFor(SHARED, { baseUrl, isOpenAi, params: { model: 'm' } }), format);
  });
}
