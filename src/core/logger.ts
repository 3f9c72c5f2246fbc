import { visibleText } from './text/visibleText.ts';

/** The four methods of VS Code's `LogOutputChannel` that the project uses. */
export interface Logger {
  debug(message: string): void;
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

export function mapLog(log: Logger, change: (message: string) => string): Logger {
  return {
    debug: (message) => log.debug(change(message)),
    info: (message) => log.info(change(message)),
    warn: (message) => log.warn(change(message)),
    error: (message) => log.error(change(message)),
  };
}

/** A log that also passes warnings and errors to a listener. */
export function teeLog(log: Logger, listen: (message: string) => void): Logger {
  const both = (level: 'warn' | 'error') => (message: string) => {
    log[level](message);
    listen(message);
  };
  return { ...mapLog(log, (message) => message), warn: both('warn'), error: both('error') };
}

export const SILENT: Logger = { debug() {}, info() {}, warn() {}, error() {} };

/** A log that shows hidden characters, for text from programs and endpoints. */
export function visibleLog(log: Logger): Logger {
  return mapLog(log, visibleText);
}

/** Keeps only warnings and errors. */
export function visibleWarnings(write: (message: string) => void): Logger {
  return visibleLog({ ...SILENT, warn: write, error: write });
}
