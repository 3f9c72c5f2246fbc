import { langgraph } from 'turnlight/agents';
import { app } from './agent.mjs';

export default langgraph(app);
