import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { Declaration } from '../../commands/index.ts';
import type { Logger } from '../log.ts';
import type { Claims } from '../model/store/claims.ts';
import { type Rows, readJson } from '../model/store/rows.ts';
import { DAY_MS } from '../time.ts';
import {
  type Application,
  among,
  applicationForm,
  diffCommands,
  doubledCommands,
  explainFailure,
  inviteLinks,
  type RegisteredCommand,
  registrationAt,
} from './registration.ts';

interface SelfRegistrationOptions {
  token: string;
  botId: string;
  apiUrl: string;
  hasUserInstall: boolean;
  /** The commands of this version. */
  wanted: readonly Declaration[];
  claims: Claims;
  rows: Rows;
  log: Logger;
  /** Aborted when the bot stops. */
  signal: AbortSignal;
}

/**
 * One process after the other looks, so that two versions do not write over each other at once. The claim ends with the
 * look, or with its process: what a restart brings need not wait for it. It lasts longer than all requests of a look.
 */
const CLAIM = { name: 'registration', ttlMs: 60_000, endsWithOwner: true };
const CLAIM_AGAIN_MS = 1_000;

/**
 * Gives Discord the global commands of this version, and sets up the application, where they differ. Of others' commands
 * none is changed or removed. Costs two requests where nothing differs, besides one for each of 20 servers at most. Waits
 * while another process does it, and for the store before it begins. Never rejects: a failure is a warning, also that
 * of the store in the middle.
 */
export async function registerItself(options: SelfRegistrationOptions): Promise<void> {
  await isDone('commands were not registered', inTurn(options), options);
}

async function inTurn(options: SelfRegistrationOptions): Promise<void> {
  const { claims, signal } = options;
  let hasWaited = false;
  let claimed = await claims.claim(CLAIM.name, CLAIM);
  while (claimed !== 'mine') {
    hasWaited = claimed !== 'unavailable';
    // One that was made while the store is away, and of which the others do not know, is not to be in its own way.
    await claims.release(CLAIM.name);
    await sleep(CLAIM_AGAIN_MS, undefined, { signal });
    claimed = await claims.claim(CLAIM.name, CLAIM);
  }
  await Promise.race([look(options, hasWaited), once(signal, 'abort')]).finally(() => claims.release(CLAIM.name));
}

/** Whether this has worked; otherwise it warns, in words where there are some. Never rejects. */
async function isDone(failed: string, work: Promise<unknown>, options: SelfRegistrationOptions): Promise<boolean> {
  const { apiUrl, log, signal } = options;
  try {
    await work;
    return true;
  } catch (err) {
    const explained = async () => explainFailure(err, apiUrl);
    const words = await explained().catch(() => undefined); // whatever it stumbles over, the bot goes on
    const then = 'Restart, or run npm run commands -- register.';
    if (!signal.aborted) log.warn(words ? {} : { err }, `${failed}: ${words ?? 'see the error.'} ${then}`);
    return false;
  }
}

/** The part: JSON by application. */
const PART = 'registration';
const Sent = z.object({
  /** A hash of what was sent last; absent while nobody knows whether Discord has taken it. */
  sent: z.string().optional(),
  /** The commands that this bot has registered, or was about to. */
  own: z.array(z.object({ name: z.string(), type: z.number().optional() })).readonly(),
});
/** Without it a command that a later version does not have would stay for ever. */
const KEEP_MS = 3_650 * DAY_MS;

/** @param hasWaited another process has just ended its look */
async function look(options: SelfRegistrationOptions, hasWaited: boolean): Promise<void> {
  const { hasUserInstall, wanted, log, signal } = options;
  const hash = createHash('sha256')
    .update(JSON.stringify([applicationForm({}, hasUserInstall), wanted]))
    .digest('hex');
  const before = await sentBefore(options);
  if (hasWaited && before.sent === hash) return; // Discord's list may not show yet what the other has sent

  const registration = registrationAt(options, signal);
  const application = await registration.application();
  const { id } = application;
  const registered = await registration.commands(id);
  const form = applicationForm(application, hasUserInstall);
  const { kept, ...diff } = diffCommands(wanted, registered, undefined, before.own);
  const commands = [...wanted, ...kept];
  const changes = { settings: Object.keys(form), ...diff };
  const isSame = Object.values(changes).every(({ length }) => length === 0);
  // Whoever has sent it: an earlier version that comes back sends its own again.
  if (isSame && before.sent !== hash) await store({ ...before, sent: hash }, options);
  else if (!isSame && before.sent === hash) log.warn(changes, DIFFERS);
  else if (!isSame) {
    // Before they are sent: whenever the process dies, none of its own commands is taken for another's.
    const withdrawn = before.own.filter((each) => !among(wanted, each));
    await store({ own: [...withdrawn, ...wanted] }, options);
    // Commands work without: one that is refused keeps none of them back, and is sent again at the next start.
    const isSetUp =
      changes.settings.length === 0 ||
      (await isDone('the application was not set up', registration.edit(form), options));
    if (Object.values(diff).flat().length > 0) await registration.replace(id, undefined, commands);
    await store({ ...(isSetUp && { sent: hash }), own: wanted }, options);
    log.info(isSetUp ? changes : diff, 'commands registered');
  }
  await tellOfServers(application, registration, commands, options);
}

/** For the log: how the bot gets into a server, while it is in none, and in which its commands are seen twice. */
async function tellOfServers(
  { id, approximate_guild_count: count }: Application,
  registration: ReturnType<typeof registrationAt>,
  commands: readonly (Declaration | RegisteredCommand)[],
  { hasUserInstall, log }: SelfRegistrationOptions,
): Promise<void> {
  if (count === 0)
    return log.info(inviteLinks(id, hasUserInstall), 'the bot is in no server: this link adds it to one');
  const doubled = await doubledCommands(registration, id, await registration.guilds().catch(() => []), commands);
  if (doubled.length > 0) log.warn({ doubled }, 'members of a server see commands twice');
}

const AWAY = 'what was registered before cannot be read or kept now';
const DIFFERS =
  'the commands at Discord are not as they were sent, and are not sent again. See: npm run commands -- diff';

/** @throws Error when it cannot be read now */
async function sentBefore({ rows, botId }: SelfRegistrationOptions): Promise<z.infer<typeof Sent>> {
  const stored = await readJson(rows, Sent, PART, [botId]);
  if (!stored) throw new Error(AWAY);
  return stored.get(botId) ?? { own: [] };
}

/** @throws Error when it cannot be kept now */
async function store(sent: z.infer<typeof Sent>, { rows, botId }: SelfRegistrationOptions): Promise<void> {
  const row = { part: PART, key: botId, value: JSON.stringify(Sent.parse(sent)) };
  if (!(await rows.write([row], { keepMs: KEEP_MS }))) throw new Error(AWAY);
}
