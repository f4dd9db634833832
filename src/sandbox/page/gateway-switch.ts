import type { Snapshot } from '../page-protocol.ts';
import { press } from './api.ts';
import { Controls, row } from './controls.ts';
import { element } from './element.ts';

/** The bot's connection to Discord, which can be dropped. */
export class GatewaySwitch {
  readonly #state = element('span', { className: 'quiet' });

  constructor(root: HTMLElement) {
    const controls = new Controls();
    const drop = controls.button('Drop', 'Drop the gateway connection', () => press('/api/gateway/drop'));
    const heading = element('h2', { id: 'gateway-heading' }, 'Discord');
    controls.insert(root, heading, row(element('span', {}, 'Gateway ', this.#state), drop));
  }

  show({ gatewaySessions }: Snapshot): void {
    this.#state.textContent = gatewaySessions > 0 ? '(connected)' : '(not connected)';
  }
}
