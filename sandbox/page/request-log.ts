import type { ShownRequest } from '../page-protocol.ts';
import { element } from './element.ts';
import { type Panel, whenChanged } from './panel.ts';
import { requestStatus } from './request-status.ts';

/** The requests that reached the service, newest first. */
export function requestLog(root: HTMLElement): Panel {
  const heading = element('h2', { id: 'requests-heading' });
  const empty = element('p', { className: 'quiet' }, 'None yet. Answers from the cache never reach it.');
  const names = ['Time', 'Request', 'Status'].map((name) => element('th', { scope: 'col' }, name));
  const rows = element('tbody');
  const table = element('table', {}, element('thead', {}, element('tr', {}, ...names)), rows);
  const scroller = element('div', { className: 'scroller', tabIndex: 0, role: 'group' }, table);
  scroller.setAttribute('aria-labelledby', heading.id);
  root.append(heading, empty, scroller);
  const draw = whenChanged((requests: readonly ShownRequest[], count: number, locale: string) => {
    heading.textContent = `Requests that reached it: ${count.toLocaleString(locale)}`;
    empty.hidden = requests.length > 0;
    scroller.hidden = requests.length === 0;
    rows.replaceChildren(...requests.toReversed().map((request) => row(request, locale)));
  });
  return ({ requests, requestCount }, locale) => draw(requests, requestCount, locale);
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
      element('span', { className: 'path' }, cardIds?.length ? listed(cardIds) : shortened(path)),
      element('span', { className: 'quiet reason' }, reason),
    ),
    element('td', { className: tone }, text),
  );
}

function listed(cardIds: readonly string[]): string {
  return `${cardIds.length === 1 ? '1 card' : `${cardIds.length} cards`}: ${cardIds.join(', ')}`;
}

/** Without the query, which is the same for every card. */
function shortened(path: string): string {
  return path.split('?')[0] ?? path;
}
