import { ODD_FIGURES } from '../odd-figures.ts';
import type { Snapshot } from '../page-protocol.ts';
import { changeSwitches, startStorm } from './api.ts';
import { Controls, row } from './controls.ts';
import { element } from './element.ts';
import { timeElement } from './ticking-times.ts';

const LATENCIES = [
  ['0', 'answers at once'],
  ['300', '0.3 s'],
  ['2000', '2 s'],
  ['5000', '5 s'],
  ['15000', '15 s: too late'],
] as const;
const NOT_DOWN = 'up';
/** By the seconds in `Retry-After`; 0 = without it. More than a minute opens the circuit breaker for that long. */
const OUTAGES = [
  [NOT_DOWN, 'none'],
  ['0', '503'],
  ['30', '503, wait 30 s'],
  ['120', '503, wait 2 min'],
] as const;
const RESET_EVERY = 4;
const WINDOW_LIMIT = 10;
/** The last is longer than the longest wait. */
const STORMS = [
  [10_000, '10 s'],
  [30_000, '30 s'],
  [1_200_000, '20 min'],
] as const;

/** Faults of the card service and of what is in front of it. */
export class FaultSwitches {
  readonly #controls = new Controls();
  readonly #latency = this.#controls.select('Speed', LATENCIES, (value) =>
    changeSwitches({ latencyMs: Number(value) }),
  );
  readonly #outage = this.#controls.select('Outage', OUTAGES, (value) =>
    changeSwitches({ down: value !== NOT_DOWN, downRetryAfterSeconds: value === NOT_DOWN ? 0 : Number(value) }),
  );
  readonly #odd = this.#controls.oneOf('Odd figures', ODD_FIGURES, (oddFigures) => changeSwitches({ oddFigures }));
  readonly #window = this.#controls.tick(`A limiter in front: ${WINDOW_LIMIT} a minute`, (on) =>
    changeSwitches({ windowLimit: on ? WINDOW_LIMIT : 0 }),
  );
  readonly #resets = this.#controls.tick(`Every ${RESET_EVERY}th connection is reset`, (on) =>
    changeSwitches({ resetEvery: on ? RESET_EVERY : 0 }),
  );
  readonly #firewall = this.#controls.tick('A firewall blocks ids with “<” (403)', (firewall) =>
    changeSwitches({ firewall }),
  );
  readonly #keyRevoked = this.#controls.tick('The API key is revoked (401)', (keyRevoked) =>
    changeSwitches({ keyRevoked }),
  );
  readonly #storm = element('div', { className: 'switch quiet', role: 'status' });
  readonly #endStorm = this.#controls.button('End', 'End the 429 storm', () => startStorm({ durationMs: 0 }));
  #drawnStorm = '';

  constructor(root: HTMLElement) {
    const storms = STORMS.map(([durationMs, words]) =>
      this.#controls.button(words, `429 storm for ${words}`, () => startStorm({ durationMs })),
    );
    this.#controls.show(
      root,
      element('h2', { id: 'faults-heading' }, 'What goes wrong with it'),
      this.#latency.row,
      this.#outage.row,
      this.#odd.row,
      row('429 storm', ...storms),
      this.#storm,
      this.#window.row,
      this.#resets.row,
      this.#firewall.row,
      this.#keyRevoked.row,
    );
  }

  show({ service: { switches } }: Snapshot, locale: string): void {
    this.#latency.control.value = String(switches.latencyMs);
    this.#outage.control.value = switches.down ? String(switches.downRetryAfterSeconds) : NOT_DOWN;
    this.#odd.control.value = switches.oddFigures;
    this.#window.control.checked = switches.windowLimit > 0;
    this.#resets.control.checked = switches.resetEvery > 0;
    this.#firewall.control.checked = switches.firewall;
    this.#keyRevoked.control.checked = switches.keyRevoked;
    this.#showStorm(switches.stormUntilMs, locale);
  }

  #showStorm(untilMs: number, locale: string): void {
    const wanted = `${untilMs} ${locale}`;
    if (wanted === this.#drawnStorm) return;
    this.#drawnStorm = wanted;
    this.#storm.hidden = untilMs === 0;
    const end = timeElement(Math.ceil(untilMs / 1000), 'R', locale);
    this.#storm.replaceChildren(element('span', {}, 'Every request gets a 429; ends ', end), this.#endStorm);
  }
}
