import { rm } from 'node:fs/promises';
import { type App, startApp } from '../src/app.ts';
import { CatalogDatabase } from '../src/catalog/database.ts';
import type { CatalogCard } from '../src/catalog/text.ts';
import { type Config, readConfig } from '../src/config/config.ts';
import type { Logger } from '../src/log.ts';
import { catalogFolder } from '../src/storage/sqlite/file.ts';
import { sampleImage } from './card-images.ts';
import { type EmulatedDiscord, type EmulatedDiscordOptions, startEmulatedDiscord } from './discord/emulated-discord.ts';
import { type KnownCard, remember } from './known-cards.ts';
import { ownFolder } from './own-folder.ts';
import {
  type ListeningCardService,
  SANDBOX_API_KEY,
  type StartedCardServiceOptions,
  startCardService,
} from './service/service.ts';

/** A server without sockets. */
export interface Host {
  answer(request: Request): Promise<Response>;
  /** Of a Discord. */
  gateway?: Pick<EmulatedDiscord['gateway'], 'join'>;
}

export interface SandboxOptions {
  log: Logger;
  discord?: EmulatedDiscordOptions;
  service?: StartedCardServiceOptions;
  /** Where they answer, by their addresses, when they shall have no servers; what the bot sends has to be led there. */
  hosts?: Map<string, Host> | undefined;
  /** What the bot can search from the start, as after an import; nothing by default. */
  catalog?: readonly CatalogCard[];
  /** What it has in memory from the start; nothing by default. */
  known?: readonly KnownCard[];
  /** Variables of the bot; they override those of the sandbox, and `undefined` removes one. */
  env?: Record<string, string | undefined>;
}

export interface Sandbox {
  discord: EmulatedDiscord;
  cardService: ListeningCardService;
  /** The variables of the bot, and its configuration, which they make. */
  env: Record<string, string>;
  config: Config;
  /** Starts the bot in this process on the data of the previous one. It is connected then, and has registered itself. */
  startBot(): Promise<App>;
  /** Stops the bots, then their servers, and removes their data. */
  stop(): Promise<void>;
}

/** The last address of a server without sockets: each has a port of its own, and none is the default of HTTP. */
let embedded = 10_000;

/** An emulated Discord, a card service and a data directory for the bot, all on this machine; `process.env` is not read. */
export async function startSandbox({
  log,
  discord: discordOptions,
  service,
  hosts,
  catalog,
  known,
  env: variables = {},
}: SandboxOptions): Promise<Sandbox> {
  const [atDiscord, atService] = hosts ? [`http://127.0.0.1:${++embedded}`, `http://127.0.0.1:${++embedded}`] : [];
  const discord = await startEmulatedDiscord({ image: sampleImage, withoutServerAt: atDiscord, ...discordOptions });
  const cardService = await startCardService({ withoutServerAt: atService, ...service });
  hosts?.set(discord.origin, discord).set(cardService.url, { answer: cardService.fetch });
  const dataDir = await ownFolder('data');
  const wanted = {
    DISCORD_TOKEN: discord.botToken,
    DISCORD_API_URL: discord.apiUrl,
    CARD_SERVICE_URL: cardService.url,
    CARD_SERVICE_API_KEY: SANDBOX_API_KEY,
    DATA_DIR: dataDir,
    ...variables,
  };
  const given = Object.entries(wanted).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
  const env: Record<string, string> = Object.fromEntries(given);
  const config = readConfig(env);
  if (catalog) {
    // As `npm run catalog -- import` does
    const database = new CatalogDatabase(catalogFolder(config.dataDir, config.cardService.scope), log);
    database.beginImport('sandbox');
    database.upsert(catalog, 'sandbox');
    database.close();
  }
  if (known) await remember(config, known, log);

  const bots: App[] = [];
  return {
    discord,
    cardService,
    env,
    config,
    async startBot() {
      const bot = await startApp(config, log);
      bots.push(bot);
      await Promise.all([bot.ready, bot.registered, discord.gateway.whenReady()]);
      return bot;
    },
    async stop() {
      await Promise.all(bots.map((bot) => bot.stop()));
      await Promise.all([discord.close(), cardService.close()]);
      for (const address of [discord.origin, cardService.url]) hosts?.delete(address);
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}
