import type { ServiceDescription } from '../model/service-description.ts';

/** The address of a card with its prices: whatever the id holds, it stays in its place in the path or the query. */
export function cardUrl(baseUrl: string, description: Pick<ServiceDescription, 'card' | 'isDefault'>, id: string): URL {
  const { path, idSeparator } = description.card;
  const parts = idSeparator === undefined ? [id] : id.split(idSeparator);
  const filled = path.replace('{id}', () => parts.map(encodeURIComponent).join('/'));
  return endpoint(baseUrl, withPrices(filled, description));
}

export function endpoint(baseUrl: string, path: string): URL {
  return new URL(baseUrl.replace(/\/+$/, '') + path);
}

/** The default interface has prices where they are asked for; added as text, since `searchParams` would encode commas. */
export function withPrices(path: string, { isDefault }: Pick<ServiceDescription, 'isDefault'>): string {
  if (!isDefault || /[?&]includePrices=/.test(path)) return path;
  return `${path}${path.includes('?') ? '&' : '?'}includePrices=true`;
}
