import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { adaptTarget, keysLine, proposeKeys, readKeys } from '../../../src/interop/adaptTarget.ts';

const URL = 'http://localhost:8000/chat';
const HTTP = { type: 'http', url: URL };

const missing = (...names: readonly string[]) =>
  `${URL} answered 422 (${JSON.stringify({
    detail: names.map((name) => ({ type: 'missing', loc: ['body', name], msg: 'Field required' })),
  })}). Check the target's \`body\` and \`headers\`.`;

const answered = (answer: object) =>
  `The target's reply cannot be used. It was: ${JSON.stringify(answer)} Set \`reply\` to where its text is.`;

describe('a target that a person typed', () => {
  it('gets the body that its service asks for', () => {
    assert.deepEqual(adaptTarget(HTTP, missing('message', 'session_id')), {
      body: { message: '{{message}}', session_id: '{{session}}' },
    });
    assert.deepEqual(adaptTarget(HTTP, missing('user_input', 'threadId', 'history')), {
      body: { user_input: '{{message}}', threadId: '{{session}}', history: '{{messages}}' },
    });
  });

  it('gets a field that an earlier error did not show', () => {
    const first = { ...HTTP, body: { query: '{{message}}' } };
    assert.deepEqual(adaptTarget(first, missing('session')), {
      body: { query: '{{message}}', session: '{{session}}' },
    });
  });

  it('is not changed if a field is unknown, or was sent already', () => {
    assert.equal(adaptTarget(HTTP, missing('message', 'tenant')), undefined);
    const sent = { ...HTTP, body: { message: '{{message}}' } };
    assert.equal(adaptTarget(sent, missing('message')), undefined);
  });

  it('gets the place of the reply in the answer, unless it has one', () => {
    const error = answered({ session_id: '1', reply: 'Hello' });
    assert.deepEqual(adaptTarget(HTTP, error), { reply: '/reply' });
    assert.equal(adaptTarget({ ...HTTP, reply: '/text' }, error), undefined);
    assert.equal(adaptTarget(HTTP, answered({ status: 'ok' })), undefined);
    assert.equal(adaptTarget({ type: 'command', command: ['a'] }, error), undefined);
  });

  it('proposes keys for requests that the service refuses', () => {
    const refused = proposeKeys(HTTP, `${URL} answered 400 (no). Check the target.`);
    assert.deepEqual(Object.keys(refused ?? {}), ['body', 'reply']);
    const unauthorized = proposeKeys(HTTP, `${URL} answered 401. Set the required headers.`);
    assert.deepEqual(Object.keys(unauthorized ?? {}), ['headers']);
    assert.equal(proposeKeys(HTTP, `${URL} answered 404. Check the url.`), undefined);
    assert.equal(proposeKeys(HTTP, `${URL} cannot be reached.`), undefined);
  });

  it('proposes to pass the key that a program lacks', () => {
    const program = { type: 'command', command: ['python3', 'agent.py'] };
    const error = 'Please set the `OPENAI_API_KEY` or `OPENAI_ADMIN_KEY` environment variable.';
    assert.deepEqual(proposeKeys(program, error), { pass_env: ['OPENAI_API_KEY'] });
    const passed = { ...program, pass_env: ['OPENAI_API_KEY', 'OPENAI_ADMIN_KEY'] };
    assert.equal(proposeKeys(passed, error), undefined);
    assert.equal(proposeKeys(program, 'KeyError: MONKEY'), undefined);
  });

  it('has its keys on one line', () => {
    const keys = { body: { message: '{{message}}' }, reply: '/reply' };
    assert.deepEqual(readKeys(keysLine(keys)), keys);
    assert.equal(readKeys('reply'), undefined);
    assert.equal(readKeys('{ reply'), undefined);
  });
});
