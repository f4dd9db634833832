import type { Readable, Writable } from 'node:stream';
import { type Command, InvalidArgumentError } from 'commander';
import type { Declaration } from '../../commands/index.ts';
import type { Environment } from '../config/variables.ts';
import { OperatorError } from '../model/errors.ts';

/** Everything outside the program that its subcommands use. */
export interface CliContext {
  env: Environment;
  /** The variables in `.env`, which holds none of other programs. */
  envFile?: Environment;
  /** Names of files are relative to it. */
  folder: string;
  stdin: Readable;
  /** For results. */
  stdout: Writable;
  /** For messages and progress. */
  stderr: Writable & { isTTY?: boolean };
  /** Aborted when the operator asks to stop. Until it is called, such a signal ends the process at once. */
  stopSignal(): AbortSignal;
  /** Asks a question on the terminal; absent without one. */
  ask?: (question: string) => Promise<string>;
  /** How long the doctor waits between two requests to a card service; absent: a second. */
  pauseMs?: number;
  /** Those of this checkout unless given. */
  commands?: readonly Declaration[];
  /** What the program is to end with; absent: 0. */
  exitCode?: number;
}

/** Declares options, arguments and actions. What it runs may throw CliFailure and ConfigError. */
export type Subcommand = (command: Command, context: CliContext) => void;

/** The id of a member or a server, as an argument. */
export function discordId(text: string): string {
  if (/^\d{17,20}$/.test(text)) return text;
  throw new InvalidArgumentError('It has 17 to 20 digits: right-click the member or the server in Discord, Copy ID.');
}

/** The message is a sentence for the operator, and the exit code is 1. */
export class CliFailure extends OperatorError {}

/** @throws CliFailure when the operator was asked and did not say yes, or cannot be asked */
export async function agree(what: string, isAgreed: boolean, { ask, stderr }: CliContext): Promise<void> {
  if (isAgreed) return void stderr.write(`${what}.\n`);
  const answer = await ask?.(`${what}. Type yes to go ahead: `);
  if (answer?.trim().toLowerCase() !== 'yes')
    throw new CliFailure(ask ? 'Nothing more was sent.' : `${what}. Add --yes to go ahead.`);
}
