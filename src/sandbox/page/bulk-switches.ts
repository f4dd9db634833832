import { BULK_COSTS, BULK_REFUSALS, BULK_SHAPES, type BulkCost } from '../bulk-forms.ts';
import type { Snapshot } from '../page-protocol.ts';
import { changeSwitches } from './api.ts';
import { Controls } from './controls.ts';
import { element } from './element.ts';

const COSTS: Readonly<Record<BulkCost, string>> = { one: 'as one request', each: 'every card' };

/** How the card service lists several cards at once. */
export class BulkSwitches {
  readonly #controls = new Controls();
  readonly #shape = this.#controls.oneOf('Lists', BULK_SHAPES, (bulkShape) => changeSwitches({ bulkShape }));
  readonly #cost = this.#controls.oneOf('Counts', BULK_COSTS, (bulkCost) => changeSwitches({ bulkCost }), COSTS);
  readonly #refusal = this.#controls.oneOf('Refuses', BULK_REFUSALS, (refusal) =>
    changeSwitches({ bulkRefusal: refusal }),
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
