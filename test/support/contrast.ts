/** Of two colours, as WCAG 2 defines it: https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio */
export function contrast(a: number, b: number): number {
  const luminance = (colour: number) =>
    [16, 8, 0]
      .map((shift) => ((colour >> shift) & 255) / 255)
      .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
      .reduce((sum, part, index) => sum + part * ([0.2126, 0.7152, 0.0722][index] ?? 0), 0);
  const [darker = 0, lighter = 0] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (lighter + 0.05) / (darker + 0.05);
}
