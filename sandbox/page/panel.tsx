import { useState } from 'preact/hooks';
import type { CardServiceSwitches } from '../service/service.ts';
import { call, wordsOf } from './call.ts';
import type { Snapshot } from './page-server.ts';
import { Time } from './text.tsx';

/** The panel is in the page's language, the chat in the member's. */
const LOCALE = 'en';

const SPEEDS = {
  'answers at once': { latencyMs: 0 },
  '0.3 s': { latencyMs: 300 },
  '2 s': { latencyMs: 2_000 },
  '5 s': { latencyMs: 5_000 },
  '15 s: too late': { latencyMs: 15_000 },
};
/** By `Retry-After`. More than a minute opens the circuit breaker for that long. */
const OUTAGES = {
  none: { down: false, downRetryAfterSeconds: 0 },
  '503 without a wait': { down: true, downRetryAfterSeconds: 0 },
  '503, wait 30 s': { down: true, downRetryAfterSeconds: 30 },
  '503, wait 2 min': { down: true, downRetryAfterSeconds: 120 },
};
const PRICES = {
  'as at the start': { pricePercent: 0 },
  '+10 %': { pricePercent: 10 },
  '−10 %': { pricePercent: -10 },
};
/** The last is longer than the longest wait. */
const STORMS = [
  [10_000, '10 s'],
  [30_000, '30 s'],
  [1_200_000, '20 min'],
] as const;
// The real service behaves like this, too: the bot keeps its figures until an answer brings others
const REFILLED =
  'A bot that has seen an empty day waits for its reset; /usage makes it check again, at most once a minute.';
const MOVED =
  'The bot hears of it when it asks again: for a card that is new to it, or whose prices are older than 6 hours.';
const KEY_REFUSED =
  'A bot that was refused shows only cards that it knows, and asks again a minute later, also when its key is accepted before';

/** Beside the chat: what is left of the service, the requests that reached it, and what can go wrong with it and the bot. */
export function Panel({ snapshot }: { snapshot: Snapshot }) {
  return (
    <aside id="service" class="panel" aria-label="Behind the scenes">
      <Figures service={snapshot.service} />
      <Requests requests={snapshot.requests} count={snapshot.requestCount} />
      <Faults snapshot={snapshot} />
    </aside>
  );
}

function Figures({ service }: Pick<Snapshot, 'service'>) {
  const { dayLimit, dayRemaining, minuteRate, minuteRemaining, mostAtOnce, resetsAtMs } = service;
  return (
    <section>
      <h2>The card service</h2>
      <Gauge label="Left today" left={dayRemaining} of={dayLimit} />
      <Gauge label="Left right now" left={minuteRemaining} of={mostAtOnce} />
      <p class="quiet">
        {minuteRate.toLocaleString(LOCALE)} come back every minute; the day ends {secondsFrom(resetsAtMs)}.
      </p>
    </section>
  );
}

function Gauge({ label, left, of }: { label: string; left: number; of: number }) {
  const share = Math.min(1, Math.max(0, left / of));
  return (
    <div class="gauge">
      <span>{label}</span>
      <b>{left.toLocaleString(LOCALE)}</b>
      <span class="quiet">of {of.toLocaleString(LOCALE)}</span>
      <div class="bar" aria-hidden="true">
        <i class={share > 0.25 ? 'fill' : 'fill low'} style={{ width: `${share * 100}%` }} />
      </div>
    </div>
  );
}

function secondsFrom(ms: number) {
  return <Time seconds={Math.ceil(ms / 1_000)} style="R" />;
}

/** Newest first. */
function Requests({ requests, count }: { requests: Snapshot['requests']; count: number }) {
  return (
    <section class="requests">
      <h2>Requests that reached it: {count.toLocaleString(LOCALE)}</h2>
      {requests.length === 0 ? (
        <p class="quiet">None yet. Answers from the cache never reach it.</p>
      ) : (
        <div class="scroller" tabIndex={0}>
          <table>
            <thead>
              <tr>
                <th scope="col">Time</th>
                <th scope="col">Request</th>
                <th scope="col">Status</th>
              </tr>
            </thead>
            <tbody>{requests.toReversed().map(requestRow)}</tbody>
          </table>
        </div>
      )}
    </section>
  );
}

