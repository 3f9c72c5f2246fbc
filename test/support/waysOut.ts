/**
 * Paths from a workspace to a file in the folder `outside` next to it. `linked` and `in/linked` are links to that
 * folder, and `up` is a link to the parent of both.
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
