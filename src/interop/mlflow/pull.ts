import { join } from 'node:path';
import pLimit from 'p-limit';
import { LIMITS, readable } from '../../core/limits.ts';
import type { Tool } from '../../core/message.ts';
import type { Suite } from '../../core/suite.ts';
import { counted } from '../../core/text/format.ts';
import { visibleLine } from '../../core/text/visibleText.ts';
import { readMessages } from '../../messages/readMessages.ts';
import { evalName } from '../../node/paths.ts';
import { write, writeEntry, writeWord } from '../../yaml/quoting.ts';
import { shorthandOf } from '../conversation.ts';
import { plainCopy } from '../evalFileText.ts';
import { assertionKeyOf, suggestedAssertion, writeLabels } from '../feedback.ts';
import { BATCH, findExperiment, searchTraces, spansOf } from './api.ts';
import type { MlflowClient } from './client.ts';
import {
  CaseIds,
  createFolder,
  type Link,
  linkFile,
  replaceFile,
  sessionsFolder,
  writeIfAbsent,
} from './folder.ts';
import { expectedIn, isFeedback, isHuman, type PulledLabels, ratedSession } from './labels.ts';
import { MlflowError } from './mlflowError.ts';
import {
  conversationInSession,
  readSpans,
  type Session,
  type SessionConversation,
  Sessions,
  type Span,
  sortTraces,
} from './session.ts';

interface Pull {
  readonly experiment: string;
  /** The sessions to pull; empty for all. */
  readonly sessions: readonly string[];
  /** Absolute. */
  readonly evalFile: string;
  /** Reads the eval file after it has been written. */
  readonly load: (path: string) => Promise<Suite | undefined>;
}

/** Maximum number of concurrent requests for spans. */
const MAX_CONCURRENT = 4;

interface PulledSession extends PulledLabels {
  readonly tools: readonly Tool[];
  readonly expectations: Readonly<Record<string, unknown>>;
}

/** Converts the sessions of an experiment to cases. @throws MlflowError, UnwritableError */
export async function pull(client: MlflowClient, wanted: Pull) {
  const experiment = await findExperiment(client, wanted.experiment);
  /** Sentences about what was left out. */
  const notes: string[] = [];
  const sessions = await sessionsOf(client, experiment.experiment_id, wanted, notes);
  const folder = sessionsFolder(wanted.evalFile);
  await createFolder(folder);
  const ids = new CaseIds();
  const limit = pLimit(MAX_CONCURRENT);
  const named = sessions.map((session) => ({ id: ids.idFor(session.id), session }));
  const read = await Promise.all(
    named.map(({ id, session }) => limit(() => pullSession(client, id, session, folder, notes))),
  );
  const pulled = read.filter((one) => one !== undefined);
  if (pulled.length === 0) {
    const why = notes.length > 0 ? ` ${notes[0]}` : '';
    const message = `No session in "${visibleLine(experiment.name, 80)}" could be converted to a case.${why} A session consists of traces with \`mlflow.trace.session\` in their metadata.`;
    throw new MlflowError('not-found', message);
  }
  await replaceFile(join(folder, CASES), casesText(pulled, folder));
  const linked = pulled.map(({ id, session }) => {
    const traces = session.traces.map(({ trace_id }) => trace_id);
    return [id, { session: session.id, traces }] as const;
  });
  const link: Link = { experiment, sessions: Object.fromEntries(linked) };
  await replaceFile(linkFile(wanted.evalFile), `${JSON.stringify(link, undefined, 2)}\n`);
  const text = evalFileText(wanted.evalFile, experiment.name, pulled);
  /** False if the eval file already exists. */
  const created = await writeIfAbsent(wanted.evalFile, text);
  const suite = await wanted.load(wanted.evalFile);
  const labels = await writeLabels(wanted.evalFile, pulled.map(ratedSession), suite);
  const traces = pulled.reduce((sum, { session }) => sum + session.traces.length, 0);
  return { sessions: pulled.length, traces, notes, created, labels };
}

async function sessionsOf(
  client: MlflowClient,
  experimentId: string,
  { sessions: wanted }: Pull,
  notes: string[],
): Promise<Session[]> {
  const sessions = new Sessions();
  let count = 0;
  for (const session of wanted.length > 0 ? wanted : [undefined]) {
    for await (const page of searchTraces(client, experimentId, session)) {
      count += page.length;
      if (count > LIMITS.mlflowTraces) {
        const message = `There are more than ${readable(LIMITS.mlflowTraces)} traces. Use --session to select the sessions to pull.`;
        throw new MlflowError('bad-answer', message);
      }
      sessions.add(page);
    }
  }
  const all = sessions.all();
  if (wanted.length === 0) {
    if (sessions.withoutSession > 0)
      notes.push(`Left out ${counted(sessions.withoutSession, 'trace')} without a session.`);
    return all;
  }
  for (const id of wanted) {
    if (all.some((one) => one.id === id)) continue;
    throw new MlflowError('not-found', `There is no session "${visibleLine(id, 100)}".`);
  }
  return all.filter(({ id }) => wanted.includes(id));
}

