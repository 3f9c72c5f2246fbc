import { URI } from 'vscode-uri';

/** Begins the paths of what is not on the disk: `/.virtual/SCHEME/AUTHORITY/…`. */
const VIRTUAL = /[\\/]\.virtual[\\/]([^\\/]+)[\\/]([^\\/]+)([\\/].*)$/;

/** Stands for an empty authority. */
const NO_AUTHORITY = '-';

/**
 * The path by which Turnlight names a document: the file's own, and for what is not on the disk one
 * that its address can be made of again.
 */
export function pathOf(uri: string): string {
  const parsed = URI.parse(uri);
  if (parsed.scheme === 'file') return parsed.fsPath;
  const authority = encodeURIComponent(parsed.authority) || NO_AUTHORITY;
  const path = parsed.path.startsWith('/') ? parsed.path : `/${parsed.path}`;
  return `/.virtual/${encodeURIComponent(parsed.scheme)}/${authority}${path}`;
}

export function uriOf(path: string): string {
  const virtual = VIRTUAL.exec(path);
  if (!virtual) return URI.file(path).toString();
  const [, scheme = '', authority = '', rest = ''] = virtual;
  return URI.from({
    scheme: decodeURIComponent(scheme),
    authority: authority === NO_AUTHORITY ? '' : decodeURIComponent(authority),
    path: rest.replaceAll('\\', '/'),
  }).toString();
}

/** True if only the client can read it. */
export function isVirtual(path: string): boolean {
  return VIRTUAL.test(path);
}
