#!/usr/bin/env node
import { writeSync } from 'node:fs';
import { ownVersion } from './version.ts';

const [first, ...rest] = process.argv.slice(2);
const asksForVersion = rest.length === 0 && (first === '--version' || first === '-V');

// The streams on `process` would take longer to load than everything else here.
const STDOUT = 1;

/** Prints the version without loading anything else. @returns whether it was written */
function printVersion(): boolean {
  try {
    writeSync(STDOUT, `${ownVersion()}\n`);
    return true;
  } catch {
    // The command line reports the problem.
    return false;
  }
}

if (!asksForVersion || !printVersion()) await import('./commandLine.ts');