function requestRow(request: Snapshot['requests'][number]) {
  const { atMs, method, path, cardIds = [], authorized, reason } = request;
  const { text, tone } = statusOf(request);
  const listed = `${cardIds.length === 1 ? '1 card' : `${cardIds.length} cards`}: ${cardIds.join(', ')}`;
  return (
    <tr key={`${atMs} ${path}`}>
      {/* 24-hour clock, so that the whole id fits beside it */}
      <td>{new Date(atMs).toLocaleTimeString(LOCALE, { hourCycle: 'h23' })}</td>
      <td title={`${method} ${path} (${authorized ? 'with the right key' : 'without a key'})`}>
        {/* Without the query, which is the same for every card */}
        <span class="path">{cardIds.length > 0 ? listed : path.split('?')[0]}</span>
        <span class="quiet reason">{reason}</span>
      </td>
      <td class={tone}>{text}</td>
    </tr>
  );
}

/** A status only when it was sent. */
function statusOf({ status, sent }: Snapshot['requests'][number]) {
  if (sent === 'not yet') return { text: '…', tone: 'quiet' };
  if (sent === 'too late') return { text: 'too late', tone: 'bad' };
  if (status === 0) return { text: 'none', tone: 'bad' };
  return { text: String(status), tone: status < 400 ? 'good' : status === 404 ? 'quiet' : 'bad' };
}

/** The bot, and the switches of the card service. What fails is told below them. */
function Faults({ snapshot: { service, bot, isConnected } }: { snapshot: Snapshot }) {
  const { switches } = service;
  const [problem, setProblem] = useState('');
  const [isRefilled, setRefilled] = useState(false);
  const use = async (work: () => Promise<unknown>) => {
    setProblem('');
    setRefilled(false);
    await work().catch((error: unknown) => setProblem(wordsOf(error)));
  };
  const button = (words: string, label: string, work: () => Promise<unknown>) => (
    <button key={label} type="button" aria-label={label} title={label} onClick={() => void use(work)}>
      {words}
    </button>
  );
  /** Changes to the switches, in words; it shows those that are made. */
  const menu = (label: string, choices: Readonly<Record<string, Partial<CardServiceSwitches>>>) => {
    const isMade = (words: string) => JSON.stringify({ ...switches, ...choices[words] }) === JSON.stringify(switches);
    return (
      <label class="switch">
        <span>{label}</span>
        <select
          value={Object.keys(choices).find(isMade)}
          onChange={({ currentTarget: { value } }) => void use(() => call('set', choices[value] ?? {}))}
        >
          {Object.keys(choices).map((words) => (
            <option key={words}>{words}</option>
          ))}
        </select>
      </label>
    );
  };
  const connection = isConnected ? 'connected' : 'not connected';
  const keyTriedAtMs = bot?.keyTriedAtMs;
  return (
    <section>
      <h2>What goes wrong</h2>
      <div class="switch">
        <span>
          The bot <span class="quiet">({bot && bot.state !== 'running' ? bot.state : connection})</span>
        </span>
        {bot?.state === 'stopped' && button('Start', 'Start the process', () => call('startBot'))}
        {bot && bot.state !== 'stopped' && button('Kill', 'Kill the process', () => call('killBot'))}
        {button('Drop', 'Drop the gateway connection', () => call('dropGateway'))}
      </div>
      {menu('Speed', SPEEDS)}
      {menu('Outage', OUTAGES)}
      <div class="switch">
        <span>429 storm</span>
        {STORMS.map(([durationMs, words]) => button(words, `429 storm for ${words}`, () => call('storm', durationMs)))}
      </div>
      <div class="switch quiet" role="status" hidden={switches.stormUntilMs === 0}>
        <span>Every request gets a 429; ends {secondsFrom(switches.stormUntilMs)}</span>
        {button('End', 'End the 429 storm', () => call('storm', 0))}
      </div>
      <div class="switch">
        <span>The day</span>
        {button('Use up', 'Use up the day', () => call('exhaustDay'))}
        {button('Refill', 'Refill the day', () => call('refillDay').then(() => setRefilled(true)))}
      </div>
      <p class="quiet" role="status" hidden={!isRefilled}>
        {REFILLED}
      </p>
      {menu('Prices', PRICES)}
      <p class="quiet" role="status" hidden={switches.pricePercent === 0}>
        {MOVED}
      </p>
      <label class="tick">
        <input
          type="checkbox"
          checked={switches.keyRevoked}
          onChange={({ currentTarget }) => void use(() => call('set', { keyRevoked: currentTarget.checked }))}
        />
        The API key is revoked (401)
      </label>
      <p class="quiet" role="status" hidden={!switches.keyRevoked && keyTriedAtMs === undefined}>
        {KEY_REFUSED}
        {keyTriedAtMs && <>: {secondsFrom(keyTriedAtMs)}</>}.
      </p>
      <p class="failed" role="alert">
        {problem}
      </p>
    </section>
  );
}
