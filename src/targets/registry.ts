import { a2aTarget } from './a2a.ts';
import { chatTarget } from './chat.ts';
import { commandTarget } from './command.ts';
import { httpTarget } from './http.ts';
import { moduleTarget } from './module.ts';
import type { TargetType } from './target.ts';

/** Every target type that a file may name. A new one is a file in this folder and its line here. */
export const targetTypes: readonly TargetType[] = [
  chatTarget,
  moduleTarget,
  commandTarget,
  httpTarget,
  a2aTarget,
];

export function findTargetType(type: string): TargetType | undefined {
  return targetTypes.find((one) => one.type === type);
}
