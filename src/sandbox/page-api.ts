import { ApplicationCommandType } from 'discord-api-types/v10';
import type { z } from 'zod';
import type { PageSources } from './page-events.ts';
import {
  ChangeSwitches,
  ChooseBot,
  CompleteOption,
  CutOffRedis,
  Nothing,
  PressStep,
  StartStorm,
  SubmitForm,
  TypeCommand,
  UseComponent,
  WritePost,
} from './page-protocol.ts';
import { shownCommands } from './shown-commands.ts';

export interface ApiAnswer {
  status: number;
  body: unknown;
}

type Route = (json: unknown) => ApiAnswer | Promise<ApiAnswer>;

/** The routes of the page, by path. Every refusal is one sentence in `error`. */
export class PageApi {
  readonly #discord: PageSources['discord'];
  readonly #posts: ReadonlyMap<string, Route>;

  constructor({ discord, cardService, story }: Pick<PageSources, 'discord' | 'cardService' | 'story'>) {
    this.#discord = discord;
    this.#posts = new Map([
      [
        '/api/commands',
        route(TypeCommand, ({ target, ...typed }) => ({
          id: discord.type({ ...typed, ...(target && { target }) }).id,
        })),
      ],
      ['/api/choices', route(CompleteOption, (typed) => discord.complete(typed))],
      ['/api/components', route(UseComponent, ({ values, ...used }) => ({ id: use(discord, used, values).id }))],
      ['/api/forms', route(SubmitForm, (form) => ({ id: discord.submit(form).id }))],
      ['/api/posts', route(WritePost, (post) => void discord.post(post))],
      ['/api/gateway/drop', route(Nothing, () => discord.gateway.drop())],
      ['/api/switches', route(ChangeSwitches, (switches) => cardService.set(defined(switches)))],
      ['/api/storm', route(StartStorm, ({ durationMs }) => cardService.storm(durationMs))],
      ['/api/day/exhaust', route(Nothing, () => cardService.exhaustDay())],
      ['/api/day/refill', route(Nothing, () => cardService.refillDay())],
      ...(story ? storyRoutes(story) : []),
    ]);
  }

  accepts(path: string): boolean {
    return this.#posts.has(path);
  }

  async post(path: string, json: unknown): Promise<ApiAnswer> {
    return (await this.#posts.get(path)?.(json)) ?? { status: 404, body: { error: 'There is nothing here.' } };
  }

  answers(path: string): boolean {
    return path === '/api/commands' || path === '/api/menu';
  }

  get(path: string, query: URLSearchParams): ApiAnswer {
    const { members, guilds } = this.#discord;
    // An unknown member or place sees what the first member sees in direct messages
    const memberId = members.find(({ id }) => id === query.get('memberId'))?.id ?? members[0]?.id ?? '';
    const guildId = guilds.find(({ id }) => id === query.get('guildId'))?.id ?? null;
    const at = { memberId, guildId, manageGuild: query.get('manageGuild') === 'true' };
    if (path === '/api/commands') return { status: 200, body: shownCommands(this.#discord, at) };
    const menu = this.#discord.menuCommandsFor(at).filter(({ type }) => type === ApplicationCommandType.Message);
    return { status: 200, body: menu.map(({ name }) => name) };
  }
}

function storyRoutes({ bots, guide }: NonNullable<PageSources['story']>): [string, Route][] {
  return [
    ['/api/guide', route(PressStep, ({ step }) => guide.press(step))],
    ['/api/reset', route(Nothing, () => guide.reset())],
    ['/api/bots/start', route(ChooseBot, ({ number }) => bots.start(number))],
    ['/api/bots/kill', route(ChooseBot, ({ number }) => bots.kill(number))],
    ['/api/bots/second', route(Nothing, () => bots.addSecond())],
    ['/api/redis', route(CutOffRedis, ({ isCut }) => bots.cutOffRedis(isCut))],
  ];
}

function use(discord: PageSources['discord'], used: Omit<UseComponent, 'values'>, values: string[] | undefined) {
  return values ? discord.choose({ ...used, values }) : discord.click(used);
}

function route<Schema extends z.ZodType>(schema: Schema, run: (body: z.infer<Schema>) => unknown): Route {
  return async (json) => {
    const read = schema.safeParse(json);
    if (!read.success) return { status: 400, body: { error: firstProblem(read.error) } };
    try {
      return { status: 200, body: (await run(read.data)) ?? {} };
    } catch (error) {
      return { status: 422, body: { error: error instanceof Error ? error.message : String(error) } };
    }
  };
}

function firstProblem({ issues: [issue] }: z.ZodError): string {
  if (issue === undefined) return 'The body does not fit.';
  const where = issue.path.join('.');
  return where === '' ? `${issue.message}.` : `${where}: ${issue.message}.`;
}

/** Removes `undefined` values, because only omitted switches are unchanged. */
function defined(switches: ChangeSwitches): Parameters<PageSources['cardService']['set']>[0] {
  return Object.fromEntries(Object.entries(switches).filter(([, value]) => value !== undefined));
}
