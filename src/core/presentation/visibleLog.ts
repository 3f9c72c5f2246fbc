import type { Logger } from '../logger.ts';
import { visibleText } from './visibleText.ts';

/** A log to which programs and endpoints may speak: all that is told can be seen. */
export function visibleLog(log: Logger): Logger {
  return {
    debug: (message) => log.debug(visibleText(message)),
    info: (message) => log.info(visibleText(message)),
    warn: (message) => log.warn(visibleText(message)),
    error: (message) => log.error(visibleText(message)),
  };
}
