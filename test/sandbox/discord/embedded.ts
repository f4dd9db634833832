import { type EmulatedDiscordOptions, startEmulatedDiscord } from '../../../sandbox/discord/emulated-discord.ts';
import { onFinished } from '../../support/on-finished.ts';

interface ToldInteraction {
  id: string;
  token: string;
  data: { options?: object[] };
  context: number;
  authorizing_integration_owners: object;
  app_permissions: string;
  guild_locale?: string;
}

export const row = (...components: object[]) => ({ type: 1, components });
export const button = (custom_id: string, part: object = {}) => ({ type: 2, style: 1, label: 'A', custom_id, ...part });

/** An emulated Discord without sockets, where a bot is connected that only listens, and the calls that it could make. */
export async function embeddedDiscord(options: EmulatedDiscordOptions = {}) {
  const discord = await startEmulatedDiscord({ withoutServerAt: 'http://discord.test', ...options });
  onFinished(discord.close);
  const told: ToldInteraction[] = [];
  const send = (frame: string) => {
    const { t, d } = JSON.parse(frame);
    if (t === 'INTERACTION_CREATE') told.push(d);
  };
  discord.gateway.join({ send, close: () => {} });
  const headers = { authorization: `Bot ${discord.botToken}`, 'user-agent': 'node' };

  async function call(method: string, path: string, body?: object) {
    const isForm = body instanceof FormData;
    const sent = isForm ? { body, headers } : { headers: { ...headers, 'content-type': 'application/json' } };
    const init = { method, ...sent, ...(body && !isForm && { body: JSON.stringify(body) }) };
    const response = await discord.answer(new Request(`${discord.apiUrl}/v10${path}`, init));
    const text = await response.text();
    const answered = text === '' ? {} : JSON.parse(text);
    return { status: response.status, code: Number(answered.code ?? response.status), body: answered };
  }

  return {
    discord,
    /** What the bot was told, oldest first. */
    told,
    call,
    /** Registers commands, by default global ones. */
    register: (commands: readonly object[], scope = '') =>
      call('PUT', `/applications/${discord.applicationId}${scope}/commands`, commands),
    /** A call with which the bot answers what it was told last. */
    answer(step: string, body: object = { content: step }) {
      const { id, token } = told.at(-1) ?? { id: '', token: '' };
      const webhook = `/webhooks/${discord.applicationId}/${token}`;
      if (step === 'edit') return call('PATCH', `${webhook}/messages/@original`, body);
      if (step === 'delete') return call('DELETE', `${webhook}/messages/@original`);
      if (step === 'follow-up') return call('POST', webhook, body);
      const callback = step === 'defer' ? { type: 5 } : { type: 4, data: body };
      return call('POST', `/interactions/${id}/${token}/callback`, callback);
    },
  };
}
