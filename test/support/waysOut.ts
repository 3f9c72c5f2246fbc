/**
 * Ways from a workspace to a file of the folder `outside` beside it. `linked` and `in/linked` are links to
 * that folder, `up` is one to the folder around both.
 */
export const WAYS_OUT: readonly ((name: string, outside: string) => string)[] = [
  (name) => `../outside/${name}`,
  (name) => `in/../../outside/${name}`,
  (name, outside) => `${outside}/${name}`,
  (name) => `linked/${name}`,
  (name) => `in/linked/${name}`,
  (name) => `up/outside/${name}`,
  (name) => `..\\outside\\${name}`,
  (name) => `in\\..\\..\\outside\\${name}`,
  (name) => `in/..\\..\\outside/${name}`,
  (name) => `C:\\outside\\${name}`,
  (name) => `C:/outside/${name}`,
  (name) => `\\\\server\\outside\\${name}`,
  (name) => `\\outside\\${name}`,
];
