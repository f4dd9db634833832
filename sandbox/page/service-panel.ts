import type { Snapshot } from '../page-protocol.ts';
import { NO_DAY, type ServiceLimiter } from '../service-limiters.ts';
import { element } from './element.ts';
import { type Panel, whenChanged } from './panel.ts';
import { timeElement } from './ticking-times.ts';

/** What a limiter does with the plan's rate. */
const PACES: Readonly<Record<ServiceLimiter, (rate: string) => string>> = {
  'token bucket': (rate) => `${rate} come back every minute`,
  'fixed window': (rate) => `${rate} a minute, counted from the first request`,
  delaying: (rate) => `${rate} are answered every minute, the others wait`,
  'refusals counted': (rate) => `${rate} in any 60 s, refused ones included`,
  'fading window': (rate) => `${rate} a minute, and the minute before fades away`,
};

/** The remaining requests, by the card service's own figures. */
export function servicePanel(root: HTMLElement): Panel {
  const draw = whenChanged((service: Snapshot['service'], locale: string) => {
    const { switches, dayLimit, dayRemaining, minuteRate, minuteRemaining, mostAtOnce, resetsAtMs } = service;
    root.replaceChildren(
      element('h2', { id: 'service-heading' }, 'The card service'),
      ...(dayLimit < NO_DAY ? [gauge('Left today', dayRemaining, dayLimit, locale)] : []),
      gauge('Left right now', minuteRemaining, mostAtOnce, locale),
      element(
        'p',
        { className: 'quiet' },
        PACES[switches.limiter](minuteRate.toLocaleString(locale)),
        ...(dayLimit < NO_DAY ? ['; the day ends ', timeElement(Math.ceil(resetsAtMs / 1000), 'R', locale)] : []),
        '.',
      ),
    );
  });
  return ({ service }, locale) => draw(service, locale);
}

function gauge(label: string, left: number, of: number, locale: string): HTMLElement {
  const share = of > 0 ? Math.min(1, Math.max(0, left / of)) : 0;
  const bar = element('i', { className: share > 0.25 ? 'fill' : 'fill low' });
  bar.style.width = `${share * 100}%`;
  return element(
    'div',
    { className: 'gauge' },
    element('span', {}, label),
    element('b', {}, left.toLocaleString(locale)),
    element('span', { className: 'quiet' }, `of ${of.toLocaleString(locale)}`),
    element('div', { className: 'bar', ariaHidden: 'true' }, bar),
  );
}
