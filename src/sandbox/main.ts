import { Command, InvalidArgumentError, Option } from 'commander';
import { createLog } from '../log.ts';
import { PLAN_LIMITS } from '../plans.ts';
import { startPageServer } from './page-server.ts';
import { startSandbox } from './sandbox.ts';

type SandboxPlan = keyof typeof PLAN_LIMITS;

const { port, plan } = new Command('npm run sandbox --')
  .description('Runs the whole bot on this machine, with an emulated Discord and card service, and a page to type in.')
  .option('--port <number>', 'where the page is', portNumber, 4000)
  .addOption(new Option('--plan <name>', 'plan of the card service').choices(Object.keys(PLAN_LIMITS)).default('free'))
  .parse()
  .opts<{ port: number; plan: SandboxPlan }>();

const log = createLog({ level: 'info', secrets: [] });
const sandbox = await startSandbox({ log, service: { plan } });
await sandbox.startBot();
const page = await startPageServer({
  port,
  discord: sandbox.discord,
  cardService: sandbox.cardService,
}).catch(async (error: NodeJS.ErrnoException) => {
  await sandbox.stop();
  const reason = error.code === 'EADDRINUSE' ? `Port ${port} is taken: choose another with --port.` : error.message;
  process.stderr.write(`${reason}\n`);
  process.exit(1);
});
process.stdout.write(`\n  Open ${page.url} and type /card\n\n`);

for (const name of ['SIGTERM', 'SIGINT'] as const) {
  process.once(name, async () => {
    process.once(name, () => process.exit(1));
    await page.close();
    await sandbox.stop();
    process.exit(0);
  });
}

function portNumber(text: string): number {
  const number = Number(text);
  if (Number.isInteger(number) && number >= 0 && number <= 65_535) return number;
  throw new InvalidArgumentError('A port is a whole number from 0 to 65535.');
}
