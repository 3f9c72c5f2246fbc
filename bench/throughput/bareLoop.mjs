// The lower limit for any runner: the same requests with plain `fetch`. Conversations run concurrently, each with its
// turns in order, then its judge requests in sequence.
const [baseUrl, conversations, turns, judged, concurrency] = process.argv.slice(2);

async function ask(messages, extra = {}) {
  const response = await fetch(`${baseUrl}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer local' },
    body: JSON.stringify({ model: 'bench', messages, ...extra }),
  });
  const { choices } = await response.json();
  return choices[0].message;
}

async function converse(number) {
  const messages = [];
  for (let turn = 1; turn <= Number(turns); turn += 1) {
    messages.push({ role: 'user', content: `Order ${number}, question ${turn}: where is it?` });
    messages.push(await ask(messages));
  }
  const schema = { type: 'object', properties: { score: { type: 'number' } } };
  const response_format = { type: 'json_schema', json_schema: { name: 'verdict', schema } };
  for (let index = 0; index < Number(judged); index += 1) {
    await ask([{ role: 'user', content: JSON.stringify(messages) }], { response_format });
  }
}

let next = 0;
async function work() {
  while (next < Number(conversations)) {
    next += 1;
    await converse(next);
  }
}

await Promise.all(Array.from({ length: Number(concurrency) }, work));
