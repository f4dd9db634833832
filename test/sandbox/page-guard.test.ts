import { describe, expect, it } from 'vitest';
import { type GuardedRequest, refusal } from '../../sandbox/page-guard.ts';

const PORT = 4000;
const GET: GuardedRequest = { method: 'GET', host: '127.0.0.1:4000', origin: undefined, contentType: undefined };
const POST: GuardedRequest = {
  method: 'POST',
  host: '127.0.0.1:4000',
  origin: 'http://127.0.0.1:4000',
  contentType: 'application/json',
};

describe('refusal', () => {
  it.each<[string, GuardedRequest]>([
    ['a GET', GET],
    ['a GET under localhost', { ...GET, host: 'localhost:4000' }],
    ['a GET of its own script', { ...GET, origin: 'http://127.0.0.1:4000' }],
    ['a POST of its own', POST],
    ['a POST with a charset', { ...POST, contentType: 'Application/JSON; charset=utf-8' }],
  ])('lets %s pass', (_, request) => {
    expect(refusal(request, PORT)).toBeUndefined();
  });

  it.each<[string, number, GuardedRequest]>([
    ['a name that resolves to loopback', 421, { ...GET, host: 'evil.example:4000' }],
    ['another port', 421, { ...GET, host: '127.0.0.1:4001' }],
    ['no port', 421, { ...GET, host: '127.0.0.1' }],
    ['a longer name', 421, { ...GET, host: '127.0.0.1:4000.evil.example' }],
    ['no host', 421, { ...GET, host: undefined }],
    ['a GET of another origin', 403, { ...GET, origin: 'http://evil.example' }],
    ['a GET of a sandboxed frame', 403, { ...GET, origin: 'null' }],
    ['a POST of another origin', 403, { ...POST, origin: 'http://evil.example' }],
    ['a POST of another local port', 403, { ...POST, origin: 'http://127.0.0.1:3000' }],
    ['a POST across its own names', 403, { ...POST, origin: 'http://localhost:4000' }],
    ['a POST over https', 403, { ...POST, origin: 'https://127.0.0.1:4000' }],
    ['a POST without origin', 403, { ...POST, origin: undefined }],
    ['a form', 415, { ...POST, contentType: 'application/x-www-form-urlencoded' }],
    ['text that a form can send', 415, { ...POST, contentType: 'text/plain' }],
    ['a POST without type', 415, { ...POST, contentType: undefined }],
  ])('refuses %s with %i', (_, status, request) => {
    expect(refusal(request, PORT)?.status).toBe(status);
  });

  it('accepts that browsers omit port 80', () => {
    expect(refusal({ ...GET, host: '127.0.0.1' }, 80)).toBeUndefined();
  });
});
