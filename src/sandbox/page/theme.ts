/** Calls back with whether the reader's system is light: now, and at each change. */
export function watchLightTheme(onChange: (isLight: boolean) => void): void {
  const light = matchMedia('(prefers-color-scheme: light)');
  light.addEventListener('change', () => onChange(light.matches));
  onChange(light.matches);
}
