import * as z from 'zod';
import { substituteEnv } from '../core/environment.ts';

const NO_ADDRESS = 'Expected an address that starts with http:// or https://.';

/** Also `${env:GATEWAY}/v1`, as it is before the variable is filled in. */
function isAddress(text: string): boolean {
  return URL.canParse(String(substituteEnv(text, () => 'http://x').value));
}

/** Where requests go. */
export const addressSchema = z
  .string()
  .regex(/^(?:https?:\/\/|\$\{env:)/, { error: NO_ADDRESS, abort: true })
  .refine(isAddress, NO_ADDRESS);
