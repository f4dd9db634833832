import { describe, expect, it } from 'vitest';
import type { CommandUse, Services } from '../../commands/command.ts';
import usage from '../../commands/usage.ts';
import { startServices, typed } from './commands.ts';

async function run(services: Services, more: Partial<CommandUse> = {}) {
  const response = await usage.ask(typed({}, more), services);
  const [embed = {}] = response.message.embeds ?? [];
  return { response, embed, names: embed.fields?.map(({ name }) => name) };
}

describe('/usage', () => {
  it('shows a new report in private', async () => {
    const { services, cardService } = await startServices();
    const { response, embed, names } = await run(services);
    expect(response).toMatchObject({ isPrivate: true, source: 'service' });
    expect(response).not.toHaveProperty('correction');
    expect(embed.description).toBe('Working normally.');
    expect(names).toContain('Plan');
    expect(cardService.requests).toHaveLength(1);
  });

  it('shows the last report for a minute, without a request', async () => {
    const { services, cardService } = await startServices();
    await run(services);
    expect((await run(services)).names).toContain('Plan');
    expect(cardService.requests).toHaveLength(1);
  });

  it('shows a report that is slow as a correction', async () => {
    const { services, cardService } = await startServices();
    cardService.set({ latencyMs: 100 });
    const { response, embed } = await run(services, { receivedAtMs: Date.now() - 1_500 });
    expect(embed.description).toContain('The latest plan report is on its way.');
    expect((await response.correction)?.embeds?.[0]?.description).toBe('Working normally.');
  });

  it('names the setting that is missing for a report', async () => {
    const { services, cardService } = await startServices({}, '');
    expect((await run(services)).embed.description).toContain('The plan report needs an API key.');
    expect(cardService.requests).toEqual([]);
  });

  it('shows why there is no report', async () => {
    const { services, cardService } = await startServices();
    cardService.script({ path: '/v1/usage', status: 500 });
    expect((await run(services)).embed.description).toMatch(
      /The card service didn't answer when I asked for the plan report <t:\d+:R>\./,
    );
  });

  it('shows who caused most requests only to members who manage the server', async () => {
    const { services } = await startServices();
    await run(services);
    expect((await run(services, { manageGuild: true })).names).toContain('Most requests today');
    expect((await run(services)).names).not.toContain('Most requests today');
  });
});
