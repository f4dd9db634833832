import { type ChatInputCommandInteraction, type Client, Events, GatewayIntentBits, MessageFlags } from 'discord.js';
import { afterEach, describe, expect, it } from 'vitest';

import {
  type EmulatedDiscord,
  type EmulatedDiscordOptions,
  startEmulatedDiscord,
} from '../../../src/sandbox/discord/emulated-discord.ts';
import { startBot } from './bot.ts';

type Answer = (interaction: ChatInputCommandInteraction) => Promise<unknown>;

const stops: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

async function emulated(options?: EmulatedDiscordOptions): Promise<EmulatedDiscord> {
  const discord = await startEmulatedDiscord(options);
  stops.push(() => discord.close());
  return discord;
}

async function botOn(discord: EmulatedDiscord, answer: Answer, options?: Parameters<typeof startBot>[2]) {
  const bot = await startBot(discord, answer, options);
  stops.push(bot.stop);
  return bot;
}

const CARD_COMMAND = { command: 'card', options: { id: 'base1-4' } };

describe('an unmodified discord.js client', () => {
  it('receives a typed command with its options, member and place', async () => {
    const discord = await emulated();
    const seen = Promise.withResolvers<ChatInputCommandInteraction>();
    await botOn(discord, async (interaction) => {
      seen.resolve(interaction);
      await interaction.reply('here');
    });

    const [, german] = discord.members;
    const [, guild] = discord.guilds;
    const typed = discord.type({
      command: 'card',
      options: { id: 'base1-4', prices: false },
      memberId: german?.id ?? '',
      guildId: guild?.id ?? '',
      manageGuild: true,
    });
    const interaction = await seen.promise;

    expect(interaction.options.getString('id')).toBe('base1-4');
    expect(interaction.options.getBoolean('prices')).toBe(false);
    expect(interaction).toMatchObject({ id: typed.id, locale: 'de', guildId: guild?.id, context: 0 });
    expect(interaction.user.id).toBe(german?.id);
    expect(interaction.memberPermissions?.has('ManageGuild')).toBe(true);
    expect(await typed.settled()).toMatchObject({ state: 'answered', content: 'here', ephemeral: false });
  });

  it('defers, edits, edits again and reads its reply', async () => {
    const discord = await emulated();
    const { failures } = await botOn(discord, async (interaction) => {
      await interaction.deferReply({ flags: MessageFlags.Ephemeral });
      await interaction.editReply('Your turn comes soon');
      await interaction.editReply({
        content: null,
        embeds: [{ title: 'Ember Drake', image: { url: 'https://x.test/a.png' } }],
      });
      const read = await interaction.fetchReply();
      expect(read.embeds[0]?.title).toBe('Ember Drake');
      await interaction.deleteReply();
    });

    const typed = discord.type(CARD_COMMAND);
    await typed.until(({ deleted }) => deleted === true);

    expect(failures).toEqual([]);
    expect(typed.history.map(({ state, edited, content, embeds }) => [state, edited, content, embeds.length])).toEqual([
      ['sent', false, '', 0],
      ['thinking', false, '', 0],
      ['answered', false, 'Your turn comes soon', 0],
      ['answered', true, '', 1],
      ['answered', true, '', 0],
    ]);
    expect(typed.history.slice(1).every(({ ephemeral }) => ephemeral)).toBe(true);
    expect(typed.history[3]?.embeds[0]?.image?.proxy_url).toBe(
      `${discord.origin}/external/${encodeURIComponent('https://x.test/a.png')}`,
    );
  });

  it('completes the deferred message with its first follow-up and shows the next one below', async () => {
    const discord = await emulated();
    await botOn(discord, async (interaction) => {
      await interaction.deferReply();
      await interaction.followUp('first');
      await interaction.followUp({ content: 'second', flags: MessageFlags.Ephemeral });
    });

    const message = await discord.type(CARD_COMMAND).until(({ followUps }) => followUps?.length === 1);

    expect(message).toMatchObject({ content: 'first', ephemeral: false });
    expect(message.followUps).toMatchObject([{ content: 'second', ephemeral: true }]);
  });
});

describe('Discord refuses', () => {
  it('an edit that leaves an empty message with 50006', async () => {
    const discord = await emulated();
    const { firstFailure } = await botOn(discord, async (interaction) => {
      await interaction.reply('something');
      await interaction.editReply({ content: '' });
    });

    const typed = discord.type(CARD_COMMAND);

    expect(await firstFailure).toMatchObject({ code: 50_006 });
    expect(typed.message.content).toBe('something');
  });

  it('an edit of a deleted reply with 10008', async () => {
    const discord = await emulated();
    const { firstFailure } = await botOn(discord, async (interaction) => {
      await interaction.reply('gone soon');
      await interaction.deleteReply();
      await interaction.webhook.editMessage('@original', 'x');
    });

    discord.type(CARD_COMMAND);

    expect(await firstFailure).toMatchObject({ code: 10_008 });
  });
});

describe('the gateway', () => {
  it('sends a guild to the shard it belongs to, and direct messages to shard 0', async () => {
    const discord = await emulated();
    const places = [...discord.guilds.map(({ id }) => id), null];
    const { client } = await botOn(discord, (interaction) => interaction.reply('here'), { shards: 2 });
    const shards = new Map<string | null, number>();
    client.on(Events.Raw, ({ t, d }: { t: string; d: { guild_id?: string } }, shard: number) => {
      if (t === 'INTERACTION_CREATE') shards.set(d.guild_id ?? null, shard);
    });

    for (const guildId of places) await discord.type({ ...CARD_COMMAND, guildId }).settled();

    expect(discord.gateway).toMatchObject({ identifies: 2, sessions: 2 });
    expect(places.map((guildId) => shards.get(guildId))).toEqual([0, 1, 0]);
  });

  it('sends a command to every process with the same shard; the slower one is refused with 40060', async () => {
    const discord = await emulated();
    const answer: Answer = (interaction) => interaction.reply('here');
    const first = await botOn(discord, answer);
    const second = await botOn(discord, answer);

    discord.type(CARD_COMMAND);

    expect(await Promise.race([first.firstFailure, second.firstFailure])).toMatchObject({ code: 40_060 });
  });

  it('describes the guilds to a bot with the intent for them', async () => {
    const discord = await emulated();
    const { client } = await botOn(discord, async () => {}, { intents: GatewayIntentBits.Guilds });

    expect(client.guilds.cache.map(({ name }) => name)).toEqual(discord.guilds.map(({ name }) => name));
  });

  it('refuses commands once the bot has closed its session', async () => {
    const discord = await emulated();
    const { client } = await botOn(discord, async () => {});
    await client.destroy();
    await expect.poll(() => discord.gateway.sessions).toBe(0);

    expect(() => discord.type(CARD_COMMAND)).toThrow('No bot is connected');
  });
});

describe('registration through discord.js', () => {
  const application = (client: Client) => {
    if (!client.application) throw new Error('not ready');
    return client.application;
  };

  it('refuses a guild that the bot is not in with 50001', async () => {
    const discord = await emulated();
    const { client } = await botOn(discord, async () => {});

    await expect(application(client).commands.set([], '1180000000000000999')).rejects.toMatchObject({
      code: 50_001,
      status: 403,
    });
  });
});
