import { ApiError } from './api-error.ts';
import { type Path, refuse, textsIn, when } from './forms.ts';
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
  at: Path = [],
): void {
  const texts = [...textsIn({ content, embeds, components })];
  refuse(
    texts.flatMap(({ path, text }) =>
      when(refuses(text, path.join('.')), path, 'URL_TYPE_INVALID_URL', 'Not a well formed URL.'),
    ),
    at,
  );
  if (!isPrivate && texts.some(({ text }) => blocks(text))) throw new ApiError('blockedByAutoMod');
}
