import type { Importer } from './importer.ts';
import { agentv } from './importers/agentv.ts';
import { azureData } from './importers/azureData.ts';
import { chatLog } from './importers/chatLog.ts';
import { deepevalData } from './importers/deepevalData.ts';
import { mlflowTraces } from './importers/mlflowTraces.ts';
import { openTelemetryTraces } from './importers/openTelemetryTraces.ts';
import { promptfoo } from './importers/promptfoo.ts';

/** Every kind of file that is imported; of two that know it equally well the first reads it. */
export const importers: readonly Importer[] = [
  openTelemetryTraces,
  mlflowTraces,
  agentv,
  promptfoo,
  deepevalData,
  azureData,
  chatLog,
];
