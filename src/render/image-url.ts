/** Discord refuses an embed with a longer address. */
const MAX_URL_LENGTH = 2_048;

/** The address as Discord will take it for an embed image, or `undefined` when there is nothing to show. */
export function imageUrl(text: string | undefined): string | undefined {
  if (text === undefined || !URL.canParse(text)) return undefined;
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return undefined;
  return url.href.length <= MAX_URL_LENGTH ? url.href : undefined;
}
