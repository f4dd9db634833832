import type { Choice, OptionValue } from '../discord/chat.ts';
import type { ShownCommand } from '../page-protocol.ts';
import { CommandForm } from './command-form.ts';
import { optionValues, type ReadLine, readCommandLine } from './command-line.ts';
import { element } from './element.ts';
import { KnownCommands } from './known-commands.ts';
import { LineInput } from './line-input.ts';

export interface ComposerOptions {
  /** Loads the commands of the place each time, because the bot may just have registered them. */
  commands(): Promise<readonly ShownCommand[]>;
  /** The bot's suggestions for the focused option. */
  suggest(command: string, options: Record<string, OptionValue>, focused: string): Promise<readonly Choice[]>;
  /** @throws Error with a sentence for the member. */
  send(command: string, options: Record<string, OptionValue>): Promise<void>;
  /** Writes a line that is no command. @throws Error with a sentence for the member. */
  post(line: string): Promise<void>;
}

/** At the bottom: an input line, or the form of a picked command; above it a hint or what is wrong. */
export class Composer {
  readonly #options: ComposerOptions;
  readonly #problem = element('p', { id: 'problem', className: 'problem', role: 'alert' });
  readonly #hint = element('p', { className: 'quiet hint' });
  readonly #sendButton = element('button', { type: 'submit', className: 'send' }, 'Send');
  readonly #commands: KnownCommands;
  readonly #line: LineInput;
  #form: CommandForm | undefined;

  constructor(root: HTMLElement, options: ComposerOptions) {
    this.#options = options;
    this.#commands = new KnownCommands(options.commands);
    this.#line = new LineInput({
      commands: this.#commands,
      onInput: () => this.showProblem(''),
      onPick: (command) => this.#openForm(command, {}),
    });
    this.#line.field.setAttribute('aria-describedby', this.#problem.id);
    root.append(
      this.#problem,
      this.#hint,
      this.#line.list,
      element('div', { className: 'row' }, this.#line.field, this.#sendButton),
    );
    root.addEventListener('submit', (event) => {
      event.preventDefault();
      void this.#submit();
    });
    root.addEventListener('focusin', ({ target }) => {
      if (target instanceof HTMLElement && target.title !== '') this.#hint.textContent = target.title;
    });
    root.addEventListener('keydown', (event) => {
      // Enter in a <select> does not submit a form
      if (event.key !== 'Enter' || !(event.target instanceof HTMLSelectElement)) return;
      event.preventDefault();
      void this.#submit();
    });
  }

  focus(): void {
    if (!this.#form?.focus()) this.#line.field.focus();
  }

  /** Resets to an empty line, because another place may have other commands. */
  moveTo(placeName: string): void {
    this.#line.field.placeholder = `Message ${placeName}`;
    this.#line.field.ariaLabel = `Message ${placeName}`;
    this.#commands.move();
    this.#closeForm('');
  }

  /** Sends a whole line as if it had been typed. */
  async sendLine(line: string): Promise<void> {
    const read = await this.#read(line);
    const { command } = read;
    // The name alone, typed before its suggestion appeared, picks the command
    const isPicked = line.trim() === `/${command?.name}` && command?.options.some(({ required }) => required);
    if (command && isPicked) this.#openForm(command, {});
    else await this.#trySend(read, line);
  }

  /** Parses with the loaded commands at once, so that later typing does not interfere. */
  async #read(line: string): Promise<ReadLine> {
    const read = readCommandLine(line, this.#commands.last);
    if (read.command) return read;
    try {
      return readCommandLine(line, await this.#commands.refresh());
    } catch (error) {
      return { ...read, problem: wordsOf(error) };
    }
  }

  #openForm(command: ShownCommand, texts: Record<string, string>): void {
    this.#form?.root.remove();
    const form = new CommandForm({
      command,
      texts,
      suggest: (focused) => {
        const { [focused]: text = '', ...others } = form.texts;
        return this.#options.suggest(command.name, { ...optionValues(command, others), [focused]: text }, focused);
      },
      onLeave: () => this.#closeForm(`/${command.name}`),
    });
    this.#form = form;
    this.#line.set('');
    this.#line.field.hidden = true;
    this.#sendButton.before(this.#form.root);
    if (!this.#form.focus()) this.#sendButton.focus();
  }

  #closeForm(line: string): void {
    this.#line.set(line);
    this.#line.field.hidden = false;
    if (this.#form) this.#line.field.focus();
    this.#form?.root.remove();
    this.#form = undefined;
    this.showProblem('');
  }

  async #submit(): Promise<void> {
    if (this.#form) {
      const { command, texts } = this.#form;
      this.#closeForm('');
      return await this.#trySend({ command, texts }, '');
    }
    const line = this.#line.field.value;
    if (line.trim() === '') return;
    this.#closeForm('');
    if (line.trimStart().startsWith('/')) await this.sendLine(line);
    else
      await this.#attempt(
        () => this.#options.post(line),
        () => this.#line.set(line),
      );
  }

  async #trySend(read: ReadLine, typed: string): Promise<void> {
    const { command, texts, problem } = read;
    const send = async () => {
      if (problem !== undefined) throw new Error(problem);
      if (command) await this.#options.send(command.name, optionValues(command, texts));
    };
    await this.#attempt(send, () => this.#restore(read, typed));
  }

  /** The line is clear meanwhile; after a failure it is restored unless the next one has been begun. */
  async #attempt(work: () => Promise<void>, restore: () => void): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!this.#form && this.#line.field.value === '') restore();
      this.showProblem(wordsOf(error));
    }
  }

  #restore({ command, texts }: ReadLine, typed: string): void {
    if (command && command.options.length > 0) this.#openForm(command, texts);
    else this.#line.set(typed);
  }

  /** Shows one sentence about a problem; an empty one removes it. */
  showProblem(problem: string): void {
    this.#problem.textContent = problem;
  }
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
