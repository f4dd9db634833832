export interface GuardedRequest {
  method: string;
  host: string | undefined;
  origin: string | undefined;
  contentType: string | undefined;
}

export interface Refusal {
  status: number;
  sentence: string;
}

/**
 * Whether the page's own origin sent this request. A foreign web page can reach a loopback port in two ways:
 * under its own host name that resolves to 127.0.0.1 (seen in `Host`), or by a cross-site request (seen in `Origin`,
 * which browsers send with every POST).
 *
 * @returns `undefined` when the request may be answered.
 */
export function refusal({ method, host, origin, contentType }: GuardedRequest, port: number): Refusal | undefined {
  const ownHosts = ['127.0.0.1', 'localhost'].map((name) => new URL(`http://${name}:${port}`).host);
  if (host === undefined || !ownHosts.includes(host)) {
    return { status: 421, sentence: `This page is served only as http://${ownHosts[0]} or http://${ownHosts[1]}.` };
  }

  const ownOrigin = `http://${host}`;
  if (origin !== undefined && origin !== ownOrigin) {
    return { status: 403, sentence: 'Requests of another origin are refused.' };
  }
  if (method !== 'POST') return undefined;

  if (origin === undefined) return { status: 403, sentence: `A POST must carry Origin: ${ownOrigin}.` };
  if (contentType?.split(';')[0]?.trim().toLowerCase() !== 'application/json') {
    return { status: 415, sentence: 'Send JSON with Content-Type: application/json.' };
  }
  return undefined;
}
