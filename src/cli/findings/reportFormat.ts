import { Option } from 'commander';

export function reportFormat(): Option {
  return new Option('--format <format>', 'output format')
    .choices(['terminal', 'markdown', 'json'])
    .default('terminal');
}
