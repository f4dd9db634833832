import { Command, CommanderError } from 'commander';
import { type DoctorOptions, diagnose } from './doctor.ts';
import type { Finding } from './finding.ts';

export interface CliContext extends Omit<DoctorOptions, 'isOffline'> {
  out: (text: string) => void;
  err: (text: string) => void;
}

const HELP = `
It reads the same settings as the bot, from the environment and .env, changes nothing, and can run beside the bot.

Each line begins with ✓ (right), ✗ (wrong) or ? (it could not be found out, for the reason given). In JSON "ok" is then
true, false or null; "cure" says what to do, or that reason.

Exit codes: 0 nothing wrong was found · 1 something is wrong`;

const ANNOUNCEMENT = "This looks up one card, which costs one of today's requests; --offline sends nothing.\n";
const BULK_ANNOUNCEMENT =
  "This looks up one card, alone and at CARD_SERVICE_BULK_PATH, which costs two of today's requests; --offline sends nothing.\n";

/** Runs `npm run doctor`; `args` without program and script. @returns the exit code */
export async function runDoctorCli(args: readonly string[], context: CliContext): Promise<number> {
  const { out, err } = context;
  const program = new Command('npm run doctor --')
    .description('Checks everything that an operator can get wrong, and says what to do.')
    .option('--json', 'JSON on standard output, for programs: [{"check","ok","cure"}]')
    .option('--offline', 'check this machine only: nothing is sent to Discord, the card service or Redis')
    .addHelpText('after', HELP)
    .configureOutput({ writeOut: out, writeErr: err })
    .exitOverride();
  try {
    program.parse(args, { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 1;
    throw error;
  }
  const { json = false, offline: isOffline = false } = program.opts<{ json?: boolean; offline?: boolean }>();
  if (!isOffline) err(context.environment.CARD_SERVICE_BULK_PATH ? BULK_ANNOUNCEMENT : ANNOUNCEMENT);
  const findings = await diagnose({ ...context, isOffline });
  out(json ? asJson(findings) : findings.map(line).join(''));
  return findings.some(({ ok }) => ok === false) ? 1 : 0;
}

function line({ check, ok, cure, found }: Finding): string {
  const more = ok ? found : cure;
  const sign = ok === null ? '?' : ok ? '✓' : '✗';
  return `${sign} ${check}${more && ': '}${more}\n`;
}

function asJson(findings: readonly Finding[]): string {
  return `${JSON.stringify(
    findings.map(({ check, ok, cure }) => ({ check, ok, cure })),
    null,
    2,
  )}\n`;
}
