import { type DispatchedEvent, observe } from '../../../sandbox/discord/observation.ts';

// Collected here and judged between tests, so that no answer of a bot is late because of it. As text, because what bodies
// are made of goes on changing.
const exchanges: string[] = [];
const events: DispatchedEvent[] = [];

// Once a worker, as this module is loaded
observe({
  exchange: (exchange) => void exchanges.push(JSON.stringify(exchange)),
  event: (event) => void events.push(event),
});

/** @throws Error that names what Discord's specification forbids in the traffic since the last call */
export async function refuseViolations(): Promise<void> {
  if (exchanges.length + events.length === 0) return;
  const { eventViolations, exchangeViolations } = await import('./violations.ts');
  const found = [
    ...exchanges.splice(0).flatMap((text) => exchangeViolations(JSON.parse(text))),
    ...events.splice(0).flatMap(eventViolations),
  ];
  if (found.length > 0) throw new Error(`Against Discord's specification:\n${[...new Set(found)].join('\n')}`);
}
