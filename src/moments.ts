// Discord writes a moment such as <t:1795226601:R> in each member's language and lets it tick.

/** A moment to come: never announced too early. */
export function countdown(atMs: number): string {
  return `<t:${Math.ceil(atMs / 1000)}:R>`;
}

/** A moment that is past: never shown as one to come. */
export function age(atMs: number): string {
  return `<t:${Math.floor(atMs / 1000)}:R>`;
}
