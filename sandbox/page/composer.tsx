import { Component, type ComponentChildren } from 'preact';
import type { Choice, Whereabouts } from '../discord/chat.ts';
import { call, wordsOf } from './call.ts';
import {
  BOOLEAN,
  type CommandOption,
  menuOf,
  optionValues,
  readCommandLine,
  type ShownCommand,
  suggestCommands,
  TEXT,
} from './command-line.ts';

interface ComposerProps {
  /** The member, and the place. */
  at: Whereabouts;
  placeName: string;
  /** Why commands get no answer now; empty when they do. */
  notice: string;
  /** Those of the place. */
  commands: readonly ShownCommand[];
  /** Loads them again, because the bot may just have registered some. */
  refresh(): Promise<readonly ShownCommand[]>;
  /** Something was sent: a command, or a line that is none. */
  onSent(isCommand: boolean): void;
  /** What is wrong, in one sentence; empty when nothing is. */
  problem: string;
  onProblem(problem: string): void;
}

interface Field {
  option: CommandOption;
  text: string;
  /** The suggestion whose name is the text. */
  picked?: Choice | undefined;
}

/** What can be picked for the field that has the focus. */
interface Row {
  id: string;
  words: ComponentChildren;
  /** The whole line is there: Enter sends it. */
  isComplete?: boolean;
  pick(): void;
}

interface State {
  line: string;
  /** The picked command: its form is in the place of the line. */
  command: ShownCommand | undefined;
  /** The required options of that, and those that were added. */
  fields: readonly Field[];
  /** Of the list above the field that has the focus. */
  label: string;
  rows: readonly Row[];
  /** The chosen row; -1 = none. */
  active: number;
  /** What the field is for. */
  hint: string;
}

/** Suggestions that are on their way for a text, and the keys that were pressed for them. */
interface Pending {
  text: string;
  keys: string[];
}

/** Suggestions are requested after a pause of this length. */
const PAUSE_MS = 150;
const LIST = 'suggestions';
const FIELDS = '.option :is(input, select)';

const find = (selector: string) => document.querySelector<HTMLElement>(selector);

/** Into the first incomplete field, or else the first one; a form without any has its button. */
export function focusComposer(): void {
  (find('.option :invalid') ?? find(`.line, ${FIELDS}`) ?? find('.composer .send'))?.focus();
}

/** At the bottom: an input line, or the form of a picked command; above it a hint or what is wrong. Each place has its own. */
export class Composer extends Component<ComposerProps, State> {
  override state: State = { line: '', command: undefined, fields: [], label: '', rows: [], active: -1, hint: '' };
  #pending: Pending | undefined;

  override componentDidMount(): void {
    if (!document.activeElement?.closest('.places')) focusComposer();
  }

  override componentDidUpdate(): void {
    find('[role="option"][aria-selected="true"]')?.scrollIntoView({ block: 'nearest' });
  }

  override render() {
    const { command, hint } = this.state;
    const { problem, notice } = this.props;
    return (
      <form
        class="composer"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          this.#submit();
        }}
        onFocusIn={({ target }) => {
          if (target instanceof HTMLElement && target.title !== '') this.setState({ hint: target.title });
        }}
      >
        <p id="problem" class="problem" role="alert">
          {problem}
        </p>
        <p class="notice" role="status">
          {notice}
        </p>
        <p class="quiet hint">{hint}</p>
        {this.#list()}
        <div class="row">
          {command ? this.#form(command) : this.#line()}
          <button type="submit" class="send">
            Send
          </button>
        </div>
      </form>
    );
  }

