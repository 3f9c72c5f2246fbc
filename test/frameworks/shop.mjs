import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

// Shared by the JavaScript recordings: the script's agents and tools, and the span file.

const script = JSON.parse(readFileSync(process.env.SCRIPT, 'utf8'));

export const MODEL = 'gpt-5-mini';
export const USER_TEXTS = script.turns.map(({ user }) => user);

export function instructions(agent) {
  return script.agents[agent].instructions;
}

/** Names, descriptions, parameters, and functions of an agent's tools. */
export function toolsOf(agent) {
  return script.agents[agent].tools.map((name) => ({
    name,
    ...script.tools[name],
    run: (given) => result(name, given),
  }));
}

function result(tool, given) {
  const calls = script.turns.flatMap(({ replies }) => replies.flatMap(({ calls = [] }) => calls));
  const call = calls.find(
    (one) => one.name === tool && JSON.stringify(one.arguments) === JSON.stringify(given),
  );
  if (!call) throw new Error(`${tool}(${JSON.stringify(given)}) is not in the script.`);
  return call.result;
}

/** An exporter that writes spans to `traces.jsonl`. @param serializer JsonTraceSerializer */
export function fileExporter(serializer) {
  return {
    export(spans, done) {
      const text = new TextDecoder().decode(serializer.serializeRequest(spans));
      appendFileSync(join(process.env.OUT, 'traces.jsonl'), `${text}\n`);
      done({ code: 0 });
    },
    shutdown: async () => {},
    forceFlush: async () => {},
  };
}

export function write(name, value) {
  writeFileSync(join(process.env.OUT, name), `${JSON.stringify(value, null, 1)}\n`);
}
