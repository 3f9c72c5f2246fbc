import { InvalidArgumentError, Option } from 'commander';
import { listed } from '../core/text/listed.ts';
import { REPORTER_NAMES } from '../report/registry.ts';
import type { ChosenReporter } from './reporters.ts';

export function format(): Option {
  return new Option('--format <format>', 'output format').choices(['text', 'json']).default('text');
}

export function dotenv(): Option {
  return new Option(
    '--dotenv <file>',
    'set the variables of this file, such as .env, that are not set',
  );
}

export function allowHost(): Option {
  return new Option(
    '--allow-host <host[=variables]>',
    'let this host have keys, of all variables or of these; repeatable',
  ).argParser(collect);
}

export function collect(value: string, earlier: readonly string[] = []): string[] {
  return [...earlier, value];
}

export function reporter(value: string, earlier: readonly ChosenReporter[] = []): ChosenReporter[] {
  const [given, ...rest] = value.split('=');
  const name = REPORTER_NAMES.find((one) => one === given);
  if (!name) throw new InvalidArgumentError(`Expected ${listed(REPORTER_NAMES, 'or')}.`);
  const file = rest.join('=');
  if (rest.length > 0 && file === '') {
    throw new InvalidArgumentError(`Expected a file behind \`=\`, such as ${name}=evals.out.`);
  }
  return [...earlier, { name, ...(rest.length > 0 && { file }) }];
}

export function amount(value: string): number {
  const number = Number(value);
  if (value.trim() === '' || !Number.isFinite(number) || number <= 0) {
    throw new InvalidArgumentError('Expected an amount greater than 0.');
  }
  return number;
}

export function share(value: string): number {
  const number = Number(value);
  if (value.trim() === '' || !(number >= 0 && number <= 1)) {
    throw new InvalidArgumentError('Expected a number from 0 to 1.');
  }
  return number;
}

export function count(flags: string, description: string, byDefault?: number): Option {
  return new Option(flags, description).default(byDefault).argParser((value) => {
    const number = Number(value);
    if (!Number.isSafeInteger(number) || number < 1) {
      throw new InvalidArgumentError('Expected a whole number of at least 1.');
    }
    return number;
  });
}
