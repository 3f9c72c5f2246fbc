/** VS Code's themes: the setting's value, the name used in screenshots, and the CSS class of webview pages. */
export const THEMES = [
  ['Default Light Modern', 'light', 'vscode-light'],
  ['Default Dark Modern', 'dark', 'vscode-dark'],
  ['Default High Contrast', 'high-contrast', 'vscode-high-contrast'],
  ['Default High Contrast Light', 'high-contrast-light', 'vscode-high-contrast-light'],
] as const;
