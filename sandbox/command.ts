import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import { createLog, standardOutput } from '../src/log.ts';
import { openOutput } from '../src/output.ts';
import { stopSignal } from '../src/stop-signal.ts';
import { Bot } from './bot.ts';
import { Guide } from './guide.ts';
import { KNOWN_CARDS } from './known-cards.ts';
import { freePort } from './listen.ts';
import { ownFolder, removeLeftFolders } from './own-folder.ts';
import { startPageServer } from './page/page-server.ts';
import { RequestReasons } from './request-reasons.ts';
import { SAMPLE_CARDS, SAMPLE_CATALOG } from './sample-cards.ts';
import { SAMPLE_MEMBERS } from './sample-members.ts';
import { startSandbox } from './sandbox.ts';
import type { Plan } from './service/service.ts';

const { port, plan, bot, quick } = new Command('npm run sandbox --')
  .description('Runs the whole bot on this machine, with an emulated Discord and card service, and a page to type in.')
  .option('--port <number>', 'port of the page; the next free one if it is taken', portNumber, 4000)
  .addOption(
    new Option('--plan <name>', 'plan of the card service')
      .choices(['free', 'pro', 'business'] satisfies Plan[])
      .default('free'),
  )
  .option('--no-bot', 'without the bot: prints the lines for the .env of your own')
  .addOption(new Option('--quick', 'for tests: no step of the guide waits for readers').hideHelp())
  .parse()
  .opts<{ port: number; plan: Plan; bot: boolean; quick?: boolean }>();

const signal = stopSignal();
await removeLeftFolders();
const output = await standardOutput(openOutput(1));
const log = createLog({ level: 'info', secrets: [], destination: output });
// Another bot has them in its .env, from start to start
const discordPort = bot ? 0 : await freePort(portAfter(port));
const servicePort = bot ? 0 : await freePort(portAfter(discordPort));
const sandbox = await startSandbox({
  log,
  service: { plan, port: servicePort },
  discord: { members: SAMPLE_MEMBERS, port: discordPort },
  ...(bot && { catalog: SAMPLE_CATALOG, known: KNOWN_CARDS }),
  // Lists are shown here, although most services have no such path; why a request is sent is in lines for debugging.
  env: { LOG_LEVEL: 'debug', CARD_SERVICE_BULK_PATH: '/cards?ids={ids}', PRICE_CURRENCY: 'USD' },
});
const { discord, cardService, env } = sandbox;
const folder = await ownFolder('bot');
const reasons = new RequestReasons((id) => discord.members.find((member) => member.id === id)?.name);
const ownBot = new Bot({
  env,
  pristineDir: sandbox.config.dataDir,
  dataDir: join(folder, 'data'),
  onLine(line, text) {
    reasons.read(line);
    guide.read(line);
    if (line.level !== 'debug') output.write(`${text}\n`);
  },
});
const guide = new Guide({
  discord,
  cardService,
  bot: ownBot,
  cards: SAMPLE_CARDS,
  known: KNOWN_CARDS,
  isQuick: quick === true,
});
// Before the bot starts, because its log is long and does not mention the page
const story = bot ? { bot: ownBot, guide, reasons } : undefined;
const page = await startPageServer({ port, discord, cardService, story }).catch(async (error: Error) => {
  await end();
  process.stderr.write(`The page cannot be served (${error.message}). Choose another port with --port.\n`);
  process.exit(1);
});
const moved = page.port === port || port === 0 ? '' : `  Port ${port} is taken, so the page is at ${page.port}.\n`;
if (bot) await guide.reset();
const list = join(folder, 'cards.json');
if (!bot) await writeFile(list, JSON.stringify(SAMPLE_CATALOG));
process.stdout.write(
  `\n${moved}  ${bot ? 'Open' : 'Once your bot runs, open'} ${page.url} and type: /card, Enter, ember, Enter to pick, Enter to send\n\n${bot ? '' : envLines()}`,
);

if (!signal.aborted) await once(signal, 'abort');
await page.close();
await end();
process.exit(0);

async function end(): Promise<void> {
  await guide.close();
  await ownBot.end('SIGTERM');
  await sandbox.stop();
  await rm(folder, { recursive: true, force: true });
}

/** For a bot that is installed as for the real Discord, on this machine. */
function envLines(): string {
  const names = ['DISCORD_TOKEN', 'DISCORD_API_URL', 'CARD_SERVICE', 'CARD_SERVICE_URL', 'CARD_SERVICE_API_KEY'];
  const lines = names.flatMap((name) => (env[name] === undefined ? [] : `${name}=${env[name]}\n`));
  return `  For your .env, while this runs:\n\n${lines.join('')}\n  The names of its cards:\n\nnpm run catalog -- import ${list}\n\n`;
}

/** 0 after the last one and after 0: any. */
function portAfter(before: number): number {
  return before > 0 && before < 65_535 ? before + 1 : 0;
}

function portNumber(text: string): number {
  const number = Number(text);
  if (Number.isInteger(number) && number >= 0 && number <= 65_535) return number;
  throw new InvalidArgumentError('A port is a whole number from 0 to 65535.');
}
