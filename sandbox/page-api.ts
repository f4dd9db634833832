import type { ServerResponse } from 'node:http';
import type { z } from 'zod';
import type { CardServiceSwitches } from './card-service-controls.ts';
import type { Whereabouts } from './discord/chat.ts';
import type { CommandOption } from './discord/command-option-rules.ts';
import type { EmulatedDiscord } from './discord/emulated-discord.ts';
import { sendJson } from './json-body.ts';
import type { PageSources } from './page-events.ts';
import {
  ChangeSwitches,
  CompleteOption,
  Nothing,
  PressStep,
  type ShownCommands,
  StartStorm,
  SubmitForm,
  TypeCommand,
  UseComponent,
  WritePost,
} from './page-protocol.ts';

/** What a route is asked with: of a POST its body, of a GET its query. */
export interface Asked {
  json: unknown;
  query: URLSearchParams;
  response: ServerResponse;
}

export type Route = (asked: Asked) => unknown;

/** The routes of the page, by method and path. Every refusal is one sentence in `error`. */
export function apiRoutes({ discord, cardService, story }: PageSources): [string, Route][] {
  return [
    ['GET /api/commands', ({ query, response }) => sendJson(response, 200, commandsOf(discord, query))],
    post('/api/commands', TypeCommand, (typed) => ({ id: discord.type(typed).id })),
    post('/api/choices', CompleteOption, (typed) => discord.complete(typed)),
    post('/api/components', UseComponent, ({ values, ...used }) => ({
      id: (values ? discord.choose({ ...used, values }) : discord.click(used)).id,
    })),
    post('/api/forms', SubmitForm, (form) => ({ id: discord.submit(form).id })),
    post('/api/posts', WritePost, (written) => void discord.post(written)),
    post('/api/gateway/drop', Nothing, () => discord.gateway.drop()),
    post('/api/switches', ChangeSwitches, (switches) => cardService.set(switches as Partial<CardServiceSwitches>)),
    post('/api/storm', StartStorm, ({ durationMs }) => cardService.storm(durationMs)),
    post('/api/day/exhaust', Nothing, () => cardService.exhaustDay()),
    post('/api/day/refill', Nothing, () => cardService.refillDay()),
    ...(story ? storyRoutes(story) : []),
  ];
}

function storyRoutes({ bot, guide }: NonNullable<PageSources['story']>): [string, Route][] {
  return [
    post('/api/guide', PressStep, ({ step }) => guide.press(step)),
    post('/api/reset', Nothing, () => guide.reset()),
    post('/api/bot/start', Nothing, () => bot.start()),
    post('/api/bot/kill', Nothing, () => bot.end('SIGKILL')),
  ];
}

/** An unknown member or place sees what the first member sees in direct messages. */
function at(query: URLSearchParams, { members, guilds, foreignGuilds }: EmulatedDiscord): Whereabouts {
  const memberId = members.find(({ id }) => id === query.get('memberId'))?.id ?? members[0]?.id ?? '';
  const guildId = [...guilds, ...foreignGuilds].find(({ id }) => id === query.get('guildId'))?.id ?? null;
  const context = query.get('context') === '2' ? 2 : guildId === null ? 1 : 0;
  return { memberId, guildId, context, manageGuild: query.get('manageGuild') === 'true' };
}

function commandsOf(discord: EmulatedDiscord, query: URLSearchParams): ShownCommands {
  const there = at(query, discord);
  return {
    commands: discord.commandsFor(there).map(({ name, description, options = [] }) => {
      return { name, description, options: options as CommandOption[] };
    }),
    menu: discord.menuCommandsFor(there).map(({ name }) => name),
  };
}

function post<Body>(path: string, schema: z.ZodType<Body>, run: (body: Body) => unknown): [string, Route] {
  const route: Route = async ({ json, response }) => {
    const read = schema.safeParse(json);
    if (!read.success) return sendJson(response, 400, { error: firstProblem(read.error) });
    try {
      sendJson(response, 200, (await run(read.data)) ?? {});
    } catch (error) {
      sendJson(response, 422, { error: error instanceof Error ? error.message : String(error) });
    }
  };
  return [`POST ${path}`, route];
}

function firstProblem({ issues: [issue] }: z.ZodError): string {
  if (issue === undefined) return 'The body does not fit.';
  const where = issue.path.join('.');
  return where === '' ? `${issue.message}.` : `${where}: ${issue.message}.`;
}
