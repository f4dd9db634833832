import { EmbeddedCardService } from '../../../sandbox/card-service.ts';
import { Lookups } from '../../../src/lookup/lookups.ts';
import { PLAN_LIMITS } from '../../../src/model/plan.ts';
import { REPLY_DEADLINE_MS } from '../../../src/replies/reply-ports.ts';
import { type BenchTable, wanted } from '../table.ts';
import { DAY_CARDS } from './day-of-lookups.ts';
import { inFakeTime } from './fake-time.ts';
import { count } from './format.ts';
import { type Beside, LISTS, ourBot } from './our-bot.ts';

const IN_A_LIST = 10;
const LISTED = DAY_CARDS.length / IN_A_LIST;
/** Nobody else waits, and the burst is there again. */
const EVERY_MS = 10 * 60_000;
const LATENCY_MS = 200;

/** What `/cards` with ten new cards costs while nobody else asks. */
export async function newLists(): Promise<BenchTable> {
  const singly = await requestsFor({});
  const together = await requestsFor(LISTS);
  return {
    title: `${LISTED} lists of ${IN_A_LIST} new cards with \`/cards\`, one every ten minutes`,
    columns: ['way', 'answered', 'requests a list'],
    rows: [
      ['this bot', count(singly), String(singly / LISTED)],
      ['this bot with lists', count(together), String(together / LISTED)],
    ],
    verdicts: [wanted(`${together} requests for ${LISTED} lists of new cards, with lists`, together === LISTED)],
  };
}

function requestsFor(variables: Record<string, string>): Promise<number> {
  return inFakeTime(Date.UTC(2026, 0, 5), async () => {
    const service = new EmbeddedCardService({ plan: 'free', cards: DAY_CARDS, latencyMs: LATENCY_MS });
    const askForLists: Beside = async ({ services, config: { longestWaitMs } }) => {
      const options = { ...services, longestWaitMs };
      for (let at = 0; at < DAY_CARDS.length; at += IN_A_LIST) {
        await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
        const queries = DAY_CARDS.slice(at, at + IN_A_LIST).map(({ id }) => ({ cardId: id, showPrices: true }));
        const times = { receivedAtMs: Date.now(), deadlineMs: Date.now() + REPLY_DEADLINE_MS };
        const who = { memberId: `member ${at}`, guildId: 'server', isInstalled: true };
        await (await Lookups.open(queries, { requester: who, ...times }, options)).lookUpAll();
      }
      return () => {};
    };
    const address = { url: 'http://cards.example', fetch: service.fetch, ...PLAN_LIMITS.free };
    await (await ourBot(address, variables, askForLists)).close();
    return service.requests.length;
  });
}
