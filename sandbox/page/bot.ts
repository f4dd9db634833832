import { press } from './api.ts';
import { Controls, row } from './controls.ts';
import { element } from './element.ts';
import type { Panel } from './panel.ts';

/** The bot's process, which can be killed and started, and its connection to Discord, which can be dropped. */
export function botPanel(root: HTMLElement): Panel {
  const controls = new Controls();
  const [process, gateway] = [element('span', { className: 'quiet' }), element('span', { className: 'quiet' })];
  const start = controls.button('Start', 'Start the process', () => press('/api/bot/start'));
  const kill = controls.button('Kill', 'Kill the process', () => press('/api/bot/kill'));
  const drop = controls.button('Drop', 'Drop the gateway connection', () => press('/api/gateway/drop'));
  const processRow = row(element('span', {}, 'Process ', process), start, kill);
  const gatewayRow = row(element('span', {}, 'Gateway ', gateway), drop);
  controls.insert(root, element('h2', { id: 'bot-heading' }, 'The bot'), processRow, gatewayRow);
  return ({ bot, gatewaySessions }) => {
    processRow.hidden = bot === undefined;
    process.textContent = `(${bot?.state})`;
    gateway.textContent = gatewaySessions > 0 ? '(connected)' : '(not connected)';
  };
}
