import type { APIEmbed } from 'discord-api-types/v10';
import { SANDBOX_API_KEY } from '../../src/sandbox/embedded-card-service.ts';
import { Contender, type ContenderOptions } from './contender.ts';

/** The bot as `npm start` runs it. */
export function ourBot(
  dataDir: string,
  serviceUrl: string,
  env: Record<string, string> = {},
  how: Pick<ContenderOptions, 'shard' | 'countsCpu'> = {},
): Promise<Contender> {
  return Contender.start({
    ...how,
    script: 'src/main.ts',
    logDir: dataDir,
    env: { CARD_SERVICE_URL: serviceUrl, CARD_SERVICE_API_KEY: SANDBOX_API_KEY, DATA_DIR: dataDir, ...env },
  });
}

/** A discord.js bot that answers every command with this embed, as a chat showed it. */
export function constantBot(logDir: string, shown: APIEmbed | undefined): Promise<Contender> {
  const image = shown?.image && { url: shown.image.url }; // without the `proxy_url` that Discord adds
  const embed: APIEmbed = { ...shown, ...(image && { image }) };
  return Contender.start({ script: 'test/bench/constant-bot.ts', logDir, env: { EMBED: JSON.stringify(embed) } });
}
