import { isMapping, mappingOf } from '../../core/data/data.ts';
import { parsed } from '../fields.ts';

/** What a prompt tells the model, and what it says as the user. */
export interface Prompt {
  readonly system?: string;
  readonly turns: readonly string[];
}

/** Prompts that stand in the configuration; of one in a file it is told that it is not read. */
export function promptsIn(given: unknown, say: (message: string) => void): Prompt[] {
  const list = Array.isArray(given) ? given : given === undefined ? [] : [given];
  return list.flatMap((one) => {
    const text = isMapping(one) ? (one.raw ?? one.id) : one;
    if (typeof text !== 'string') return [];
    if (/^(file:\/\/|exec:)|^\S+\.(txt|md|json|ya?ml|[cm]?[jt]s|py|j2|csv)$/.test(text.trim())) {
      say(`The prompt in ${JSON.stringify(text)} is not read: write it into the file.`);
      return [];
    }
    return [promptOf(text)];
  });
}

/** A text, or messages as JSON. */
function promptOf(text: string): Prompt {
  const messages = parsed(text.trim());
  if (!Array.isArray(messages)) return { turns: [text.trim()] };
  const said = messages.map(mappingOf);
  const of = (role: string) =>
    said.filter((one) => one.role === role).map(({ content }) => String(content));
  const system = of('system').join('\n\n');
  return { turns: of('user'), ...(system !== '' && { system }) };
}
