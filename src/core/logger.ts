import { visibleText } from './text/visibleText.ts';

/** The four methods of VS Code's `LogOutputChannel` that the project uses. */
export interface Logger {
  debug(message: string): void;
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

/** A log to which messages go as they are changed. */
export function mapLog(log: Logger, change: (message: string) => string): Logger {
  return {
    debug: (message) => log.debug(change(message)),
    info: (message) => log.info(change(message)),
    warn: (message) => log.warn(change(message)),
    error: (message) => log.error(change(message)),
  };
}

/** A log that also passes warnings and errors to a listener. */
export function teeLog(log: Logger, hear: (message: string) => void): Logger {
  const both = (tell: (message: string) => void) => (message: string) => {
    tell(message);
    hear(message);
  };
  return {
    debug: (message) => log.debug(message),
    info: (message) => log.info(message),
    warn: both((message) => log.warn(message)),
    error: both((message) => log.error(message)),
  };
}

export const SILENT: Logger = { debug() {}, info() {}, warn() {}, error() {} };

/** A log that reveals hidden characters: programs and endpoints can write to it. */
export function visibleLog(log: Logger): Logger {
  return mapLog(log, visibleText);
}

/** A log of warnings and errors only. */
export function visibleWarnings(tell: (message: string) => void): Logger {
  return visibleLog({ debug() {}, info() {}, warn: tell, error: tell });
}
