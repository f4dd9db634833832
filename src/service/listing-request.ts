/** Where the service lists several cards at once. */
export interface ListingAddress {
  baseUrl: string;
  /**
   * `CARD_SERVICE_BULK_PATH`: a path with `{ids}` in place of the ids, which are encoded one by one and joined by commas; or
   * `POST` and a path, to which they are sent as the JSON body `{"ids": […]}`.
   */
  bulkPath: string;
}

export interface PlainListRequest {
  url: URL;
  /** `undefined`: a GET, which names the ids in its URL. */
  json: { ids: readonly string[] } | undefined;
}

/** Servers accept at least 8,000 octets in a request line (RFC 9112 §3). */
const LONGEST_URL = 8_000;
const POST = 'POST ';

/** The request for these cards, with their prices: they cost nothing more. */
export function listRequest({ baseUrl, bulkPath }: ListingAddress, ids: readonly string[]): PlainListRequest {
  const isPost = bulkPath.startsWith(POST);
  const path = withPrices(isPost ? bulkPath.slice(POST.length).trimStart() : bulkPath.replace(/^GET +/, ''));
  const list = ids.map(encodeURIComponent).join(',');
  return {
    url: new URL(baseUrl.replace(/\/+$/, '') + path.replace('{ids}', () => list)),
    json: isPost ? { ids } : undefined,
  };
}

/** Whether a request can name this id with others: commas separate them. */
export function mayShare(id: string): boolean {
  return !id.includes(',');
}

/** Whether one request can name all of these ids: not every server takes a longer URL. */
export function mayGoTogether(address: ListingAddress, ids: readonly string[]): boolean {
  return ids.every(mayShare) && listRequest(address, ids).url.href.length <= LONGEST_URL;
}

/** Added as text: `searchParams` would encode the commas, too. */
function withPrices(path: string): string {
  if (/[?&]includePrices=/.test(path)) return path;
  return `${path}${path.includes('?') ? '&' : '?'}includePrices=true`;
}
