import { setTimeout as sleep } from 'node:timers/promises';
import type { ChatMessage } from '../../sandbox/discord/chat.ts';
import type { CommandOption } from '../../sandbox/discord/command-option-rules.ts';
import type { TypedInteraction } from '../../sandbox/discord/typed-interaction.ts';
import { optionValues, readCommandLine } from '../../sandbox/page/command-line.ts';
import type { Sandbox, SandboxOptions } from '../../sandbox/sandbox.ts';
import { labels, press } from '../support/buttons.ts';
import { wordsOf } from './words.ts';

/** A reply whose words are written down, and of which a picture may be taken. */
export interface Shot {
  name: string;
  /** Default: jumps, then stands. `stands`: it is the same as at the reply before. `passes`: while the bot tries again. */
  time?: 'stands' | 'passes';
  /** What is done before. */
  before?(sandbox: Sandbox): unknown;
  /** Makes it appear. @returns its words */
  show(sandbox: Sandbox): string | Promise<string>;
}

/** Replies in one sandbox, in this order. */
export interface Scene {
  options?: Omit<SandboxOptions, 'log'>;
  /** Others have sent requests today, and the service has confirmed the whole catalog. */
  isLively?: true;
  shots: readonly Shot[];
}

/** Types a line as the page does, as the first member. */
export function typeLine({ discord }: Sandbox, line: string): TypedInteraction {
  const commands = discord.commandsFor({ manageGuild: true }).map(({ name, description, options = [] }) => {
    return { name, description, options: options as CommandOption[] };
  });
  const { command, texts } = readCommandLine(line, commands);
  if (!command) throw new Error(`no command for ${line}`);
  return discord.type({ command: command.name, options: optionValues(command, texts), manageGuild: true });
}

/** What a reply says once it has this text. */
export async function wordsWith(typed: TypedInteraction, text: string): Promise<string> {
  return wordsOf(await typed.until((message) => wordsOf(message).includes(text)));
}

/** The reply to a line that is typed. @param text of it, which shows that it is there */
export function reply(line: string, text: string): Shot['show'] {
  return (sandbox) => wordsWith(typeLine(sandbox, line), text);
}

/** The last message that fits, once there is one. */
export async function lastMessage({ discord }: Sandbox, fits: (message: ChatMessage) => boolean): Promise<ChatMessage> {
  for (;;) {
    const found = discord.messages().findLast(fits);
    if (found) return found;
    await sleep(10);
  }
}

/** The reply to a line that was typed before. */
export function replyTyped(line: string, text: string): Shot['show'] {
  return async (sandbox) => {
    const isReply = (message: ChatMessage) => message.commandLine === line && wordsOf(message).includes(text);
    return wordsOf(await lastMessage(sandbox, isReply));
  };
}

/** The reply to a button below the last reply that has it. @param text of the reply */
export function afterButton(button: string, text: string): Shot['show'] {
  return async (sandbox) => {
    const source = await lastMessage(sandbox, (message) => labels(message).includes(button));
    return await wordsWith(press(sandbox, source, button), text);
  };
}

/** The form with which the bot answers. */
export async function formOf(typed: TypedInteraction): Promise<NonNullable<ChatMessage['modal']>> {
  const { modal } = await typed.until((message) => message.modal !== undefined);
  if (!modal) throw new Error('the message has a form');
  return modal;
}
