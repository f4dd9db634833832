/** A coloured disc with the first letter of a name, as a `data:` address. */
export function avatarOf(name: string): string {
  const letter = (Array.from(name)[0] ?? '?').toUpperCase();
  const hue = Array.from(name).reduce((sum, character) => (sum * 31 + (character.codePointAt(0) ?? 0)) % 360, 7);
  return svg(
    `<rect width="40" height="40" fill="hsl(${hue} 45% 42%)"/>` +
      `<text x="20" y="27" text-anchor="middle" font-family="sans-serif" font-size="20" fill="#fff">${escapeXml(letter)}</text>`,
  );
}

/** The bot's name above its replies. */
export const BOT_NAME = 'cardbot';

/** The bot's own picture: a card. */
export function botAvatar(): string {
  return svg(
    '<rect width="40" height="40" fill="#5865f2"/>' +
      '<rect x="13" y="8" width="14" height="22" rx="2.5" fill="#c9cdfb" transform="rotate(-10 20 19)"/>' +
      '<rect x="14" y="9" width="14" height="22" rx="2.5" fill="#fff" transform="rotate(9 21 20)"/>' +
      '<circle cx="21" cy="18" r="3.6" fill="#5865f2"/>',
  );
}

function svg(content: string): string {
  const markup = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 40">${content}</svg>`;
  return `data:image/svg+xml,${encodeURIComponent(markup)}`;
}

function escapeXml(text: string): string {
  return text.replace(/[<>&]/g, (character) => `&#${character.charCodeAt(0)};`);
}
