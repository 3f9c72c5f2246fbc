import { userInfo } from 'node:os';
import { dirname } from 'node:path';
import * as vscode from 'vscode';
import { gitOutput } from '../../disk/git.ts';
import { personName } from '../../node/paths.ts';
import { SECTION, SETTINGS } from '../../protocol/names.ts';

const known = new Map<string, Promise<string>>();

/** Who labels beside an eval file, as the name of their file. @param evalFile absolute */
export async function personAt(evalFile: string): Promise<string> {
  const set = vscode.workspace.getConfiguration(SECTION).get<string>(SETTINGS.person)?.trim();
  if (set) return personName(set);
  const folder = dirname(evalFile);
  const asked = known.get(folder) ?? askGit(folder);
  known.set(folder, asked);
  return asked;
}

async function askGit(folder: string): Promise<string> {
  for (const key of ['user.email', 'user.name']) {
    const name = await gitOutput(['config', '--get', key], folder);
    if (name) return personName(name);
  }
  return personName(userInfo().username);
}
