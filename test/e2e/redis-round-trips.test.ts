import { beforeAll, expect, it } from 'vitest';
import { prepareAppBots, showsCard, type TestBots } from '../support/processes.ts';
import { startRedis } from '../support/redis.ts';
import { startRelay } from '../support/relay.ts';

const KNOWN = 'base1-2';
const UNKNOWN = 'base1-4';

let processes: TestBots;
let relays: RecordingRelay[];
beforeAll(async () => {
  const redis = await startRedis();
  const env = { MEMBER_DAILY_REQUESTS: '1000' };
  processes = await prepareAppBots({ redis, service: { plan: 'pro' }, env });
  relays = [await startRecordingRelay(redis.url), await startRecordingRelay(redis.url)];
  await Promise.all(relays.map(({ url }, shard) => processes.start(shard, { REDIS_URL: url })));
});

/** Between two of them all is written that belongs to an answer. */
async function heartbeats({ commands }: RecordingRelay): Promise<void> {
  const seen = () => commands.filter((command) => keysOf(command)[0]?.endsWith(':processes')).length;
  const until = seen() + 4; // a look is two commands
  await expect.poll(seen).toBeGreaterThanOrEqual(until);
}

/** What the process with this shard sends to Redis for a `/card` that it does not send anyway: names and keys. */
async function commandsFor(shard: number, cardId: string, anyway: Set<string>): Promise<string[]> {
  const relay = relays[shard] as RecordingRelay;
  const before = relay.commands.length;
  await processes.card(shard, cardId).settled();
  await heartbeats(relay);
  const sent = relay.commands.slice(before);
  const ofMember = sent.filter((command) => !anyway.has(kindOf(command)) && !isOfLook(command));
  return ofMember.map((command) => [command[0], ...keysOf(command)].join(' '));
}

/** What is set in servers: until it is known, a command waits for it. */
function isOfSettings([name = '', key = '']: readonly string[]): boolean {
  return name === 'HGETALL' && key.endsWith(':settings');
}

/** What is watched and untold, and where anything is set, is read every 10 s. */
function isOfLook([, key = '']: readonly string[]): boolean {
  return /:(?:watches(?::(?:cards|untold))?|settings)$/.test(key);
}

function keysOf([name = '', ...args]: readonly string[]): readonly string[] {
  return name.startsWith('EVAL') ? args.slice(2, 2 + Number(args[1])) : args.slice(0, 1);
}

/** Two scripts differ, and so does what one script is told to do, in a word. */
function kindOf(command: readonly string[]): string {
  const [name = '', ...args] = command;
  const keys = keysOf(command);
  const script = name.startsWith('EVAL')
    ? [args[0], args.slice(2 + keys.length).find((arg) => /^[a-z]+$/.test(arg))]
    : [];
  return [name, ...keys, ...script].join(' ');
}

it('an unknown card costs at most 11 commands to Redis, one known elsewhere 1, one in memory none; nothing is read of watches and settings that are not there', async () => {
  await showsCard(processes.card(0, KNOWN)); // the first request of all teaches the plan
  await Promise.all(relays.map(({ commands }) => expect.poll(() => commands.some(isOfSettings)).toBe(true)));
  await Promise.all(relays.map(heartbeats));
  const idle = relays.map(({ commands }) => commands.length);
  await Promise.all(relays.map(heartbeats));
  const anyway = new Set(relays.flatMap(({ commands }, index) => commands.slice(idle[index]).map(kindOf)));

  const unknown = await commandsFor(0, UNKNOWN, anyway);
  const inMemory = await commandsFor(0, UNKNOWN, anyway);
  const elsewhere = await commandsFor(1, UNKNOWN, anyway);
  const noSuchCard = await commandsFor(0, 'no-such-card', anyway);

  expect(unknown.length, unknown.join('\n')).toBeLessThanOrEqual(11);
  const lock = unknown.findIndex((command) => command.includes(':claim:'));
  expect(unknown[lock + 1]).toContain(':cards:'); // what the last owner of the lock stored is read
  // What was saved is counted once a second, in one command.
  const isUncounted = (command: string) => !/^EVAL \S+:ledger:/.test(command);
  expect(inMemory.filter(isUncounted)).toEqual([]);
  expect(elsewhere.filter(isUncounted)).toEqual([expect.stringContaining(':cards:')]);
  expect(noSuchCard.length, noSuchCard.join('\n')).toBeLessThanOrEqual(11);
  expect(processes.cardService.counts.total).toBe(3);
});

type RecordingRelay = Awaited<ReturnType<typeof startRecordingRelay>>;

/**
 * A TCP proxy before a Redis that notes what passes, none of which has a `\r\n` of its own: arrays of bulk strings, as in
 * https://redis.io/docs/latest/develop/reference/protocol-spec/#sending-commands-to-a-redis-server
 */
async function startRecordingRelay(url: string) {
  /** What was sent to Redis, in order: the name of a command and its arguments. A transaction is one command, `MULTI`. */
  const commands: string[][] = [];
  const watch = () => {
    const lines: string[] = [];
    let inTransaction = false;
    return (sent: Buffer) => {
      lines.push(...((lines.pop() ?? '') + sent.toString('latin1')).split('\r\n'));
      for (const [name = '', ...args] of takenFrom(lines)) {
        const command = name.toUpperCase();
        if (!inTransaction) commands.push([command, ...args]);
        inTransaction = command === 'MULTI' || (inTransaction && command !== 'EXEC');
      }
    };
  };
  return { url: (await startRelay(url, { watch })).url, commands };
}

/** All requests that are there as a whole: how many words, then each after its length. */
function* takenFrom(lines: string[]): Generator<string[]> {
  for (;;) {
    const end = 1 + 2 * Number(lines[0]?.slice(1));
    if (!(lines.length > end)) return; // nor where there is no number yet
    yield lines.splice(0, end).filter((_, at) => at > 0 && at % 2 === 0);
  }
}
