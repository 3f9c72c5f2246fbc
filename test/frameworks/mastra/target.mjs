import { mastra } from 'turnlight/agents';
import { triage } from './agent.mjs';

export default mastra(triage);
