/** Of VS Code: its setting, what pictures are called after it, and the class that it gives a page. */
export const THEMES = [
  ['Default Light Modern', 'light', 'vscode-light'],
  ['Default Dark Modern', 'dark', 'vscode-dark'],
  ['Default High Contrast', 'high-contrast', 'vscode-high-contrast'],
  ['Default High Contrast Light', 'high-contrast-light', 'vscode-high-contrast-light'],
] as const;
