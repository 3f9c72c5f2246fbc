import { aiSdk } from 'turnlight/agents';
import { triage } from './agent.mjs';

export default aiSdk(triage);
