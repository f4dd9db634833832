import type { z } from 'zod';
import { ChangeSwitches, Nothing, StartStorm, TypeCommand } from './page-protocol.ts';
import type { PageSources } from './page-sources.ts';
import { shownCommands } from './shown-commands.ts';

export interface ApiAnswer {
  status: number;
  body: unknown;
}

type Route = (json: unknown) => ApiAnswer | Promise<ApiAnswer>;

/** What the page may ask for, by path. Every refusal is one sentence in `error`. */
export class PageApi {
  readonly #discord: PageSources['discord'];
  readonly #posts: ReadonlyMap<string, Route>;

  constructor({ discord, cardService }: Pick<PageSources, 'discord' | 'cardService'>) {
    this.#discord = discord;
    this.#posts = new Map([
      ['/api/commands', route(TypeCommand, (typed) => ({ id: discord.type(typed).id }))],
      ['/api/gateway/drop', route(Nothing, () => discord.gateway.drop())],
      ['/api/switches', route(ChangeSwitches, (switches) => cardService.set(defined(switches)))],
      ['/api/storm', route(StartStorm, ({ durationMs }) => cardService.storm(durationMs))],
      ['/api/day/exhaust', route(Nothing, () => cardService.exhaustDay())],
      ['/api/day/refill', route(Nothing, () => cardService.refillDay())],
    ]);
  }

  accepts(path: string): boolean {
    return this.#posts.has(path);
  }

  async post(path: string, json: unknown): Promise<ApiAnswer> {
    return (await this.#posts.get(path)?.(json)) ?? { status: 404, body: { error: 'There is nothing here.' } };
  }

  commands(query: URLSearchParams): ApiAnswer {
    const viewer = { guildId: query.get('guildId'), manageGuild: query.get('manageGuild') === 'true' };
    return { status: 200, body: shownCommands(this.#discord.commandsFor(viewer)) };
  }
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

/** A switch that is not named stays as it is, which `undefined` would not say. */
function defined(switches: ChangeSwitches): Parameters<PageSources['cardService']['set']>[0] {
  const { plan, latencyMs, down, downRetryAfterSeconds, oddFigures, windowLimit } = switches;
  const { resetEvery, firewall, keyRevoked } = switches;
  return {
    ...(plan === undefined ? {} : { plan }),
    ...(latencyMs === undefined ? {} : { latencyMs }),
    ...(down === undefined ? {} : { down }),
    ...(downRetryAfterSeconds === undefined ? {} : { downRetryAfterSeconds }),
    ...(oddFigures === undefined ? {} : { oddFigures }),
    ...(windowLimit === undefined ? {} : { windowLimit }),
    ...(resetEvery === undefined ? {} : { resetEvery }),
    ...(firewall === undefined ? {} : { firewall }),
    ...(keyRevoked === undefined ? {} : { keyRevoked }),
  };
}
