import { expect, it } from 'vitest';
import { apiUser } from '../../../sandbox/discord/world.ts';
import { eventViolations, exchangeViolations } from '../../support/discord-spec/violations.ts';
import { table } from '../../table.ts';

// What happens in every other test is held to the same, in test/support/each-file.ts; it would show there if something
// valid were forbidden.
it.each(table`
  an unknown field of a body, at any depth | POST /interactions/:id/:token/callback
    | {"sent":{"type":4,"data":{"embeds":[{"image":{"url":"https://x.test/a.png","alt":"A"}}]}}}
    | request data.embeds.0.image: unknown alt
  an unknown field of a body that is refused for another reason | POST /interactions/:id/:token/callback
    | {"sent":{"type":5,"more":1},"answered":{"status":404,"body":{"code":10062,"message":"Unknown"}}}
    | request : unknown more
  an answer without content | GET /gateway/bot | {"answered":{"status":204}} | 204 : invalid_type undefined
  an answer without a field | GET /gateway/bot | {"answered":{"status":200,"body":{"shards":1,
    "session_start_limit":{"total":1,"remaining":1,"reset_after":1,"max_concurrency":1}}}}
    | 200 url: invalid_type undefined
  that it fails | GET | {"answered":{"status":500,"body":{}}} | 500 : invalid_type {}
`)("Discord's specification forbids %s", (_, call = '', seen = '', expected) => {
  const [method = '', route] = call.split(' ');
  expect(exchangeViolations({ method, route, ...JSON.parse(seen) })).toEqual([`${method} ${route} ${expected}`]);
});

it("Discord's specification knows every route", () => {
  const nowhere = { method: 'GET', route: '/nowhere' };
  expect(exchangeViolations(nowhere)).toEqual(['GET /nowhere: not in the table of routes']);
});

it("Discord's specification requires the fields of a user in an event", () => {
  const { flags: _, ...user } = apiUser({ id: '1180000000000000101', name: 'Alice' });
  expect(eventViolations({ type: 'INTERACTION_CREATE', json: JSON.stringify({ user }) })).toEqual([
    'INTERACTION_CREATE user flags: invalid_type undefined',
  ]);
});
