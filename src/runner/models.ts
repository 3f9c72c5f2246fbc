import { uniqueBy } from '../core/data/data.ts';
import type { KeyHost } from '../core/environment.ts';
import type { Assertion, ModelSpec, Suite, SuiteCase, TargetSpec } from '../core/suite.ts';
import { type DestinationProblem, destinationProblemOf } from '../models/destination.ts';
import type { Connection, Destination } from '../models/model.ts';
import { defaultKeyVariables, findProvider, keyVariablesOf } from '../models/registry.ts';
import { canonicalJson } from '../node/hashes.ts';
import { findTargetType } from '../targets/registry.ts';

/** All models that cases may call: judges, embedding models, and models that play the assistant or the user. */
export function modelsOf(cases: readonly SuiteCase[]): ModelSpec[] {
  return cases.flatMap((one) => [...judgesOf([one]), ...conversationModelsOf(one)]);
}

/** The variables with models' keys: the default ones, and those that the suites name. */
export function keyVariablesIn(suites: readonly Suite[]): string[] {
  const named = suites.flatMap(({ keyVariables, cases }) => [
    ...keyVariables,
    ...modelsOf(cases).flatMap(({ params }) => keyVariablesOf(params)),
  ]);
  return [...new Set([...defaultKeyVariables, ...named])];
}

function conversationModelsOf({ origin }: SuiteCase): ModelSpec[] {
  if (origin.kind === 'transcript') return [];
  const user = origin.kind === 'simulate' ? origin.user.model : undefined;
  return [...(origin.target.model ? [origin.target.model] : []), ...(user ? [user] : [])];
}

export function targetsOf(cases: readonly SuiteCase[]): TargetSpec[] {
  return cases.flatMap(({ origin }) => (origin.kind === 'transcript' ? [] : [origin.target]));
}

/** The models that judge cases, including embedding models. */
function judgesOf(cases: readonly SuiteCase[]): ModelSpec[] {
  return cases.flatMap(({ assertions }) => assertions.flatMap(modelsOfAssertion));
}

function modelsOfAssertion({ judge, model, nested = [] }: Assertion): ModelSpec[] {
  return [
    ...(judge ? [judge] : []),
    ...(model ? [model] : []),
    ...nested.flatMap(({ assertion }) => modelsOfAssertion(assertion)),
  ];
}

/**
 * The connections of all models that cases use. Each one is looked up only once, because thousands of cases use the
 * same few.
 */
async function connectionsOf(
  cases: readonly SuiteCase[],
  host: KeyHost,
): Promise<{ readonly model: ModelSpec; readonly connection: Connection }[]> {
  const known = new Map<string, Promise<Connection>>();
  const found = modelsOf(cases).map(async (model) => {
    const key = canonicalJson(model);
    const connecting = known.get(key) ?? findProvider(model.provider)?.connect(model, host);
    if (!connecting) return [];
    known.set(key, connecting);
    return [{ model, connection: await connecting }];
  });
  return (await Promise.all(found)).flat();
}

export interface ContactedHost extends Destination {
  readonly host: string;
}

/** The hosts of cases' models and targets, with all environment variables that are sent to them. */
export async function destinationsOf(
  cases: readonly SuiteCase[],
  host: KeyHost,
): Promise<ContactedHost[]> {
  const found = new Map<string, ContactedHost>();
  const ofModels = (await connectionsOf(cases, host)).map(
    ({ connection }) => connection.destination,
  );
  const ofTargets = [...new Set(targetsOf(cases))].flatMap(
    (one) => findTargetType(one.type)?.destinations?.(one) ?? [],
  );
  for (const one of [...ofModels, ...ofTargets]) {
    if (!one) continue;
    const at = URL.canParse(one.url) ? new URL(one.url) : { host: one.url, protocol: '' };
    const key = `${at.protocol}${at.host}`;
    const { variables = [], needConsent = [] } = found.get(key) ?? {};
    found.set(key, {
      url: one.url,
      host: at.host,
      variables: [...new Set([...variables, ...one.variables])],
      needConsent: [...new Set([...needConsent, ...one.needConsent])],
    });
  }
  return [...found.values()];
}

/** The hosts that cases would send keys to without permission. */
export async function forbiddenHosts(
  cases: readonly SuiteCase[],
  host: KeyHost,
): Promise<DestinationProblem[]> {
  const destinations = await destinationsOf(cases, host);
  return destinations.flatMap((one) => destinationProblemOf(one, host.allowedHosts ?? []) ?? []);
}

interface MissingKey {
  readonly model: ModelSpec;
  /** The name of the environment variable for the key. */
  readonly variable: string;
  /** False if the model only plays the assistant. */
  readonly judges: boolean;
}

/** Keys that the cases' models need but that aren't set. */
export async function missingKeys(
  cases: readonly SuiteCase[],
  host: KeyHost,
): Promise<MissingKey[]> {
  const judges = new Set(judgesOf(cases).map(({ id }) => id));
  const connections = await connectionsOf(cases, host);
  return connections.flatMap(({ model, connection: { missingKey: variable } }) =>
    variable === undefined ? [] : [{ model, variable, judges: judges.has(model.id) }],
  );
}

interface NeededKey extends MissingKey {
  readonly isSet: boolean;
}

/** Keys that the cases' models need, each with the first model that needs it. Missing keys come first. */
export async function neededKeys(cases: readonly SuiteCase[], host: KeyHost): Promise<NeededKey[]> {
  const missing = await missingKeys(cases, host);
  const all = await missingKeys(cases, { ...host, secret: async () => undefined });
  const isSet = ({ variable }: MissingKey) => missing.every((one) => one.variable !== variable);
  const needed = uniqueBy([...missing, ...all], ({ variable }) => variable);
  return needed.map((one) => ({ ...one, isSet: isSet(one) }));
}
