import { failuresOf } from '../core/presentation/failureText.ts';
import { executionTitle } from '../core/presentation/words.ts';
import { plainLog } from '../core/text/visibleText.ts';
import type { ReportWriter } from './reporter.ts';
import { shownPath } from './style.ts';

/**
 * Annotations of GitHub Actions at failed turns and assertions: `::error file=evals/shop.eval.yaml,line=54,title=refund::…`.
 * https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands
 */
export const writeAnnotations: ReportWriter = function* (log, folder) {
  for (const line of log.lines(log.failures)) {
    for (const { source, text } of failuresOf(line)) {
      const file = shownPath(source.path, folder).replaceAll('\\', '/');
      const { line: start } = source.range.start;
      const place = `file=${property(file)},line=${start + 1},title=${property(executionTitle(line))}`;
      yield `::error ${place}::${data(text)}\n`;
    }
  }
};

/** Escapes text so that it can't form a command. */
function data(text: string): string {
  return plainLog(text).replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function property(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
