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

  it('receives a command in direct messages without guild and member', async () => {
    const discord = await emulated();
    const seen = Promise.withResolvers<ChatInputCommandInteraction>();
    await botOn(discord, async (interaction) => {
      seen.resolve(interaction);
      await interaction.reply({ content: 'only you', flags: MessageFlags.Ephemeral });
    });

    const typed = discord.type({ ...CARD_COMMAND, guildId: null, manageGuild: true });

    expect(await seen.promise).toMatchObject({ guildId: null, member: null, context: 1, memberPermissions: null });
    expect(await typed.settled()).toMatchObject({ ephemeral: true, guildId: null });
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

  it('receives the message with `withResponse`', async () => {
    const discord = await emulated();
    const { failures } = await botOn(discord, async (interaction) => {
      const response = await interaction.reply({ content: 'here', withResponse: true });
      expect(response.resource?.message?.content).toBe('here');
      expect(response.interaction.responseMessageId).toBe(response.resource?.message?.id);
    });

    await discord.type(CARD_COMMAND).settled();

    expect(failures).toEqual([]);
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

  it('sends a file as multipart, which is a message by itself', async () => {
    const discord = await emulated();
    const { failures } = await botOn(discord, (interaction) =>
      interaction.reply({ files: [{ attachment: Buffer.from('hello'), name: 'hello.txt' }] }),
    );

    expect(await discord.type(CARD_COMMAND).settled()).toMatchObject({ state: 'answered' });
    expect(failures).toEqual([]);
  });
});

describe('Discord refuses', () => {
  it('an answer after the time limit with 10062', async () => {
    const discord = await emulated({ lifetimes: { ackMs: 20, tokenMs: 900_000 } });
    const late = Promise.withResolvers<void>();
    const { firstFailure } = await botOn(discord, async (interaction) => {
      await late.promise;
      await interaction.reply('too late');
    });

    expect(await discord.type(CARD_COMMAND).settled()).toMatchObject({
      state: 'failed',
      failure: 'The application did not respond',
    });
    late.resolve();

    expect(await firstFailure).toMatchObject({ code: 10_062, status: 404 });
  });

  it('the second of two answers with 40060, and keeps the first', async () => {
    const discord = await emulated();
    const answerTwice: Answer = async (interaction) => {
      const again = Object.create(interaction, { replied: { value: false }, deferred: { value: false } });
      await interaction.reply('first');
      await again.reply('second');
    };
    const { firstFailure } = await botOn(discord, answerTwice);

    const typed = discord.type(CARD_COMMAND);

    expect(await firstFailure).toMatchObject({ code: 40_060, status: 400 });
    expect(typed.message.content).toBe('first');
  });

  it('an edit before the first answer with 10015', async () => {
    const discord = await emulated();
    const { firstFailure } = await botOn(discord, (interaction) => interaction.webhook.editMessage('@original', 'x'));

    discord.type(CARD_COMMAND);

    expect(await firstFailure).toMatchObject({ code: 10_015, status: 404 });
  });

  it('an edit after the token expired with 50027', async () => {
    const discord = await emulated({ lifetimes: { ackMs: 3_000, tokenMs: 400 } });
    const dead = Promise.withResolvers<void>();
    const { firstFailure } = await botOn(discord, async (interaction) => {
      await interaction.deferReply();
      await dead.promise;
      await interaction.editReply('too late');
    });

    const typed = discord.type(CARD_COMMAND);
    await typed.until(({ state }) => state === 'failed');
    dead.resolve();

    expect(typed.history.map(({ state }) => state)).toEqual(['sent', 'thinking', 'failed']);
    expect(await firstFailure).toMatchObject({ code: 50_027, status: 401 });
  });

  it('an over-long embed with 50035 and the path of every error, and then accepts a valid one', async () => {
    const discord = await emulated();
    const { firstFailure } = await botOn(discord, async (interaction) => {
      await interaction
        .reply({ embeds: [{ title: 'x'.repeat(257), fields: [{ name: 'n', value: 'y'.repeat(1_025) }] }] })
        .catch(async (error: unknown) => {
          await interaction.reply('short');
          throw error;
        });
    });

    const typed = discord.type(CARD_COMMAND);

    const failure = await firstFailure;
    expect(failure).toMatchObject({ code: 50_035, status: 400 });
    expect(String(failure)).toContain('data.embeds[0].title[BASE_TYPE_MAX_LENGTH]: Must be 256 or fewer in length.');
    expect(String(failure)).toContain('data.embeds[0].fields[0].value[BASE_TYPE_MAX_LENGTH]');
    expect(typed.message.content).toBe('short');
  });

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

  it('a wrong token at login', async () => {
    const discord = await emulated();
    const other = { ...discord, botToken: 'MTE.wrong.token' };

    await expect(startBot(other, async () => {})).rejects.toThrow(/invalid token/i);
  });
});

describe('the gateway', () => {
  it.each([
    ['is closed with 4000', (discord: EmulatedDiscord) => discord.gateway.drop()],
    ['breaks', (discord: EmulatedDiscord) => discord.gateway.drop(1_006)],
    ['asks to reconnect', (discord: EmulatedDiscord) => discord.gateway.requestReconnect()],
  ])('resumes when it %s, and the command typed meanwhile arrives once', async (_how, interrupt) => {
    const discord = await emulated();
    const ids: string[] = [];
    const { client } = await botOn(discord, async (interaction) => {
      ids.push(interaction.id);
      await interaction.reply('here');
    });
    await discord.type(CARD_COMMAND).settled();

    const resumed = new Promise((resolve) => client.once(Events.ShardResume, resolve));
    interrupt(discord);
    const typed = discord.type(CARD_COMMAND);

    expect(await typed.settled()).toMatchObject({ state: 'answered' });
    await resumed;
    const after = discord.type(CARD_COMMAND);
    await after.settled();
    expect(ids.slice(1)).toEqual([typed.id, after.id]);
    expect(discord.gateway).toMatchObject({ identifies: 1, resumes: 1, sessions: 1 });
  });

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

  it('keeps the id of a command that is registered again, and its version when nothing changed', async () => {
    const discord = await emulated();
    const { client } = await botOn(discord, async () => {});
    const before = discord.commandsFor({ guildId: null })[0];

    await application(client).commands.set([{ name: 'card', description: 'Changed' }]);
    const changed = discord.commandsFor({ guildId: null })[0];
    await application(client).commands.set([{ name: 'card', description: 'Changed' }]);
    const same = discord.commandsFor({ guildId: null })[0];

    expect(changed?.id).toBe(before?.id);
    expect(changed?.version).not.toBe(before?.version);
    expect(same).toEqual(changed);
  });

  it('refuses a guild that the bot is not in with 50001', async () => {
    const discord = await emulated();
    const { client } = await botOn(discord, async () => {});

    await expect(application(client).commands.set([], '1180000000000000999')).rejects.toMatchObject({
      code: 50_001,
      status: 403,
    });
  });
});
