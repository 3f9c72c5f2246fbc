import { changedLog, type Logger } from '../logger.ts';
import { visibleText } from './visibleText.ts';

/** A log to which programs and endpoints may speak: all that is told can be seen. */
export function visibleLog(log: Logger): Logger {
  return changedLog(log, visibleText);
}

/** A log of which only warnings and errors are told. */
export function visibleWarnings(tell: (message: string) => void): Logger {
  return visibleLog({ debug() {}, info() {}, warn: tell, error: tell });
}
