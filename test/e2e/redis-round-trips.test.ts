import { beforeAll, expect, it } from 'vitest';
import { prepareAppBots, showsCard, type TestBots } from '../support/processes.ts';
import { startRedis } from '../support/redis.ts';
import { startRelay } from '../support/relay.ts';

const KNOWN = 'base1-2';
const UNKNOWN = 'base1-4';

let processes: TestBots;
/** What each sends to Redis, in order: the name of a command and its arguments. A transaction is one command, `MULTI`. */
const sentBy: readonly string[][][] = [[], []];
const ofEach = <T>(work: (commands: string[][], shard: number) => T) => Promise.all(sentBy.map(work));
beforeAll(async () => {
  const redis = await startRedis();
  const env = { MEMBER_DAILY_REQUESTS: '1000' };
  processes = await prepareAppBots({ redis, service: { plan: 'pro' }, env });
  await ofEach(async (commands, shard) => {
    const { url } = await startRelay(redis.url, { watch: () => watch(commands) });
    const { registered } = await processes.start(shard, { REDIS_URL: url });
    await registered; // by commands of its own
  });
});

/** Between two of each process all is written that belongs to an answer. */
async function heartbeats(): Promise<void> {
  await ofEach(async (commands) => {
    const seen = () => commands.filter((command) => keysOf(command)[0]?.endsWith(':processes')).length;
    const until = seen() + 4; // a look is two commands
    await expect.poll(seen).toBeGreaterThanOrEqual(until);
  });
}

/** What is sent meanwhile, by one process after the other. */
async function sentDuring(work: () => Promise<unknown>): Promise<string[][]> {
  const before = sentBy.map(({ length }) => length);
  await work();
  await heartbeats();
  return sentBy.flatMap((commands, shard) => commands.slice(before[shard]));
}

/** What is sent for a `/card` in the server of this shard that is not sent anyway: names and keys. */
async function commandsFor(shard: number, cardId: string, anyway: Set<string>): Promise<string[]> {
  const sent = await sentDuring(() => processes.card(shard, cardId).settled());
  const ofMember = sent.filter((command) => !anyway.has(kindOf(command)) && !isOfLook(command));
  return ofMember.map((command) => [command[0], ...keysOf(command)].join(' '));
}

/** What is set in servers: until it is known, a command waits for it. */
function isOfSettings([name = '', key = '']: readonly string[]): boolean {
  return name === 'HGETALL' && key.endsWith(':settings');
}

/** What is watched and untold, and where anything is set, is read every 10 s; who is to be forgotten, once a minute. */
function isOfLook([name = '', key = '']: readonly string[]): boolean {
  return /^H\w*GET/.test(name) && /:(?:watches(?::(?:cards|untold))?|settings|deletion-requests)$/.test(key);
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
  await ofEach((commands) => expect.poll(() => commands.some(isOfSettings)).toBe(true));
  await heartbeats();
  const anyway = new Set((await sentDuring(heartbeats)).map(kindOf));

  const unknown = await commandsFor(0, UNKNOWN, anyway);
  // It is measured before anything is saved, because that is counted up to a second later.
  const noSuchCard = await commandsFor(0, 'no-such-card', anyway);
  const inMemory = await commandsFor(0, UNKNOWN, anyway);
  const elsewhere = await commandsFor(1, UNKNOWN, anyway);

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

/**
 * Notes what passes on a connection to Redis, none of which has a `\r\n` of its own: arrays of bulk strings, as in
 * https://redis.io/docs/latest/develop/reference/protocol-spec/#sending-commands-to-a-redis-server
 */
function watch(commands: string[][]) {
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
}

/** All requests that are there as a whole: how many words, then each after its length. */
function* takenFrom(lines: string[]): Generator<string[]> {
  for (;;) {
    const end = 1 + 2 * Number(lines[0]?.slice(1));
    if (!(lines.length > end)) return; // nor where there is no number yet
    yield lines.splice(0, end).filter((_, at) => at > 0 && at % 2 === 0);
  }
}
