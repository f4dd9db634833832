import { EmbeddedCardService } from '../../sandbox/service/service.ts';
import { openServices } from '../../src/app.ts';
import { readConfig } from '../../src/config/config.ts';
import { logLines } from './log-lines.ts';
import { onFinished } from './on-finished.ts';
import { temporaryFolder } from './temporary-folder.ts';

/** What app.ts gives to commands, and the state below it, over the embedded card service. They close with the test. */
export async function openedServices(env: Record<string, string> = {}) {
  const cardService = new EmbeddedCardService();
  const { log, lines } = logLines();
  const usual = { DISCORD_TOKEN: 'none', CARD_SERVICE_URL: 'http://cards.test', DATA_DIR: temporaryFolder() };
  const config = readConfig({ ...usual, ...env });
  const { services, state } = await openServices(config, log, { fetch: cardService.fetch });
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
  return { services, state, cardService, lines, close };
}
