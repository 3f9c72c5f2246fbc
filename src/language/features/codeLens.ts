import type { CodeLens } from 'vscode-languageserver-types';
import * as z from 'zod';
import { isMapping, mappingOf } from '../../core/data/data.ts';
import { estimateWords } from '../../core/estimate.ts';
import { type Range, START } from '../../core/problem.ts';
import type { LoadedSuite } from '../../evalfile/loadedSuite.ts';
import { COMMANDS } from '../../protocol/names.ts';
import type { YamlDocument } from '../../yaml/yamlDocument.ts';
import type { EstimateCase, EvalDocument } from '../ports.ts';

/**
 * `Run all` for the file; `Run`, `Open conversation`, `Talk` if there is a target, and an estimate, computed when shown,
 * for each case; `Talk` for each target.
 */
export function codeLenses({ suite, yaml }: EvalDocument, uri: string): CodeLens[] {
  const targets = targetLenses(yaml, uri);
  const own = suite.outline.filter(({ path }) => path === suite.path);
  if (own.length === 0) return targets;
  // Recorded conversations aren't read here; `turnlight plan` estimates them.
  const runnable = suite.suite?.cases.filter(({ skip, expand }) => !skip && !expand) ?? [];
  const ids = new Set(runnable.map(({ id }) => id));
  const cases = own.flatMap(({ id, nameRange: range }): CodeLens[] => {
    if (id === undefined) return [];
    const args = [uri, id];
    const [run, open] = [COMMANDS.runCase, COMMANDS.openConversation];
    return [
      { range, command: { title: 'Run', command: run, arguments: args } },
      { range, command: { title: 'Open conversation', command: open, arguments: args } },
      ...(targets.length > 0 ? [talkLens(range, args)] : []),
      ...(ids.has(id) ? [{ range, data: args }] : []),
    ];
  });
  const all = { title: 'Run all', command: COMMANDS.runFile, arguments: [uri] };
  return [{ range: START, command: all }, ...targets, ...cases];
}

function targetLenses(yaml: YamlDocument, uri: string): CodeLens[] {
  const { targets, target } = mappingOf(yaml.value);
  const named = Object.keys(mappingOf(targets)).map((name) =>
    talkLens(yaml.keyRangeOf(['targets', name]), [uri, { target: name }]),
  );
  return isMapping(target) ? [...named, talkLens(yaml.keyRangeOf(['target']), [uri, {}])] : named;
}

function talkLens(range: Range, given: unknown[]): CodeLens {
  return { range, command: { title: 'Talk', command: COMMANDS.talk, arguments: given } };
}

/** Adds an estimate such as `about 3 requests, 9.8k tokens`. Clicking it does nothing. */
export async function resolveLens(
  lens: CodeLens,
  suiteAt: (uri: string) => Promise<LoadedSuite | undefined>,
  estimate: EstimateCase,
): Promise<CodeLens> {
  const parsed = dataSchema.safeParse(lens.data);
  if (!parsed.success) return lens;
  const [uri, id] = parsed.data;
  const { suite } = (await suiteAt(uri)) ?? {};
  const found = suite?.cases.find((one) => one.id === id);
  const title = suite && found && !found.skip ? estimateWords(await estimate(found, suite)) : '';
  return { range: lens.range, command: { title, command: '' } };
}

/** The file's URI and the case's id. */
const dataSchema = z.tuple([z.string(), z.string()]);