  #line() {
    const { line } = this.state;
    const label = `Message ${this.props.placeName}`;
    return (
      <input
        {...this.#combobox()}
        class="line"
        title="Type / for commands"
        placeholder={label}
        aria-label={label}
        aria-describedby="problem"
        value={line}
        onInput={({ currentTarget }) => void this.#typeLine(currentTarget.value)}
      />
    );
  }

  #form(command: ShownCommand) {
    const { fields } = this.state;
    const open = command.options.filter(({ name }) => fields.every(({ option }) => option.name !== name));
    return (
      <fieldset
        class="command-form"
        aria-label={`/${command.name}: ${command.description}`}
        onKeyDown={(event) => {
          const { key, target } = event;
          const isInput = target instanceof HTMLInputElement && target.value === '';
          const isEmptyStart = isInput && target.name === fields[0]?.option.name;
          if (key === 'Escape' || (key === 'Backspace' && isEmptyStart)) this.#close(`/${command.name}`);
          // Enter in a menu does not submit a form
          else if (key === 'Enter' && target instanceof HTMLSelectElement) this.#submit();
          else return;
          event.preventDefault();
        }}
      >
        <b class="command-name">/{command.name}</b>
        {fields.map((field, at) => (
          <label key={field.option.name} class="option">
            <span>{field.option.name}</span>
            {this.#field(field, at)}
          </label>
        ))}
        <span class="adders">
          {open.map((option) => (
            <button key={option.name} type="button" title={option.description} onClick={() => this.#add(option)}>
              + {option.name}
            </button>
          ))}
        </span>
      </fieldset>
    );
  }

  #field({ option, text, picked }: Field, at: number) {
    const { name, description: title, required = false, autocomplete, type, max_length: maxLength } = option;
    const common = { name, title, required, value: text };
    if (type === BOOLEAN) {
      return (
        <select {...common} onChange={({ currentTarget: { value } }) => this.#change(at, { text: value })}>
          {menuOf(option).map((word) => (
            <option key={word}>{word}</option>
          ))}
        </select>
      );
    }
    const suggested = autocomplete && {
      ...this.#combobox(),
      onFocus: () => !picked && void this.#suggestSoon(at),
    };
    return (
      <input
        autocomplete="off"
        spellcheck={false}
        inputMode={type === TEXT ? 'text' : 'numeric'}
        {...(maxLength !== undefined && { maxLength })}
        {...common}
        {...suggested}
        onInput={({ currentTarget: { value } }) => {
          this.#change(at, { text: value, picked: undefined });
          if (autocomplete) void this.#suggestSoon(at);
        }}
      />
    );
  }

  /** Of a field with the list; the focus stays in the field. */
  #combobox() {
    const { rows, active } = this.state;
    return {
      role: 'combobox' as const,
      autocomplete: 'off',
      spellcheck: false,
      'aria-autocomplete': 'list' as const,
      'aria-controls': LIST,
      'aria-expanded': rows.length > 0,
      'aria-activedescendant': active < 0 ? undefined : `${LIST}-${active}`,
      onKeyDown: (event: KeyboardEvent) => {
        const isShortcut = event.ctrlKey || event.metaKey || (event.shiftKey && event.key.length > 1);
        if (isShortcut || !this.#takes(event.key)) return;
        event.preventDefault();
        event.stopPropagation(); // otherwise Escape would also close the form
      },
      onBlur: () => this.#show([]),
    };
  }

  /** Above the field. */
  #list() {
    const { label, rows, active } = this.state;
    return (
      <div id={LIST} class="suggestions" role="listbox" aria-label={label} hidden={rows.length === 0}>
        {rows.map(({ id, words, pick }, at) => (
          <div
            key={id}
            id={`${LIST}-${at}`}
            role="option"
            tabIndex={-1}
            aria-selected={at === active}
            onMouseDown={(event) => {
              event.preventDefault(); // the field keeps the focus
              pick();
            }}
          >
            {words}
          </div>
        ))}
      </div>
    );
  }

  /** Whether a key was for the list, which it moves in, picks from or closes, or for one that is on its way. */
  #takes(key: string): boolean {
    const { rows, active } = this.state;
    const row = rows[active];
    if (this.#pending && isFor(this.#pending, key)) this.#pending.keys.push(key);
    else if (row && (key === 'Tab' || (key === 'Enter' && !row.isComplete))) row.pick();
    else if (rows.length === 0) return false;
    else if (key === 'Escape') this.#show([]);
    else if (key === 'ArrowDown') this.setState({ active: (active + 1) % rows.length });
    else if (key === 'ArrowUp') this.setState({ active: (active < 1 ? rows.length : active) - 1 });
    else return false;
    return true;
  }

  #show(rows: readonly Row[], active = -1): void {
    this.#pending = undefined;
    this.setState({ rows, active });
  }

