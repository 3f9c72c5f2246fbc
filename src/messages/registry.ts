import { aiSdk } from './aiSdk.ts';
import { aiSdkUi } from './aiSdkUi.ts';
import { anthropic } from './anthropic.ts';
import { azure } from './azure.ts';
import { deepeval } from './deepeval.ts';
import type { Dialect } from './dialect.ts';
import { langchain } from './langchain.ts';
import { openaiAgents } from './openaiAgents.ts';
import { openaiChat } from './openaiChat.ts';
import { openTelemetry } from './openTelemetry.ts';
import { responses } from './responses.ts';
import { shorthand } from './shorthand.ts';

/**
 * Every message dialect; the first dialect that matches a message reads it. To add one, create a file in this folder
 * and add a line here, before `openaiChat`, which matches every message with a role.
 */
export const dialects: readonly Dialect[] = [
  aiSdkUi,
  openTelemetry,
  aiSdk,
  azure,
  anthropic,
  deepeval,
  langchain,
  openaiAgents,
  responses,
  openaiChat,
  shorthand,
];
