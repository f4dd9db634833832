import { describe, expect, it } from 'vitest';
import { patience } from '../../src/discord/rate-limit-patience.ts';

const CALLBACK = '/interactions/:id/:token/callback';
const EDIT = '/webhooks/:id/:token/messages/@original';
const WAITED = { refuse: false, extraMs: 0 };
const REFUSED = { refuse: true };

describe('a 429 from Discord', () => {
  it.each([
    ['is waited for when the member still waits then', CALLBACK, 1_000, WAITED],
    ['is refused when the member has gone by then', CALLBACK, 3_000, REFUSED],
    ['to a callback that does not say how long is refused', CALLBACK, 0, REFUSED],
    ['to an edit is waited for as long as the reply lives', EDIT, 14 * 60_000, WAITED],
    ['to an edit is refused beyond the life of the reply', EDIT, 15 * 60_000, REFUSED],
    ['to an edit that does not say how long is a second', EDIT, 0, { refuse: false, extraMs: 1_000 }],
    ['to an edit that talks nonsense is a second', EDIT, Number.NaN, { refuse: false, extraMs: 1_000 }],
    ['to a login is for the login to wait for', '/gateway/bot', 1_000, REFUSED],
    ['to a registration is told to the moderator', '/applications/:id/commands', 1_000, REFUSED],
  ])('%s', (_, route, retryAfter, expected) => {
    expect(patience({ route, retryAfter, timeToReset: 0 })).toEqual(expected);
  });
});
