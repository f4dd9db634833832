import type { ShownRequest, Snapshot } from '../page-protocol.ts';
import { element } from './element.ts';
import { requestStatus } from './request-status.ts';

/** The requests that reached the service, newest first. */
export class RequestLog {
  readonly #heading = element('h2', { id: 'requests-heading' });
  readonly #rows = element('tbody');
  readonly #scroller = element('div', { className: 'scroller', tabIndex: 0, role: 'group' });
  readonly #empty = element('p', { className: 'quiet' }, 'None yet. Answers from the cache never reach it.');
  #drawn = '';

  constructor(root: HTMLElement) {
    const head = element(
      'tr',
      {},
      ...['Time', 'Request', 'Status'].map((name) => element('th', { scope: 'col' }, name)),
    );
    const table = element('table', {}, element('thead', {}, head), this.#rows);
    this.#scroller.append(table);
    this.#scroller.setAttribute('aria-labelledby', this.#heading.id);
    root.append(this.#heading, this.#empty, this.#scroller);
  }

  show({ requests, requestCount }: Snapshot, locale: string): void {
    const wanted = JSON.stringify([requests, requestCount, locale]);
    if (wanted === this.#drawn) return;
    this.#drawn = wanted;

    this.#heading.textContent = `Requests that reached it: ${requestCount.toLocaleString(locale)}`;
    this.#empty.hidden = requests.length > 0;
    this.#scroller.hidden = requests.length === 0;
    this.#rows.replaceChildren(...requests.toReversed().map((request) => row(request, locale)));
  }
}

function row(request: ShownRequest, locale: string): HTMLElement {
  const { atMs, method, path, cardIds, authorized, reason = '' } = request;
  const { text, tone } = requestStatus(request);
  // 24-hour clock, so that the whole id fits beside it
  const time = new Date(atMs).toLocaleTimeString(locale, { hourCycle: 'h23' });
  const title = `${method} ${path} (${authorized ? 'with the right key' : 'without a key'})`;
  return element(
    'tr',
    {},
    element('td', {}, time),
    element(
      'td',
      { title },
      element('span', { className: 'path' }, cardIds ? listed(cardIds) : shortened(path)),
      element('span', { className: 'quiet reason' }, reason),
    ),
    element('td', { className: tone }, text),
  );
}

function listed(cardIds: readonly string[]): string {
  return `${cardIds.length} cards: ${cardIds.join(', ')}`;
}

/** Without the query, which is the same for every card. */
function shortened(path: string): string {
  return path.split('?')[0] ?? path;
}
