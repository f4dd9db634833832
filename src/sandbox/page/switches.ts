import { PLAN_LIMITS } from '../../plans.ts';
import { ODD_FIGURES } from '../odd-figures.ts';
import type { Snapshot } from '../page-protocol.ts';
import { changeSwitches, press, startStorm } from './api.ts';
import { element } from './element.ts';
import { timeElement } from './ticking-times.ts';

const LATENCIES: readonly [number, string][] = [
  [0, 'answers at once'],
  [300, '0.3 s'],
  [2_000, '2 s'],
  [5_000, '5 s'],
  [15_000, '15 s: too late'],
];
const RESET_EVERY = 4;
const WINDOW_LIMIT = 10;
const DOWN_RETRY_AFTER_SECONDS = 30;
/** The last is longer than anybody waits. */
const STORMS_MS = [10_000, 30_000, 1_200_000];
// As in life: what the bot was told holds until an answer says otherwise
const REFILLED =
  'A bot that was told “nothing left” asks nobody before the reset that it was told; /usage makes it ask, once a minute at most.';

/** What can go wrong, at the press of a button. */
export class Switches {
  readonly #plan = selectOf(Object.keys(PLAN_LIMITS).map((plan) => [plan, plan]));
  readonly #latency = selectOf(LATENCIES.map(([ms, words]) => [String(ms), words]));
  readonly #down = element('input', { type: 'checkbox' });
  readonly #downStates = element('input', { type: 'checkbox' });
  readonly #odd = selectOf(ODD_FIGURES.map((odd) => [odd, odd]));
  readonly #window = element('input', { type: 'checkbox' });
  readonly #resets = element('input', { type: 'checkbox' });
  readonly #firewall = element('input', { type: 'checkbox' });
  readonly #keyRevoked = element('input', { type: 'checkbox' });
  readonly #storm = element('p', { className: 'quiet', role: 'status' });
  readonly #refilled = element('p', { className: 'quiet', role: 'status', hidden: true }, REFILLED);
  readonly #gateway = element('span', { className: 'quiet' });
  readonly #problem = element('p', { className: 'failed', role: 'alert' });
  #stormUntilMs: number | undefined;

  constructor(root: HTMLElement) {
    this.#on(this.#plan, 'change', () => changeSwitches({ plan: planOf(this.#plan.value) }));
    this.#on(this.#latency, 'change', () => changeSwitches({ latencyMs: Number(this.#latency.value) }));
    this.#on(this.#down, 'change', () => changeSwitches({ down: this.#down.checked }));
    this.#on(this.#downStates, 'change', () =>
      changeSwitches({ downRetryAfterSeconds: this.#downStates.checked ? DOWN_RETRY_AFTER_SECONDS : 0 }),
    );
    this.#on(this.#odd, 'change', () => changeSwitches({ oddFigures: oddOf(this.#odd.value) }));
    this.#on(this.#window, 'change', () => changeSwitches({ windowLimit: this.#window.checked ? WINDOW_LIMIT : 0 }));
    this.#on(this.#resets, 'change', () => changeSwitches({ resetEvery: this.#resets.checked ? RESET_EVERY : 0 }));
    this.#on(this.#firewall, 'change', () => changeSwitches({ firewall: this.#firewall.checked }));
    this.#on(this.#keyRevoked, 'change', () => changeSwitches({ keyRevoked: this.#keyRevoked.checked }));
    const storms = STORMS_MS.map((durationMs) =>
      this.#button(`${durationMs / 1000} s`, () => startStorm({ durationMs }), `429 storm for ${durationMs / 1000} s`),
    );
    root.append(
      element('h2', { id: 'switches-heading' }, 'Switches'),
      element('label', { className: 'switch' }, element('span', {}, 'Plan'), this.#plan),
      element('label', { className: 'switch' }, element('span', {}, 'Speed'), this.#latency),
      element('label', { className: 'switch' }, element('span', {}, 'Odd figures'), this.#odd),
      element('label', { className: 'tick' }, this.#down, 'Service is down (503)'),
      element('label', { className: 'tick' }, this.#downStates, `503 states ${DOWN_RETRY_AFTER_SECONDS} s to wait`),
      element('label', { className: 'tick' }, this.#window, `A limiter before it: ${WINDOW_LIMIT} a minute`),
      element('label', { className: 'tick' }, this.#resets, `Every ${RESET_EVERY}th connection is reset`),
      element('label', { className: 'tick' }, this.#firewall, 'A firewall blocks ids with “<” (403)'),
      element('label', { className: 'tick' }, this.#keyRevoked, 'The API key is revoked (401)'),
      row('429 storm', ...storms),
      this.#storm,
      row(
        'The day',
        this.#button('Use up', () => press('/api/day/exhaust'), 'Use up the day'),
        this.#button('Refill', () => this.#refill(), 'Refill the day'),
      ),
      this.#refilled,
      row(
        element('span', {}, 'Gateway ', this.#gateway),
        this.#button('Drop', () => press('/api/gateway/drop'), 'Drop the gateway connection'),
      ),
      this.#problem,
    );
  }

  show({ service: { switches }, gatewaySessions }: Snapshot, locale: string): void {
    this.#plan.value = switches.plan;
    this.#latency.value = String(switches.latencyMs);
    this.#down.checked = switches.down;
    this.#downStates.checked = switches.downRetryAfterSeconds > 0;
    this.#odd.value = switches.oddFigures;
    this.#window.checked = switches.windowLimit > 0;
    this.#resets.checked = switches.resetEvery > 0;
    this.#firewall.checked = switches.firewall;
    this.#keyRevoked.checked = switches.keyRevoked;
    this.#gateway.textContent = gatewaySessions > 0 ? '(connected)' : '(not connected)';
    this.#showStorm(switches.stormUntilMs, locale);
  }

  #showStorm(untilMs: number, locale: string): void {
    const runsUntilMs = untilMs > Date.now() ? untilMs : 0;
    if (runsUntilMs === this.#stormUntilMs) return;
    this.#stormUntilMs = runsUntilMs;
    this.#storm.hidden = runsUntilMs === 0;
    this.#storm.replaceChildren(
      'Every request gets a 429; ends ',
      timeElement(Math.ceil(runsUntilMs / 1000), 'R', locale),
    );
  }

  async #refill(): Promise<void> {
    await press('/api/day/refill');
    this.#refilled.hidden = false;
  }

  #button(words: string, run: () => Promise<void>, label: string): HTMLElement {
    const button = element('button', { type: 'button', ariaLabel: label, title: label }, words);
    this.#on(button, 'click', run);
    return button;
  }

  #on(control: HTMLElement, event: string, run: () => Promise<void>): void {
    control.addEventListener(event, () => {
      this.#problem.textContent = '';
      this.#refilled.hidden = true;
      run().catch((error: Error) => {
        this.#problem.textContent = error.message;
      });
    });
  }
}

function row(label: Node | string, ...buttons: HTMLElement[]): HTMLElement {
  return element('div', { className: 'switch' }, element('span', {}, label), ...buttons);
}

function selectOf(options: readonly (readonly [string, string])[]): HTMLSelectElement {
  return element('select', {}, ...options.map(([value, words]) => element('option', { value }, words)));
}

function planOf(value: string): keyof typeof PLAN_LIMITS {
  return (Object.keys(PLAN_LIMITS) as (keyof typeof PLAN_LIMITS)[]).find((plan) => plan === value) ?? 'free';
}

function oddOf(value: string): (typeof ODD_FIGURES)[number] {
  return ODD_FIGURES.find((odd) => odd === value) ?? 'none';
}
