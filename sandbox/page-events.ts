import type { ServerResponse } from 'node:http';
import type { Bot } from './bot.ts';
import type { EmbeddedCardService } from './card-service.ts';
import type { EmulatedDiscord } from './discord/emulated-discord.ts';
import type { Guide } from './guide.ts';
import type { Snapshot } from './page-protocol.ts';
import type { RequestReasons } from './request-reasons.ts';

/** What the page shows and controls. */
export interface PageSources {
  discord: EmulatedDiscord;
  cardService: EmbeddedCardService;
  /** What runs and tells the story; absent when the bot is somebody else's. */
  story?: { bot: Bot; guide: Guide; reasons: RequestReasons } | undefined;
}

const SHOWN_MESSAGES = 100;
const SHOWN_REQUESTS = 50;
/** Changes within this time share one event, so that a burst of commands does not cause a flood of snapshots. */
const GATHER_MS = 30;
/** For changes without an event: the bucket refills, gateway sessions start and end. */
const LOOK_AGAIN_MS = 1_000;

/** Server-Sent Events: every open page receives a complete snapshot after each change. */
export class PageEvents {
  readonly #sources: PageSources;
  readonly #streams = new Set<ServerResponse>();
  readonly #endSubscriptions: (() => void)[];
  readonly #lookAgain: NodeJS.Timeout;
  #gathering: NodeJS.Timeout | undefined;
  #lastSent = '';

  constructor(sources: PageSources) {
    this.#sources = sources;
    const changed = () => this.#changed();
    const { discord, cardService, story } = sources;
    const ofStory = story ? [story.bot.onChange, story.guide.onChange] : [];
    const subscriptions = [discord.onMessage, discord.onPost, cardService.onChange, ...ofStory];
    this.#endSubscriptions = subscriptions.map((subscribe) => subscribe(changed));
    this.#lookAgain = setInterval(changed, LOOK_AGAIN_MS).unref();
  }

  open(response: ServerResponse): void {
    response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' });
    response.write(asEvent(JSON.stringify(this.snapshot())));
    this.#streams.add(response);
    response.on('close', () => this.#streams.delete(response));
  }

  close(): void {
    for (const end of this.#endSubscriptions) end();
    clearInterval(this.#lookAgain);
    clearTimeout(this.#gathering);
    for (const stream of this.#streams) stream.end();
  }

  snapshot(): Snapshot {
    const { discord, cardService, story } = this.#sources;
    return {
      guilds: discord.guilds,
      foreignGuilds: discord.foreignGuilds,
      members: discord.members,
      messages: discord.messages().slice(-SHOWN_MESSAGES),
      posts: discord.posts(),
      service: cardService.state(),
      requests: cardService.requests
        .slice(-SHOWN_REQUESTS)
        .map((request) => ({ ...request, reason: story?.reasons.of(request) })),
      requestCount: cardService.counts.total,
      gatewaySessions: discord.gateway.sessions,
      bot: story?.bot.shown,
      guide: story?.guide.shown,
    };
  }

  #changed(): void {
    if (this.#streams.size === 0) return;
    this.#gathering ??= setTimeout(() => {
      this.#gathering = undefined;
      this.#send();
    }, GATHER_MS).unref();
  }

  #send(): void {
    const json = JSON.stringify(this.snapshot());
    if (json === this.#lastSent) return;
    this.#lastSent = json;
    // A page that does not keep up skips snapshots, because each is complete
    for (const stream of this.#streams) if (!stream.writableNeedDrain) stream.write(asEvent(json));
  }
}

function asEvent(json: string): string {
  return `data: ${json}\n\n`;
}
