#!/usr/bin/env node
import { writeSync } from 'node:fs';
import { ownVersion } from './version.ts';

const [first, ...rest] = process.argv.slice(2);
const asksForVersion = rest.length === 0 && (first === '--version' || first === '-V');

// The streams of `process` would take longer to load than all else here.
const OUT = 1;

/** The version alone needs nothing that takes time to load. */
function tellVersion(): boolean {
  try {
    writeSync(OUT, `${ownVersion()}\n`);
    return true;
  } catch {
    // The command line tells what went wrong.
    return false;
  }
}

if (!asksForVersion || !tellVersion()) await import('./commandLine.ts');
