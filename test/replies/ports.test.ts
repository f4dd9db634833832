import { describe, expect, it } from 'vitest';
import { JournaledReply } from '../../src/replies/ports.ts';
import { deferredReply } from './replies-over.ts';

describe('a row of the journal', () => {
  const reply = deferredReply();
  const { asked: _, ...invocation } = reply;
  const card = { id: 'gull-1', name: 'Gull', set: 'Shore' };

  it('is read as it was written', () => {
    const asked = { ...reply.asked, unclear: [{ text: 'gul', cards: [card], total: 0 }] };
    const requester = { ...reply.requester, isInstalled: false, channelId: '7' };
    const foreign = { ...reply, asked, requester, canReplyPublicly: false };
    expect(JournaledReply.parse(JSON.parse(JSON.stringify(foreign)))).toEqual(foreign);
  });

  it('of a pasted list may have no card to look up', () => {
    const ofList = { ...reply, asked: { ...reply.asked, queries: [], list: { id: '7', left: 3 } } };
    expect(JournaledReply.parse(JSON.parse(JSON.stringify(ofList)))).toEqual(ofList);
    expect(() => JournaledReply.parse({ ...reply, asked: { ...reply.asked, queries: [] } })).toThrow();
  });

  it('without cards is refused', () => {
    expect(() => JournaledReply.parse(invocation)).toThrow();
  });
});
