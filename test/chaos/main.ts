import { Command, InvalidArgumentError } from 'commander';
import { runChaos } from './run.ts';

const { seconds, seed } = new Command('npm run chaos --')
  .description('Asks and breaks things at random, and counts how every question ended. Lost must be 0.')
  .option('--seconds <number>', 'how long', positive, 30)
  .option('--seed <text>', 'replays the schedule of that seed', String(Date.now()))
  .parse()
  .opts<{ seconds: number; seed: string }>();

process.stdout.write(`Seed ${seed}, ${seconds} s. Again with: npm run chaos -- --seconds ${seconds} --seed ${seed}\n`);
const { asked, faults, endings, lost, requests, outcomes, alarms } = await runChaos(seed, seconds);
const lines = [
  `asked                    ${asked}, among ${faults} faults`,
  `answered with a card     ${endings.card}`,
  `answered with a sentence ${endings.sentence}`,
  `not reached              ${endings['not reached']} (no bot was there within 3 s)`,
  `lost                     ${endings.lost}`,
  `requests by status       ${listed(requests)}`,
  `logged                   ${listed(outcomes)}`,
  ...lost.map((line) => `  lost: ${line}`),
  ...alarms.map((line) => `  alarm: ${line}`),
];
process.stdout.write(`${lines.join('\n')}\n`);
process.exit(endings.lost === 0 && alarms.length === 0 ? 0 : 1);

function positive(text: string): number {
  const number = Number(text);
  if (number > 0) return number;
  throw new InvalidArgumentError('Write a number of seconds above 0.');
}

function listed(counts: Record<string, number>): string {
  return Object.entries(counts)
    .map(([name, count]) => `${name}: ${count}`)
    .join(', ');
}
