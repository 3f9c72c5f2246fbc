import { run, setTracingDisabled } from '@openai/agents';
import { openaiAgents } from 'turnlight/agents';
import { triage } from './agent.mjs';

setTracingDisabled(true);
export default openaiAgents(triage, run);
