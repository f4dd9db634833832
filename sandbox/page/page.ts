import type { ShownCommand, Snapshot } from '../page-protocol.ts';
import {
  type At,
  fetchChoices,
  fetchCommands,
  submitForm,
  typeCommand,
  useComponent,
  watchSnapshots,
  writePost,
} from './api.ts';
import { botAvatar } from './avatars.ts';
import { botPanel } from './bot.ts';
import { Chat } from './chat.ts';
import { Composer } from './composer.ts';
import { element, section } from './element.ts';
import { guidePanel } from './guide.ts';
import { Identity } from './identity.ts';
import type { Panel } from './panel.ts';
import { DIRECT_MESSAGES, headingOf, NOT_INSTALLED, places } from './places.ts';
import { requestLog } from './request-log.ts';
import { servicePanel } from './service-panel.ts';
import { serviceSwitches } from './service-switches.ts';
import { Tabs } from './tabs.ts';
import { tickTimes } from './ticking-times.ts';
import type { ShownPlace, Viewer } from './viewer.ts';

/** The choices on the page. Default: the first member in the first server. */
interface Chosen extends Partial<ShownPlace> {
  memberId?: string;
  manageGuild: boolean;
}

/** Creates and connects the parts of the page: snapshots come in, commands go out. */
class Page {
  #snapshot: Snapshot | undefined;
  #chosen: Chosen = { manageGuild: true };
  /** The names of the context menu commands of a message, at the viewer's place. */
  #menu: readonly string[] = [];

  readonly #tabs = new Tabs(section('tabs'));
  readonly #composer = new Composer(section('composer'), {
    commands: () => this.#loadCommands(),
    suggest: async (command, options, focused) => await fetchChoices({ command, options, focused, ...this.#at }),
    send: async (command, options) => {
      await typeCommand({ command, options, ...this.#at });
      this.#showAnswer();
    },
    post: async (content) => {
      await writePost({ content, ...this.#at });
      this.#chat.follow();
    },
  });
  readonly #chat = new Chat(section('chat'), {
    redraw: () => this.#draw(),
    actions: {
      use: (messageId, customId, values) => {
        const { memberId, manageGuild } = this.#at;
        this.#showFailure(useComponent({ messageId, customId, ...(values && { values }), memberId, manageGuild }));
      },
      submit: (interactionId, values, done) => this.#showFailure(submitForm({ interactionId, values }).then(done)),
      pick: (messageId, command) => {
        this.#showFailure(typeCommand({ command, options: {}, target: { messageId }, ...this.#at }));
        this.#showAnswer();
      },
    },
  });
  readonly #showPlaces = places(section('places'), (place) => this.#choose(place));
  readonly #identity = new Identity(section('identity'), { onChange: (change) => this.#choose(change) });
  readonly #panels: readonly Panel[] = [
    guidePanel(section('guide'), {
      onPress: ({ inDirectMessages }) => {
        const { members, guilds } = this.#shown;
        const place = inDirectMessages ? DIRECT_MESSAGES : { guildId: guilds[0]?.id ?? null, context: 0 as const };
        this.#choose({ memberId: members[0]?.id ?? '', ...place });
      },
    }),
    servicePanel(section('service')),
    serviceSwitches(),
    botPanel(section('bot')),
    requestLog(section('requests')),
  ];

  start(): void {
    tickTimes();
    Object.assign(section('bot-picture'), { src: botAvatar() });
    section('not-installed').textContent = NOT_INSTALLED;
    watchSnapshots((snapshot) => {
      section('connection').hidden = snapshot !== undefined;
      if (snapshot === undefined) return;
      const first = this.#snapshot === undefined;
      this.#snapshot = snapshot;
      if (first) this.#choose({});
      else this.#draw();
    });
    document.addEventListener('keydown', (event) => {
      // A slash anywhere on the page starts a command, as in Discord
      const isField = event.target instanceof Element && event.target.matches('input, select, textarea');
      if (event.key === '/' && !isField) this.#composer.focus();
    });
  }

  get #shown(): Snapshot {
    if (this.#snapshot === undefined) throw new Error('The sandbox has not answered yet.');
    return this.#snapshot;
  }

  get #viewer(): Viewer {
    const { members, guilds } = this.#shown;
    const { memberId, guildId = guilds[0]?.id ?? null, context = 0, manageGuild } = this.#chosen;
    const member = members.find(({ id }) => id === memberId) ?? members[0];
    if (member === undefined) throw new Error('The emulated Discord has no members.');
    return { member, guildId, context, manageGuild };
  }

  get #at(): At {
    const { member, ...at } = this.#viewer;
    return { memberId: member.id, ...at };
  }

  #choose(change: Partial<Chosen>): void {
    this.#chosen = { ...this.#chosen, ...change };
    const [name, what] = headingOf(this.#viewer, this.#shown);
    section('channel').replaceChildren(element('h1', {}, name), element('span', { className: 'quiet' }, what));
    const { guildId, context } = this.#viewer;
    section('not-installed').hidden = context === 1 || this.#shown.guilds.some(({ id }) => id === guildId);
    this.#draw();
    this.#chat.follow();
    this.#composer.moveTo(name);
    if (!section('places').contains(document.activeElement)) this.#composer.focus();
  }

  #showAnswer(): void {
    this.#tabs.show('chat');
    this.#chat.follow();
  }

  async #loadCommands(): Promise<readonly ShownCommand[]> {
    const at = this.#at;
    const { commands, menu } = await fetchCommands(at);
    if (JSON.stringify(at) !== JSON.stringify(this.#at)) return commands; // the member or place has changed meanwhile
    this.#menu = menu;
    this.#draw();
    return commands;
  }

  /** A failed click is reported in the same place as a failed command. */
  #showFailure(done: Promise<unknown>): void {
    this.#composer.showProblem('');
    done.catch((error: Error) => this.#composer.showProblem(error.message));
  }

  #draw(): void {
    const snapshot = this.#shown;
    const viewer = this.#viewer;
    const { lang } = document.documentElement; // the panel is in the page's language, the chat in the member's
    this.#showPlaces(snapshot, viewer);
    this.#identity.show(snapshot.members, viewer);
    this.#chat.show(snapshot, viewer, this.#menu);
    for (const show of this.#panels) show(snapshot, lang);
  }
}

new Page().start();
