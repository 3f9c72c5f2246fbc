/** The four methods of VS Code's `LogOutputChannel` that the project uses. */
export interface Logger {
  debug(message: string): void;
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

export const SILENT: Logger = { debug() {}, info() {}, warn() {}, error() {} };
