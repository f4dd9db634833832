import { BULK_COSTS, BULK_REFUSALS, BULK_SHAPES, type BulkCost } from '../bulk-forms.ts';
import type { Snapshot } from '../page-protocol.ts';
import { changeSwitches } from './api.ts';
import { Controls } from './controls.ts';
import { element } from './element.ts';

const COSTS: Readonly<Record<BulkCost, string>> = { one: 'as one request', each: 'every card' };

/** How the card service lists several cards at once. */
export class BulkSwitches {
  readonly #controls = new Controls();
  readonly #shape = this.#controls.select(
    'Lists',
    BULK_SHAPES.map((shape) => [shape, shape]),
    (value) => changeSwitches({ bulkShape: BULK_SHAPES.find((shape) => shape === value) }),
  );
  readonly #cost = this.#controls.select(
    'Counts',
    BULK_COSTS.map((cost) => [cost, COSTS[cost]]),
    (value) => changeSwitches({ bulkCost: BULK_COSTS.find((cost) => cost === value) }),
  );
  readonly #refusal = this.#controls.select(
    'Refuses',
    BULK_REFUSALS.map((refusal) => [refusal, refusal]),
    (value) => changeSwitches({ bulkRefusal: BULK_REFUSALS.find((refusal) => refusal === value) }),
  );

  constructor(root: HTMLElement) {
    this.#controls.show(
      root,
      element('h2', { id: 'bulk-heading' }, 'Several cards in one request'),
      this.#shape.row,
      this.#cost.row,
      this.#refusal.row,
    );
  }

  show({ service: { switches } }: Snapshot): void {
    this.#shape.control.value = switches.bulkShape;
    this.#cost.control.value = switches.bulkCost;
    this.#refusal.control.value = switches.bulkRefusal;
  }
}
