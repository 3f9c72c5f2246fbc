import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';

// A tiny MCP server over stdio. Its argument selects a fault.
const [fault = 'none', ...names] = process.argv.slice(2);

const print = (message) => console.log(JSON.stringify({ jsonrpc: '2.0', ...message }));
const text = (words) => ({ content: [{ type: 'text', text: words }] });
const toolsNamed = (list) =>
  list.map((name) => ({
    name,
    description: `Does ${name}.`,
    inputSchema: { type: 'object', properties: { order: { type: 'number' } } },
  }));

let calls = 0;
let pages = 0;

const faults = {
  'dies at startup'() {
    console.error('no database');
    process.exit(3);
  },
  'starts slowly': () => setTimeout(500),
  'prints a banner': () => console.log('Listening for messages'),
  'prints deep JSON': () => console.log('['.repeat(1_000)),
  'prints an endless line': () => process.stdout.write('x'.repeat(2_000_000)),
};

const answers = {
  initialize: ({ protocolVersion }) =>
    fault === 'lies about its version'
      ? { protocolVersion: '1999-01-01', capabilities: {}, serverInfo: { name: 's', version: '1' } }
      : {
          protocolVersion,
          capabilities: { tools: {} },
          serverInfo: { name: 'shop', version: '1' },
        },
  'tools/list'() {
    pages += 1;
    if (fault === 'lies about its tools') return { tools: 'many' };
    if (fault === 'has endless tools') {
      const names = Array.from({ length: 100 }, (_, index) => `tool_${pages}_${index}`);
      return { tools: toolsNamed(names), nextCursor: String(pages) };
    }
    if (fault === 'has a huge schema') {
      const [tool] = toolsNamed(['find']);
      tool.inputSchema.properties.order.description = 'x'.repeat(999_000);
      return { tools: [tool, { ...tool, name: 'other' }].slice(pages - 1, pages), nextCursor: '2' };
    }
    return { tools: toolsNamed(names.length > 0 ? names : ['find', 'cancel', 'fail']) };
  },
  'tools/call'({ name, arguments: given }) {
    calls += 1;
    if (fault === 'dies in a call') {
      console.error('out of memory');
      process.exit(4);
    }
    if (fault === 'lies about a result') return { content: 'shipped' };
    if (fault === 'has a huge result') return text('x'.repeat(2_000_000));
    if (name === 'grow') {
      names.push('later');
      print({ method: 'notifications/tools/list_changed' });
    }
    if (name === 'fail') return { ...text('no such order'), isError: true };
    if (name === 'env') return text(`${process.env.MODE} ${process.env.OPENAI_API_KEY}`);
    return text(`${name} ${JSON.stringify(given)}, call ${calls}`);
  },
};

await faults[fault]?.();
const silent = { 'hangs at startup': 'initialize', 'hangs in a call': 'tools/call' }[fault];
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined || method === silent) return;
  const shown = fault === 'answers something else' && method === 'tools/call' ? id + 100 : id;
  const answer = answers[method];
  if (answer) print({ id: shown, result: answer(params) });
  else print({ id, error: { code: -32601, message: `There is no ${method}.` } });
});