/** Undefined, with a note, if the session isn't a conversation. */
async function pullSession(
  client: MlflowClient,
  id: string,
  { traces, ...named }: Session,
  folder: string,
  notes: string[],
): Promise<PulledSession | undefined> {
  const spans = new Map<string, readonly Span[]>();
  for (let from = 0; from < traces.length; from += BATCH) {
    const found = await spansOf(client, traces.slice(from, from + BATCH));
    for (const [trace, own] of found) spans.set(trace, readSpans(own));
  }
  const session = sortTraces({ ...named, traces }, spans);
  const talk = conversationInSession(session, spans);
  const name = `Session "${visibleLine(session.id, 80)}"`;
  const written = talk.messages.map(shorthandOf);
  const [problem] = readMessages(written).problems;
  if (problem) {
    notes.push(`${name} was left out. ${problem.message}`);
    return undefined;
  }
  if (talk.silent.length > 0) {
    notes.push(`${name}: found no messages in ${counted(talk.silent.length, 'trace')}.`);
  }
  if (talk.branches > 0) {
    const requests = counted(talk.branches, 'request');
    notes.push(`${name}: left out ${requests} that don't continue the conversation.`);
  }
  await replaceFile(join(folder, `${id}.yaml`), `${write(written).text}\n`);
  return { id, session, ...caseOf(session, talk) };
}

function caseOf({ traces }: Session, { messages, turns, tools }: SessionConversation) {
  const expected = traces
    .flatMap(({ assessments }) => assessments)
    .filter((one) => isHuman(one) && one.expectation !== undefined)
    .map((one) => [one.assessment_name, expectedIn(one)] as const);
  return { messages, turns, tools, expectations: Object.fromEntries(expected) };
}

const CASES = 'cases.yaml';

function casesText(pulled: readonly PulledSession[], folder: string): string {
  const cases = pulled.map(({ id, tools, expectations }) => ({
    id,
    transcript: `${id}.yaml`,
    ...(tools.length > 0 && { tools }),
    ...(Object.keys(expectations).length > 0 && { expectations }),
  }));
  const text = `# Written by \`turnlight mlflow pull\`, and overwritten by the next pull. Write checks in the eval file.\n${writeEntry('cases', write(plainCopy(cases)))}\n`;
  if (Buffer.byteLength(text) <= LIMITS.evalFile) return text;
  const message = `The cases of these sessions need more than ${readable(LIMITS.evalFile)} bytes in ${join(folder, CASES)}. Use --session to pull fewer sessions.`;
  throw new MlflowError('bad-answer', message);
}

function evalFileText(
  evalFile: string,
  experiment: string,
  pulled: readonly PulledSession[],
): string {
  const include = `${evalName(evalFile)}.sessions/${CASES}`;
  const assessed = assessedNames(pulled).filter(
    (name) => !SUGGESTED.some(({ type }) => type === name),
  );
  const lines = [
    `# Sessions of the MLflow experiment ${visibleLine(JSON.stringify(experiment), 200)}. Pull again for new ones; this file is never overwritten.`,
    `include: [${writeWord(include, true)}]`,
    '',
    'defaults:',
    '  assert:',
    ...SUGGESTED.map(({ type }) => `    - type: ${type}`),
  ];
  if (assessed.length > 0) {
    lines.push(
      '    # People assessed these in MLflow. Define them to compare a judge with the labels:',
      ...assessed.map((name) => `    # - ${suggestedAssertion(name)}`),
    );
  }
  return `${lines.join('\n')}\n`;
}

/** Assertions that are suggested for every session. */
const SUGGESTED = [{ type: 'conversation-completeness' }, { type: 'user-frustration' }];

function assessedNames(pulled: readonly PulledSession[]): string[] {
  const names = pulled
    .flatMap(({ session }) => session.traces)
    .flatMap((trace) => trace.assessments)
    .filter(isFeedback)
    .map((one) => assertionKeyOf(one.assessment_name));
  return [...new Set(names)];
}

/** The default path of the eval file for a pull. */
export function defaultEvalFile(folder: string, experiment: string): string {
  const [last = ''] = experiment.split('/').slice(-1);
  const words = last.replace(/[^A-Za-z0-9_-]+/g, '-').replace(/^-+|(?<!-)-+$/g, '');
  const name = words.slice(0, 60) || 'mlflow';
  return join(folder, `${name}.eval.yaml`);
}
