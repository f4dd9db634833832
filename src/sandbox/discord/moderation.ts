import { ApiError } from './api-error.ts';
import { invalidForm } from './form-error.ts';
import type { MessageForm } from './message-rules.ts';

/** What this Discord refuses beside what its rules do: nothing, unless a test says so. */
export interface Moderation {
  /** Whether it refuses a text of a message at its path, such as an address that is well-formed and yet not taken. */
  refuses(text: string, path: string): boolean;
  /** Whether AutoMod blocks it where others can see it. */
  blocks(text: string): boolean;
}

/** @throws ApiError 50035 with every path that is refused, `at` before it, or 200000 */
export function moderate(
  { content, embeds, components }: MessageForm,
  isPrivate: boolean,
  { refuses, blocks }: Moderation,
  at: readonly string[] = [],
): void {
  const texts = [...textsIn({ content, embeds, components })];
  const refused = texts.filter(({ path, text }) => refuses(text, path.join('.')));
  if (refused.length > 0) throw invalidForm(refused.map(notWellFormed), at);
  if (!isPrivate && texts.some(({ text }) => blocks(text))) throw new ApiError('blockedByAutoMod');
}

function notWellFormed({ path, text: input }: { path: string[]; text: string }) {
  const params = { code: 'URL_TYPE_INVALID_URL' };
  return { code: 'custom', path, params, input, message: 'Not a well formed URL.' } as const;
}

function* textsIn(value: unknown, path: string[] = []): Generator<{ path: string[]; text: string }> {
  if (typeof value === 'string') yield { path, text: value };
  if (typeof value !== 'object' || value === null) return;
  for (const [key, below] of Object.entries(value)) yield* textsIn(below, [...path, key]);
}