  async #typeLine(line: string): Promise<void> {
    this.#clearProblem();
    this.setState({ line, label: 'Commands' });
    // At once, because Enter picks from this list and must not pick an outdated entry
    this.#showCommands();
    if (!line.startsWith('/')) return;
    const hadNone = this.state.rows.length === 0;
    await this.props.refresh().catch(() => []); // those that are known do
    const isOpen = hadNone || this.state.rows.length > 0;
    if (line === this.state.line && !this.state.command && isOpen) this.#showCommands();
  }

  /** Showing the same again keeps the choice. */
  #showCommands(): void {
    const commands = suggestCommands(this.state.line, this.props.commands);
    const rows = commands.map((command) => this.#commandRow(command));
    const [shown, wanted] = [this.state.rows, rows].map((each) => each.map(({ id }) => id).join());
    this.#show(rows, shown === wanted ? this.state.active : 0);
  }

  #commandRow(command: ShownCommand): Row {
    const { name, description, options } = command;
    const names = options.map((option) => (option.required ? option.name : `${option.name}?`));
    const isComplete = this.state.line.toLowerCase() === `/${name}` && !options.some(({ required }) => required);
    const words = (
      <>
        <b>/{name}</b>
        <i>{names.join(' ')}</i>
        <span>{description}</span>
      </>
    );
    return { id: name, words, isComplete, pick: () => this.#open(command, {}) };
  }

  /** Asks for the bot's suggestions for what is typed now. The first is chosen then, unless nothing is typed. */
  async #suggestSoon(at: number): Promise<void> {
    const { command, fields } = this.state;
    const field = fields[at];
    if (!command || !field) return;
    const { text, option } = field;
    const pending: Pending = { text, keys: [] };
    this.#pending = pending;
    // The rows are for a text that has changed since
    this.setState({ active: -1, label: `Choices for ${option.name}` });
    await new Promise((passed) => setTimeout(passed, PAUSE_MS));
    if (this.#pending !== pending) return;
    const options = { ...optionValues(command, textsOf(fields)), [option.name]: text };
    const typed = { command: command.name, options, focused: option.name, ...this.props.at };
    const choices = await call('complete', typed).catch(() => []); // it works without
    if (this.#pending !== pending) return;
    const rows = choices.map((choice) => ({
      id: choice.value,
      words: <b>{choice.name}</b>,
      pick: () => this.#pick(at, choice),
    }));
    this.#show(rows, rows.length > 0 && text !== '' ? 0 : -1);
    for (const key of pending.keys) this.#press(key);
  }

  /** A key that was held does what it would do now, in what has the focus now. */
  #press(key: string): void {
    if (this.#takes(key)) return;
    if (key === 'Enter') this.#submit();
    const { activeElement: field } = document;
    if (key.length > 1 || !(field instanceof HTMLInputElement)) return;
    field.value += key;
    field.dispatchEvent(new Event('input', { bubbles: true }));
  }

  /** The next field has the focus then; after the last one it stays, so that Enter sends. */
  #pick(at: number, picked: Choice): void {
    this.#change(at, { text: picked.name, picked });
    this.#show([]);
    document.querySelectorAll<HTMLElement>(FIELDS)[at + 1]?.focus();
  }

  #change(at: number, changed: Partial<Field>): void {
    this.setState(({ fields }) => ({
      fields: fields.map((field, index) => (index === at ? { ...field, ...changed } : field)),
    }));
  }

  #add(option: CommandOption): void {
    this.setState(({ fields }) => ({ fields: [...fields, fieldOf(option)] }));
    find(`.option [name="${option.name}"]`)?.focus();
  }

  #open(command: ShownCommand, texts: Readonly<Record<string, string>>): void {
    const shown = command.options.filter(({ name, required }) => required || texts[name] !== undefined);
    const fields = shown.map((option) => fieldOf(option, texts[option.name]));
    this.setState({ line: '', command, fields });
    this.#show([]);
    focusComposer();
  }

  #close(line: string): void {
    const { command } = this.state;
    this.#clearProblem();
    this.setState({ line, command: undefined, fields: [] });
    this.#show([]);
    if (command) focusComposer();
  }

  #submit(): void {
    const { command, fields, line } = this.state;
    if (command) {
      const texts = textsOf(fields);
      this.#close('');
      void this.#attempt(
        () => this.#send(command, texts),
        () => this.#open(command, texts),
      );
    } else if (line.trim() !== '') {
      this.#close('');
      if (line.trimStart().startsWith('/')) void this.#sendLine(line);
      else
        void this.#attempt(
          () => call('post', { content: line, ...this.props.at }).then(() => this.props.onSent(false)),
          () => this.setState({ line }),
        );
    }
  }

  async #send(command: ShownCommand, texts: Record<string, string>): Promise<void> {
    await call('type', { command: command.name, options: optionValues(command, texts), ...this.props.at });
    this.props.onSent(true);
  }

  async #sendLine(line: string): Promise<void> {
    let read = readCommandLine(line, this.props.commands);
    const send = async () => {
      if (!read.command) read = readCommandLine(line, await this.props.refresh());
      const { command, texts, problem } = read;
      if (problem !== undefined || !command) throw new Error(problem);
      // The name alone, typed before its suggestion appeared, picks the command
      const isPicked = line.trim() === `/${command.name}` && command.options.some(({ required }) => required);
      if (isPicked) this.#open(command, {});
      else await this.#send(command, texts);
    };
    await this.#attempt(send, () => {
      const { command, texts } = read;
      if (command && command.options.length > 0) this.#open(command, texts);
      else this.setState({ line });
    });
  }

  /** The line is clear meanwhile; after a failure it is restored unless the next one has been begun. */
  async #attempt(work: () => Promise<void>, restore: () => void): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!this.state.command && this.state.line === '') restore();
      this.props.onProblem(wordsOf(error));
    }
  }

  #clearProblem(): void {
    if (this.props.problem !== '') this.props.onProblem('');
  }
}

/**
 * Enter and Tab pick, once something is typed; in an empty field they send and move on. Enter after an arrow picks. What
 * is typed after the Enter that sends is the next line.
 */
function isFor({ text, keys }: Pending, key: string): boolean {
  if (key.length === 1) return keys.indexOf('Enter') < keys.lastIndexOf('Enter');
  if (key === 'Enter') return text !== '' || keys.length > 0;
  return key === 'Tab' ? text !== '' : key === 'ArrowDown' || key === 'ArrowUp';
}

function fieldOf(option: CommandOption, text = ''): Field {
  if (option.type !== BOOLEAN) return { option, text };
  const words = menuOf(option);
  return { option, text: words.find((word) => word.toLowerCase() === text.toLowerCase()) ?? words[0] ?? '' };
}

/** What is sent for each option. */
function textsOf(fields: readonly Field[]): Record<string, string> {
  return Object.fromEntries(fields.map(({ option, text, picked }) => [option.name, picked?.value ?? text]));
}
