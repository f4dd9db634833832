import { z } from 'zod';

const DISCORD_API_URL = 'https://discord.com/api';

/** What the registration CLI needs. Nothing of the card service. */
export interface CliConfig {
  discordToken: string;
  /** Without trailing slash and version. */
  discordApiUrl: string;
}

const Env = z.object({
  DISCORD_TOKEN: z
    .string('is not set. Write the bot token: Discord Developer Portal, your application, Bot, Reset Token.')
    .regex(
      /^[\x21-\x7e]+$/,
      'is not a token. Write the bot token alone, without "Bot" before it and without spaces or quotes.',
    ),
  DISCORD_API_URL: z
    .string()
    .refine(isApiAddress, `must be an http(s) address without version, query or password, such as ${DISCORD_API_URL}.`)
    .transform((address) => address.replace(/\/+$/, ''))
    .default(DISCORD_API_URL),
});

/**
 * Reads the CLI's environment; an empty variable counts as not set.
 *
 * @throws Error whose message names every variable that is wrong and what to write instead, and shows no value.
 */
export function readCliConfig(env: Record<string, string | undefined>): CliConfig {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value?.trim()));
  const read = Env.safeParse(given);
  if (!read.success) {
    throw new Error(read.error.issues.map((issue) => `${issue.path.join('.')} ${issue.message}`).join('\n'));
  }
  return { discordToken: read.data.DISCORD_TOKEN, discordApiUrl: read.data.DISCORD_API_URL };
}

function isApiAddress(address: string): boolean {
  if (!URL.canParse(address)) return false;
  const { protocol, username, password, search, hash, pathname } = new URL(address);
  const plain = !(username || password || search || hash);
  return /^https?:$/.test(protocol) && plain && !/\/v\d+\/*$/.test(pathname);
}
