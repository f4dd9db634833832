import type { PLAN_LIMITS } from '../../model/plan.ts';
import type { Snapshot } from '../page-protocol.ts';
import { SERVICE_LIMITERS, type ServiceLimiter } from '../service-limiters.ts';
import { changeSwitches, press } from './api.ts';
import { Controls, row } from './controls.ts';
import { element } from './element.ts';

type Plan = keyof typeof PLAN_LIMITS;

// Listed here because the module of PLAN_LIMITS loads zod, whose probe for `eval` violates the page's trusted types
const PLANS = Object.keys({ free: true, pro: true, business: true } satisfies Record<Plan, true>) as Plan[];
const LIMITERS: Readonly<Record<ServiceLimiter, string>> = {
  'token bucket': 'a burst, then a steady pace',
  'fixed window': 'a fixed number in each minute',
  delaying: 'lets requests wait',
  'refusals counted': 'counts what it refuses, too',
  'fading window': 'forgets a minute by and by',
};
// The real service behaves like this, too: the bot keeps its figures until an answer brings others
const REFILLED =
  'A bot that has seen an empty day waits for its reset; /usage makes it check again, at most once a minute.';

/** The plan, the limiter and the day of the card service. */
export class PlanSwitches {
  readonly #controls = new Controls(() => {
    this.#refilled.hidden = true;
  });
  readonly #refilled = element('p', { className: 'quiet', role: 'status', hidden: true }, REFILLED);
  readonly #plan = this.#controls.oneOf('Plan', PLANS, (plan) => changeSwitches({ plan }));
  readonly #limiter = this.#controls.oneOf(
    'Limiter',
    SERVICE_LIMITERS,
    (limiter) => changeSwitches({ limiter }),
    LIMITERS,
  );

  constructor(root: HTMLElement) {
    const useUp = this.#controls.button('Use up', 'Use up the day', () => press('/api/day/exhaust'));
    const refill = this.#controls.button('Refill', 'Refill the day', async () => {
      await press('/api/day/refill');
      this.#refilled.hidden = false;
    });
    const heading = element('h2', { id: 'plan-heading' }, 'What it gives');
    const day = row('The day', useUp, refill);
    this.#controls.show(root, heading, this.#plan.row, this.#limiter.row, day, this.#refilled);
  }

  show({ service }: Snapshot): void {
    this.#plan.control.value = service.switches.plan;
    this.#limiter.control.value = service.switches.limiter;
  }
}
