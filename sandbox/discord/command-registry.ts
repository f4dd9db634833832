import { ApplicationCommandType as CommandType } from 'discord-api-types/v10';

import { ApiError } from './api-error.ts';
import { type CommandForm, readCommand } from './command-rules.ts';
import { mistake } from './form-error.ts';
import { fieldsIn } from './form-reader.ts';

/** A registered command. `guildId: null` = a global one. */
export interface RegisteredCommand {
  id: string;
  /** Changes with every change of the content. */
  version: string;
  guildId: string | null;
  form: CommandForm;
}

const MOST_CHAT_COMMANDS = 100; // per scope; interactions/application-commands, "Registering a Command"
const MOST_MENU_COMMANDS = 15;
const DAILY_CREATES = 200; // per scope; the same page

/** All registered commands, by scope. A name keeps its id when it is registered again. */
export class CommandRegistry {
  readonly #scopes = new Map<string | null, RegisteredCommand[]>();
  readonly #creates = new Map<string | null, { day: string; count: number }>();
  readonly #nextId: () => string;

  constructor(nextId: () => string) {
    this.#nextId = nextId;
  }

  list(guildId: string | null): readonly RegisteredCommand[] {
    return this.#scopes.get(guildId) ?? [];
  }

  /** @throws ApiError 10063 */
  get(guildId: string | null, id: string): RegisteredCommand {
    const found = this.list(guildId).find((command) => command.id === id);
    if (!found) throw new ApiError('unknownCommand');
    return found;
  }

  /** Replaces all commands of the scope, or none when one of them is invalid. */
  replace(guildId: string | null, body: unknown): readonly RegisteredCommand[] {
    if (!Array.isArray(body)) throw mistake([], 'LIST_TYPE_CONVERT', 'Only iterables may be used in a ListType');
    const forms = body.map((each, index) => readCommand(each, [index]));
    refuseSameNames(forms);
    refuseTooMany(forms);
    this.#countCreates(guildId, forms.filter((form) => !this.#named(guildId, form)).length);
    const commands = forms.map((form) => this.#kept(guildId, form, this.#named(guildId, form)));
    this.#scopes.set(guildId, commands);
    return commands;
  }

  /** @returns whether the name is new in its scope; otherwise the command of that name was overwritten. */
  create(guildId: string | null, body: unknown): { command: RegisteredCommand; isNew: boolean } {
    const form = readCommand(body);
    const before = this.#named(guildId, form);
    if (!before) this.#countCreates(guildId, 1);
    const command = this.#kept(guildId, form, before);
    this.#put(guildId, before, command);
    return { command, isNew: before === undefined };
  }

  /** Changes only the fields in the body. */
  edit(guildId: string | null, id: string, body: unknown): RegisteredCommand {
    const before = this.get(guildId, id);
    const form = readCommand({ ...before.form, ...fieldsIn(body), type: before.form.type });
    const namesake = this.#named(guildId, form);
    if (namesake && namesake !== before) refuseSameNames([form, namesake.form]);
    const command = this.#kept(guildId, form, before);
    this.#put(guildId, before, command);
    return command;
  }

  /** @throws ApiError 10063 */
  delete(guildId: string | null, id: string): void {
    const gone = this.get(guildId, id);
    this.#scopes.set(
      guildId,
      this.list(guildId).filter((command) => command !== gone),
    );
  }

  /** Only new names count. Reported with 400 (discord-api-docs#6188) and with 429 (discord.js#10458). */
  #countCreates(guildId: string | null, added: number): void {
    const day = new Date().toISOString().slice(0, 10);
    const known = this.#creates.get(guildId);
    const count = (known?.day === day ? known.count : 0) + added;
    if (count > DAILY_CREATES) throw new ApiError('tooManyCreates');
    this.#creates.set(guildId, { day, count });
  }

  #named(guildId: string | null, { name, type }: CommandForm): RegisteredCommand | undefined {
    return this.list(guildId).find(({ form }) => form.name === name && form.type === type);
  }

  #kept(guildId: string | null, form: CommandForm, before: RegisteredCommand | undefined): RegisteredCommand {
    if (before && JSON.stringify(before.form) === JSON.stringify(form)) return before;
    return { id: before?.id ?? this.#nextId(), version: this.#nextId(), guildId, form };
  }

  #put(guildId: string | null, before: RegisteredCommand | undefined, command: RegisteredCommand): void {
    const commands = before
      ? this.list(guildId).map((each) => (each === before ? command : each))
      : [...this.list(guildId), command];
    refuseTooMany(commands.map(({ form }) => form));
    this.#scopes.set(guildId, commands);
  }
}

function refuseSameNames(forms: readonly CommandForm[]): void {
  const seen = new Set<string>();
  for (const [index, { type, name }] of forms.entries()) {
    if (seen.has(`${type} ${name}`)) {
      const words = 'Application command names must be unique';
      throw mistake([index, 'name'], 'APPLICATION_COMMANDS_DUPLICATE_NAME', words);
    }
    seen.add(`${type} ${name}`);
  }
}

/** interactions/application-commands, "Registering a Command" */
function refuseTooMany(forms: readonly CommandForm[]): void {
  const count = (type: CommandType) => forms.filter((form) => form.type === type).length;
  if (count(CommandType.ChatInput) > MOST_CHAT_COMMANDS) throw new ApiError('tooManyChatCommands');
  const mostOfAMenu = Math.max(count(CommandType.User), count(CommandType.Message));
  if (mostOfAMenu > MOST_MENU_COMMANDS) throw new ApiError('tooManyMenuCommands');
}
