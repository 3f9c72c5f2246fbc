import { isLoopback } from './destination.ts';

/** What serves models on this machine, by its usual port, and how it is started. */
const SERVERS: Readonly<Record<string, string>> = {
  11434: 'Start Ollama: open its app, or run: ollama serve',
  1234: 'Start the server of LM Studio: in its app, or run: lms server start',
  8000: 'Start the server, for example with: vllm serve MODEL',
};

/** What to start where nobody answers on this machine; undefined for other machines. */
export function whatToStart(url: string): string | undefined {
  if (!URL.canParse(url)) return undefined;
  const { hostname, port } = new URL(url);
  if (!isLoopback(hostname)) return undefined;
  return SERVERS[port] ?? "Start the server, or correct the model's base_url.";
}
