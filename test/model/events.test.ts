import { expect, it } from 'vitest';
import { Events, type EventsByName } from '../../src/model/events.ts';

const DEFERRED: EventsByName['reply'] = { step: 'deferred', interactionId: '1', command: 'card' };

it('a subscriber gets the events of its own bot until it ends the subscription', () => {
  const [bot, other] = [new Events(), new Events()];
  const received: EventsByName['reply'][] = [];
  const end = bot.subscribe('reply', (event) => void received.push(event));

  bot.publish('reply', DEFERRED);
  other.publish('reply', DEFERRED);
  end();
  bot.publish('reply', DEFERRED);

  expect(received).toEqual([DEFERRED]);
});
