import type { ShownCard, ShownCommand } from '../page-protocol.ts';
import { CommandForm } from './command-form.ts';
import { type ReadLine, readCommandLine, readTexts, suggestCommands } from './command-line.ts';
import { element } from './element.ts';
import type { OptionValue } from './option-value.ts';
import { Suggestions } from './suggestions.ts';

export interface ComposerOptions {
  /** The commands of the place, asked for anew each time: the bot may just have registered them. */
  commands(): Promise<readonly ShownCommand[]>;
  cards(): readonly ShownCard[];
  /** @throws Error with words for the member. */
  send(command: string, options: Record<string, OptionValue>): Promise<void>;
}

/** The line at the bottom: free text with a list of commands, or the form of a picked command. */
export class Composer {
  readonly #options: ComposerOptions;
  readonly #line = element('input', { className: 'line', autocomplete: 'off', spellcheck: false });
  readonly #problem = element('p', { id: 'problem', className: 'problem', role: 'alert' });
  readonly #row = element('div', { className: 'row' });
  readonly #send = element('button', { type: 'submit', className: 'send' }, 'Send');
  readonly #suggestions: Suggestions;
  #form: CommandForm | undefined;
  #sending = false;

  constructor(root: HTMLElement, options: ComposerOptions) {
    this.#options = options;
    this.#suggestions = new Suggestions(this.#line, { onPick: (command) => this.#pick(command) });
    this.#line.setAttribute('aria-describedby', this.#problem.id);
    this.#row.append(this.#line, this.#send);
    root.append(this.#problem, this.#suggestions.root, this.#row);

    this.#line.addEventListener('input', () => void this.#suggest());
    this.#line.addEventListener('keydown', (event) => this.#onLineKey(event));
    this.#line.addEventListener('blur', () => this.#suggestions.show([]));
    root.addEventListener('submit', (event) => {
      event.preventDefault();
      void this.#submit();
    });
    root.addEventListener('keydown', (event) => {
      // Enter in a <select> submits no form by itself
      if (event.key !== 'Enter' || !(event.target instanceof HTMLSelectElement)) return;
      event.preventDefault();
      void this.#submit();
    });
  }

  focus(): void {
    if (!this.#form?.focus()) this.#line.focus();
  }

  /** Back to an empty line: another place may know other commands. */
  moveTo(placeName: string): void {
    this.#line.placeholder = `Message ${placeName}: type / for commands`;
    this.#line.ariaLabel = `Message ${placeName}`;
    this.#leaveForm('');
  }

  /** Sends a whole line as if it had been typed. */
  async sendLine(line: string): Promise<void> {
    await this.#trySend(readCommandLine(line, await this.#options.commands()));
  }

  async #suggest(): Promise<void> {
    this.#say('');
    const commands = this.#line.value.startsWith('/') ? await this.#options.commands() : [];
    this.#suggestions.show(suggestCommands(this.#line.value, commands));
  }

  #onLineKey(event: KeyboardEvent): void {
    const active = this.#suggestions.active;
    if (active === undefined) return;

    if (event.key === 'ArrowDown') this.#suggestions.move(1);
    else if (event.key === 'ArrowUp') this.#suggestions.move(-1);
    else if (event.key === 'Escape') this.#suggestions.show([]);
    else if (event.key === 'Tab' && !event.shiftKey) this.#pick(active);
    else if (event.key === 'Enter' && !this.#isComplete(active)) this.#pick(active);
    else return;
    event.preventDefault();
  }

  /** A name typed to its end that needs nothing more is sent at once. */
  #isComplete({ name, options }: ShownCommand): boolean {
    return this.#line.value.toLowerCase() === `/${name}` && !options.some(({ required }) => required);
  }

  #pick(command: ShownCommand, texts: Record<string, string> = {}): void {
    this.#suggestions.show([]);
    const cards = this.#options.cards();
    this.#form?.root.remove();
    this.#form = new CommandForm({ command, texts, cards, onLeave: () => this.#leaveForm(`/${command.name}`) });
    this.#line.hidden = true;
    this.#send.before(this.#form.root);
    if (!this.#form.focus()) this.#send.focus();
  }

  #leaveForm(line: string): void {
    this.#form?.root.remove();
    this.#line.hidden = false;
    if (this.#form) this.#line.focus();
    this.#form = undefined;
    this.#line.value = line;
    this.#say('');
  }

  async #submit(): Promise<void> {
    if (this.#form) return await this.#trySend(readTexts(this.#form.command, this.#form.texts));
    if (this.#line.value.trim() !== '') await this.sendLine(this.#line.value);
  }

  async #trySend({ command, options, texts, problem }: ReadLine): Promise<void> {
    if (this.#sending) return;
    if (command === undefined || problem !== undefined) {
      if (command && !this.#form) this.#pick(command, texts);
      return this.#say(problem ?? '');
    }
    this.#sending = true;
    try {
      await this.#options.send(command.name, options);
      this.#leaveForm('');
      this.#suggestions.show([]);
    } catch (error) {
      this.#say(error instanceof Error ? error.message : String(error));
    } finally {
      this.#sending = false;
    }
  }

  #say(problem: string): void {
    this.#problem.textContent = problem;
  }
}
