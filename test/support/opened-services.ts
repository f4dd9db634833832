import { EmbeddedCardService } from '../../sandbox/service/service.ts';
import { openServices } from '../../src/app.ts';
import { readConfig } from '../../src/config/config.ts';
import { createLog } from '../../src/log.ts';
import { Events } from '../../src/model/events.ts';
import { logLines } from './log-lines.ts';
import { onFinished } from './on-finished.ts';
import { temporaryFolder } from './temporary-folder.ts';

/**
 * What app.ts gives to commands, and the state below it, over the embedded card service. They close with the test.
 *
 * @param fetch asked in place of that service; then nothing is logged
 */
export async function openedServices(env: Record<string, string> = {}, fetch?: typeof globalThis.fetch) {
  const cardService = new EmbeddedCardService();
  const { log, lines } = fetch ? { log: createLog({ level: 'silent', secrets: [] }), lines: [] } : logLines();
  const usual = { DISCORD_TOKEN: 'none', CARD_SERVICE_URL: 'http://cards.test', DATA_DIR: temporaryFolder() };
  const config = readConfig({ ...usual, ...env });
  const events = new Events();
  const { services, state } = await openServices(config, log, { fetch: fetch ?? cardService.fetch, events });
  let isOpen = true;
  async function close(): Promise<void> {
    if (!isOpen) return;
    isOpen = false;
    services.usage.close();
    services.memberData.close();
    await services.lookupQueue.close(0);
    await state.close();
  }
  onFinished(close);
  return { services, state, events, config, cardService, log, lines, close };
}
