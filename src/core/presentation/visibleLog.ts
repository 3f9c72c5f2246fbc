import { changedLog, type Logger } from '../logger.ts';
import { visibleText } from './visibleText.ts';

/** A log to which programs and endpoints may speak: all that is told can be seen. */
export function visibleLog(log: Logger): Logger {
  return changedLog(log, visibleText);
}
