import { press } from './api.ts';
import { Controls, row } from './controls.ts';
import { element } from './element.ts';
import type { Panel } from './panel.ts';

/** The bot's connection to Discord, which can be dropped. */
export function gatewaySwitch(root: HTMLElement): Panel {
  const controls = new Controls();
  const state = element('span', { className: 'quiet' });
  const drop = controls.button('Drop', 'Drop the gateway connection', () => press('/api/gateway/drop'));
  const heading = element('h2', { id: 'gateway-heading' }, 'Discord');
  controls.insert(root, heading, row(element('span', {}, 'Gateway ', state), drop));
  return ({ gatewaySessions }) => {
    state.textContent = gatewaySessions > 0 ? '(connected)' : '(not connected)';
  };
}
