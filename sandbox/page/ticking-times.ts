import '@skyra/discord-components-core/discord-time.js';
import { element } from './element.ts';
import { type TimestampStyle, timestampText } from './timestamp.ts';

/** A time in words; relative ones are updated by `tickTimes`. */
export function timeElement(seconds: number, style: TimestampStyle, locale: string): HTMLElement {
  const nowMs = Date.now();
  const words = timestampText(seconds, style, { locale, nowMs });
  // Not announced: a countdown inside the chat's live region would be read out every second
  const properties = { title: timestampText(seconds, 'F', { locale, nowMs }), ariaLive: 'off' };
  const time = element('discord-time', properties, words);
  Object.assign(time.dataset, { seconds, style, locale });
  return time;
}

/** Updates every relative time on the page once a second. */
export function tickTimes(): void {
  setInterval(() => {
    for (const time of document.querySelectorAll<HTMLElement>('discord-time[data-style="R"]')) update(time);
  }, 1_000);
}

function update(time: HTMLElement): void {
  const { seconds, locale = 'en-US' } = time.dataset;
  const words = timestampText(Number(seconds), 'R', { locale, nowMs: Date.now() });
  if (time.textContent !== words) time.textContent = words;
}
