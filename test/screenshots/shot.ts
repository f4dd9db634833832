import type { Locator, Page } from 'playwright-core';
import type { Sandbox, SandboxOptions } from '../../sandbox/sandbox.ts';
import { composer, replyTo, say } from '../support/page-visit.ts';

/** A reply whose words are written down, and of which a picture may be taken. */
export interface Shot {
  name: string;
  /** Default: jumps, then stands. `stands`: it is the same as at the reply before. `passes`: while the bot tries again. */
  time?: 'stands' | 'passes';
  /** The chat alone, for the README: the messages and what `show` returns. */
  isChat?: true;
  /** What is done before, beside the page. */
  before?(sandbox: Sandbox): unknown;
  /** Makes it appear. @returns what belongs to it, from above to below */
  show(page: Page): Promise<readonly Locator[]>;
}

/** Replies in one sandbox, in this order. */
export interface Scene {
  options?: Omit<SandboxOptions, 'log'>;
  /** Others have sent requests today, and the service has confirmed the whole catalog. */
  isLively?: true;
  shots: readonly Shot[];
}

/** The reply to a line that is typed. @param text of it, which shows that it is there */
export function reply(line: string, text: string): Shot['show'] {
  return async (page) => {
    await say(page, line);
    return await replyTyped(line, text)(page);
  };
}

/** The reply to a line that was typed before. */
export function replyTyped(line: string, text: string): Shot['show'] {
  return async (page) => {
    const shown = replyTo(page, line).last();
    await shown.getByText(text).first().waitFor();
    return [shown];
  };
}

/** The reply to a button below the last reply. @param text of the reply */
export function afterButton(button: string, text: string): Shot['show'] {
  return async (page) => {
    await page.getByRole('button', { name: button }).last().click();
    return [await lastMessage(page, text)];
  };
}

/** The list above the composer. @param command to be picked first, and in whose first option `text` is typed */
export function suggestions(command: string, text: string, expected: string): Shot['show'] {
  return async (page) => {
    await composer(page).fill(`/${command}`);
    await page
      .getByRole('option', { name: `/${command} ` })
      .first()
      .waitFor();
    await composer(page).press('Enter');
    const field = page.locator('.command-form input').first();
    await field.fill(text);
    await page.getByRole('option', { name: expected }).waitFor();
    return [page.getByRole('listbox').last(), page.locator('.row')];
  };
}

/** Opens the menu of the last message. */
export async function openMenu(page: Page): Promise<void> {
  const menu = page.locator('discord-message').last().locator('.apps');
  await menu.evaluate((details: object) => void Object.assign(details, { open: true }));
}

export async function lastMessage(page: Page, text: string): Promise<Locator> {
  const message = page.locator('discord-message').last();
  await message.getByText(text).first().waitFor();
  return message;
}
