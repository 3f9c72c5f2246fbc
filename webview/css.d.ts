/** Style sheets are bundled separately from the script. */
declare module '*.css';
