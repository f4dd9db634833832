import './avatars.ts';
import type { Snapshot } from '../page-protocol.ts';
import { fetchCommands, typeCommand, watchSnapshots } from './api.ts';
import { Chat } from './chat.ts';
import { Composer } from './composer.ts';
import { element, section } from './element.ts';
import { Identity } from './identity.ts';
import { Places } from './places.ts';
import { RequestLog } from './request-log.ts';
import { ServicePanel } from './service-panel.ts';
import { Switches } from './switches.ts';
import { tickTimes } from './ticking-times.ts';
import type { Viewer } from './viewer.ts';
import { Welcome } from './welcome.ts';

/** What was chosen on the page; until then, the first member in the first server. */
interface Chosen {
  memberId?: string;
  guildId?: string | null;
  manageGuild: boolean;
}

/** Makes every part of the page and joins them: snapshots come in, commands go out. */
class Page {
  #snapshot: Snapshot | undefined;
  #chosen: Chosen = { manageGuild: true };

  readonly #composer = new Composer(section('composer'), {
    commands: async () => await fetchCommands(this.#viewer.guildId, this.#viewer.manageGuild),
    cards: () => this.#shown.sampleCards,
    send: async (command, options) => {
      const { member, guildId, manageGuild } = this.#viewer;
      await typeCommand({ command, options, memberId: member.id, guildId, manageGuild });
      this.#chat.follow(); // who asks wants to see the answer
    },
  });
  readonly #welcome = new Welcome({ onTry: ({ id }) => void this.#composer.sendLine(`/card id:${id}`) });
  readonly #chat = new Chat(section('chat'), { welcome: this.#welcome.root, redraw: () => this.#draw() });
  readonly #places = new Places(section('places'), { onChoose: (guildId) => this.#choose({ guildId }) });
  readonly #identity = new Identity(section('identity'), { onChange: (change) => this.#choose(change) });
  readonly #service = new ServicePanel(section('service'));
  readonly #switches = new Switches(section('switches'));
  readonly #requests = new RequestLog(section('requests'));

  start(): void {
    tickTimes();
    watchSnapshots((snapshot) => {
      section('connection').hidden = snapshot !== undefined;
      if (snapshot === undefined) return;
      const first = this.#snapshot === undefined;
      this.#snapshot = snapshot;
      if (first) this.#choose({});
      else this.#draw();
    });
    document.addEventListener('keydown', (event) => {
      // A slash anywhere starts a command, as in Discord
      if (event.key === '/' && event.target === document.body) this.#composer.focus();
    });
  }

  get #shown(): Snapshot {
    if (this.#snapshot === undefined) throw new Error('The sandbox has not answered yet.');
    return this.#snapshot;
  }

  get #viewer(): Viewer {
    const { members, guilds } = this.#shown;
    const { memberId, guildId = guilds[0]?.id ?? null, manageGuild } = this.#chosen;
    const member = members.find(({ id }) => id === memberId) ?? members[0];
    if (member === undefined) throw new Error('The emulated Discord has no members.');
    return { member, guildId, manageGuild };
  }

  #choose(change: Partial<Chosen>): void {
    this.#chosen = { ...this.#chosen, ...change };
    const { guildId } = this.#viewer;
    const name = guildId === null ? `@${this.#shown.botName}` : '#card-talk';
    const server = this.#shown.guilds.find(({ id }) => id === guildId)?.name ?? 'Direct messages';
    section('channel').replaceChildren(element('h1', {}, name), element('span', { className: 'quiet' }, server));
    this.#draw();
    this.#chat.follow();
    this.#composer.moveTo(name);
    if (!section('places').contains(document.activeElement)) this.#composer.focus();
  }

  #draw(): void {
    const snapshot = this.#shown;
    const viewer = this.#viewer;
    const { lang } = document.documentElement; // the panel speaks as the page does, the chat as the member
    this.#places.show(snapshot.guilds, snapshot.botName, viewer.guildId);
    this.#identity.show(snapshot.members, viewer);
    this.#welcome.show(snapshot.botName, snapshot.sampleCards);
    this.#chat.show(snapshot, viewer);
    this.#service.show(snapshot, lang);
    this.#switches.show(snapshot, lang);
    this.#requests.show(snapshot, lang);
  }
}

new Page().start();
