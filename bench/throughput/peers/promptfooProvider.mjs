// Conducts a conversation for promptfoo, which has no other way to run several at once.
// biome-ignore lint/style/noDefaultExport: promptfoo only accepts a default export.
export default class {
  id() {
    return 'conversation';
  }

  async callApi(_prompt, { vars }) {
    const messages = [];
    for (const content of vars.questions.all) {
      messages.push({ role: 'user', content });
      const response = await fetch(`${process.env.BENCH_URL}/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: 'Bearer local' },
        body: JSON.stringify({ model: 'bench', messages }),
      });
      const { choices } = await response.json();
      messages.push(choices[0].message);
    }
    return { output: messages.map(({ role, content }) => `${role}: ${content}`).join('\n') };
  }
}
