import type { AllowedHost } from '../core/environment.ts';
import type { SuiteCase } from '../core/suite.ts';
import { visibleLine } from '../core/text/visibleText.ts';
import { forbiddenHosts } from '../runner/models.ts';
import {
  allowedHostsFile,
  allowHosts,
  parseAllowedHosts,
  readAllowedHosts,
} from '../store/allowedHosts.ts';
import { EXIT, type ExitCode, UsageError } from './exitCode.ts';
import { confirm, type Shell } from './shell.ts';

export const ALLOWED_HOSTS_VARIABLE = 'TURNLIGHT_ALLOW_HOSTS';

/**
 * The hosts that may get API keys, as listed in the user's file, the environment, and `--allow-host`.
 *
 * @throws UsageError
 */
export async function allowedHostsOf(
  flags: readonly string[],
  { folder, processEnv, hostsFromFile }: Shell,
): Promise<AllowedHost[]> {
  return [
    ...hostsFromFile,
    ...(await readAllowedHosts(allowedHostsFile(processEnv), [folder])),
    ...read(processEnv(ALLOWED_HOSTS_VARIABLE) ?? '', ALLOWED_HOSTS_VARIABLE),
    ...flags.flatMap((flag) => read(flag, '--allow-host')),
  ];
}

/** At a terminal, asks whether to allow other hosts; elsewhere, refuses them. @returns all allowed hosts @throws UsageError */
export async function requireHosts(
  cases: readonly SuiteCase[],
  allowed: readonly AllowedHost[],
  shell: Shell,
): Promise<readonly AllowedHost[]> {
  const forbidden = await forbiddenHosts(cases, {
    secret: async (name) => shell.env(name),
    env: shell.env,
    allowedHosts: allowed,
  });
  const added: AllowedHost[] = [];
  for (const one of forbidden) {
    const names = visibleLine(one.variables.join(', '));
    const question = `The eval file wants to send ${names} to ${visibleLine(one.host)}. Allow it, now and in later runs?`;
    if (one.kind === 'not-encrypted' || !(await confirm(question, shell))) {
      throw new UsageError(`${one.message}\nNothing was run.`);
    }
    added.push(one);
  }
  if (added.length > 0) await allowHosts(allowedHostsFile(shell.processEnv), added);
  return [...allowed, ...added];
}

/** Allows hosts for later runs. @throws UsageError */
export async function trust(hosts: readonly string[], shell: Shell): Promise<ExitCode> {
  const file = allowedHostsFile(shell.processEnv);
  const added = read(hosts.join(' '), 'trust');
  await allowHosts(file, added);
  for (const { host, variables } of added) {
    shell.out.write(`Allowed: ${host} may receive ${variables?.join(', ') ?? 'any variable'}.\n`);
  }
  shell.out.write(`Allowed hosts are stored in ${file}.\n`);
  return EXIT.passed;
}

function read(text: string, from: string): AllowedHost[] {
  const found = parseAllowedHosts(text);
  if (found) return found;
  throw new UsageError(
    `${from}: expected a host such as llm.example.com or llm.example.com=OPENAI_API_KEY, found "${text}".`,
  );
}
