import { commands } from '../commands/index.ts';
import type { Config } from './config.ts';
import { logCommand } from './discord/command-log.ts';
import { createClient, onInteraction } from './discord/connect.ts';
import { Dispatch } from './discord/dispatch.ts';
import { login, shutOut } from './discord/login.ts';
import { payment } from './discord/payment.ts';
import { Replies } from './discord/replies.ts';
import type { Logger } from './log.ts';
import { openParts } from './parts.ts';
import { words } from './render/words.ts';
import { ReplyQueue } from './replies/reply-queue.ts';
import { within } from './within.ts';

export interface App {
  /** Rejects with DiscordRefused when the token is not accepted. */
  ready: Promise<void>;
  /** Resolves when Discord has shut the bot out for good. */
  shutOut: Promise<Error>;
  /** Resolves when no reply is owed any more. */
  paid(): Promise<void>;
  /** Takes no more questions, finishes what is in hand, leaves the rest to the journal, closes. Under 8 s; once, however often called. */
  stop(): Promise<void>;
}

// Together under the 8 s that a stop may take.
const FIRST_ANSWERS_MS = 1_600;
const GRACE_MS = 4_000;
const LAST_EDITS_MS = 1_200;
const DISCONNECT_MS = 700;

/**
 * Makes every part and joins them; read from top to bottom, this is the whole program. The bot, the sandbox and the
 * end-to-end tests differ only in `config`.
 *
 * @throws DatabaseInUse when another process owns `DATA_DIR`, and the error of the file system when it is unusable
 */
export async function startApp(config: Config, log: Logger, signal = new AbortController().signal): Promise<App> {
  const { parts, state } = await openParts(config, log, { signal });
  const { line, usage } = parts;

  const client = createClient({ ...config.discord, identifyTurns: state.identifyTurns, log });
  const replies = new Replies(client.rest, log);
  const queue = new ReplyQueue({
    line,
    journal: state.journal,
    log,
    payment: (debt, outcome, waitMs) => payment({ commands, parts, replies, log }, debt, outcome, waitMs),
    isPaid: (debt) => replies.isFinal(debt),
    giveUp: (debt) => logCommand(log, debt, { source: 'bot', waitMs: 0, outcome: 'too late' }),
    showTurn: async (debt, turnAtMs) => void (await replies.edit(debt, { content: words.turn(turnAtMs) })),
  });
  const dispatch = new Dispatch({ commands, parts, queue, rest: client.rest, replies, log });
  onInteraction(client, (interaction) => dispatch.receive(interaction));

  queue.resume(); // needs no gateway: replies are edited by their tokens

  const stopping = new AbortController();
  const ready = login(client, config.discord.token, log, AbortSignal.any([signal, stopping.signal]));
  ready.catch(() => {}); // for who awaits it; nobody has to

  const stop = async () => {
    stopping.abort(new Error('stopping'));
    const cutOff = new Set<string>();
    const bounded = async (what: string, limitMs: number, work: Promise<unknown>) => {
      const done = work.then(() => true);
      if (!(await within(limitMs, done))) cutOff.add(what);
    };
    await bounded('first answers', FIRST_ANSWERS_MS, dispatch.close());
    usage.close();
    await line.close(GRACE_MS);
    await bounded('last edits', LAST_EDITS_MS, Promise.all([queue.close(), dispatch.corrected()]));
    // destroy() never resolves while a shard waits for READY.
    await bounded(
      'disconnecting',
      DISCONNECT_MS,
      client.destroy().catch((err: unknown) => log.warn({ err }, 'disconnecting failed')),
    );
    if (cutOff.size > 0) log.warn({ cutOff: [...cutOff] }, 'stopped before everything was done');
    await state.close();
  };
  let stopped: Promise<void> | undefined;
  return {
    ready,
    shutOut: shutOut(client),
    paid: () => queue.settled(),
    stop: () => {
      stopped ??= stop();
      return stopped;
    },
  };
}
