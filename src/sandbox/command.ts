import { once } from 'node:events';
import { Command, InvalidArgumentError, Option } from 'commander';
import { createLog, standardOutput } from '../log.ts';
import { PLAN_LIMITS } from '../model/plan.ts';
import { stopSignal } from '../stop-signal.ts';
import { startPageServer } from './page-server.ts';
import { SAMPLE_CATALOG } from './sample-cards.ts';
import { startSandbox } from './sandbox.ts';

type SandboxPlan = keyof typeof PLAN_LIMITS;

const { port, plan } = new Command('npm run sandbox --')
  .description('Runs the whole bot on this machine, with an emulated Discord and card service, and a page to type in.')
  .option('--port <number>', 'port of the page; the next free one if it is taken', portNumber, 4000)
  .addOption(new Option('--plan <name>', 'plan of the card service').choices(Object.keys(PLAN_LIMITS)).default('free'))
  .parse()
  .opts<{ port: number; plan: SandboxPlan }>();

const signal = stopSignal();
const log = createLog({ level: 'info', secrets: [], destination: await standardOutput() });
// Shown here, although most services have no such path.
const env = { CARD_SERVICE_BULK_PATH: '/cards?ids={ids}' };
const sandbox = await startSandbox({ log, service: { plan }, catalog: SAMPLE_CATALOG, env });
const { discord, cardService } = sandbox;
// Before the bot starts, because its log is long and does not mention the page
const page = await startPageServer({ port, discord, cardService }).catch(async (error: Error) => {
  await sandbox.stop();
  process.stderr.write(`The page cannot be served (${error.message}). Choose another port with --port.\n`);
  process.exit(1);
});
const moved = page.port === port || port === 0 ? '' : `  Port ${port} is taken, so the page is at ${page.port}.\n`;
await sandbox.startBot();
process.stdout.write(`\n${moved}  Open ${page.url} and type /card\n\n`);

if (!signal.aborted) await once(signal, 'abort');
await page.close();
await sandbox.stop();
process.exit(0);

function portNumber(text: string): number {
  const number = Number(text);
  if (Number.isInteger(number) && number >= 0 && number <= 65_535) return number;
  throw new InvalidArgumentError('A port is a whole number from 0 to 65535.');
}
