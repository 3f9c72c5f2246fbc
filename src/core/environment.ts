/** Default environment variable for a model's API key. */
export const OPENAI_KEY = 'OPENAI_API_KEY';

/** Contains the queue's address, which must stay off the command line because other users can read it there. */
export const QUEUE_VARIABLE = 'TURNLIGHT_QUEUE';

export const MLFLOW_TOKEN = 'MLFLOW_TRACKING_TOKEN';
export const MLFLOW_PASSWORD = 'MLFLOW_TRACKING_PASSWORD';

/** Turnlight's own secrets, which a program could use to forge results. */
export const OWN_SECRETS: readonly string[] = [QUEUE_VARIABLE, MLFLOW_TOKEN, MLFLOW_PASSWORD];

const NAME = '[A-Za-z_][A-Za-z0-9_]*';

export const VARIABLE_NAME = new RegExp(`^${NAME}$`);

const REFERENCE = new RegExp(String.raw`\$\{env:(${NAME})\}`, 'g');

/**
 * Substitutes environment variables for `${env:NAME}`, at every depth. References to variables in `unset` are kept as
 * written.
 */
export function substituteEnv(value: unknown, env: (name: string) => string | undefined) {
  const unset = new Set<string>();
  let filled = false;
  const walk = (inner: unknown): unknown => {
    if (typeof inner === 'string') {
      return inner.replace(REFERENCE, (reference, name: string) => {
        const found = env(name);
        if (found === undefined) unset.add(name);
        else filled = true;
        return found ?? reference;
      });
    }
    if (Array.isArray(inner)) return inner.map(walk);
    if (typeof inner !== 'object' || inner === null) return inner;
    return Object.fromEntries(Object.entries(inner).map(([key, one]) => [key, walk(one)]));
  };
  return { value: walk(value), filled, unset: [...unset] };
}

export function environmentNames(value: unknown): string[] {
  return substituteEnv(value, () => undefined).unset;
}

/** Excludes, for example, the title of a pull request. */
const ADDRESS_NAME = /(?:^|_)(?:url|uri|host|endpoint|base|address)$/i;

/** Variables that npm and CI services set from a checkout's files, messages, and names. */
const SET_BY_CHECKOUT =
  /^(?:npm|ci|github|gitlab|bitbucket|build|buildkite|circle|drone|travis|system|appveyor|bitrise(?:io)?|branch|cf|change|cirrus|codebuild|deploy|git|netlify|pull_request|render|semaphore|vercel|woodpecker)_/i;

/** Whether text is only a reference to a variable whose name suggests that the user set it to an address. */
export function isUserReference(text: unknown): boolean {
  if (typeof text !== 'string') return false;
  const [match] = text.matchAll(REFERENCE);
  const name = match?.[1] ?? '';
  return match?.[0] === text && ADDRESS_NAME.test(name) && !SET_BY_CHECKOUT.test(name);
}

export function hasEnvReference(text: string): boolean {
  return text.search(REFERENCE) >= 0;
}

/** Positions are in UTF-16 units. */
export function envReferences(text: string) {
  const found = [...text.matchAll(REFERENCE)];
  return found.map(({ index: offset, 0: { length } }) => ({ offset, length }));
}

export interface AllowedHost {
  /** Like `URL.host`: includes the port unless it is the default. */
  readonly host: string;
  /** Default: all. */
  readonly variables?: readonly string[];
  /** True if the `--dotenv` file names the host. By default, the host receives only that file's variables. */
  readonly isFromFile?: true;
}

/** Where keys come from, and where they may be sent. */
export interface KeyHost {
  /** Looks up a key by variable name: in the secret store, then in the environment. */
  readonly secret: (name: string) => Promise<string | undefined>;
  readonly env: (name: string) => string | undefined;
  /** Additional hosts that may receive keys. Default: none. */
  readonly allowedHosts?: readonly AllowedHost[];
}
