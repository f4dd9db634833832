import { Component, options, render } from 'preact';
import { avatarOf, BOT_NAME, botAvatar } from './avatars.ts';
import { call, watchSnapshots, wordsOf } from './call.ts';
import { Chat } from './chat.tsx';
import type { ShownCommand } from './command-line.ts';
import { Composer, focusComposer } from './composer.tsx';
import { Guide } from './guide.tsx';
import type { Actions, Snapshot } from './page-server.ts';
import { Panel } from './panel.tsx';
import type { Viewer } from './viewer.ts';

/** What is shown where there is no room for both. */
const PARTS = { chat: 'Chat', service: 'Card service' };
type Part = keyof typeof PARTS;

/** What the viewer can use at the place. */
type Known = Awaited<ReturnType<Actions['commands']>>;

interface State {
  snapshot?: Snapshot;
  /** The server does not answer; what is shown is what it said last. */
  isCutOff: boolean;
  /** Default: the first member. */
  memberId?: string | undefined;
  /** Default: the first server. */
  guildId?: string | null | undefined;
  manageGuild: boolean;
  /** Nothing until it is loaded for the place; absent until it was once, and then there is nothing to type in. */
  known?: Known;
  part: Part;
  /** What is wrong, in one sentence. */
  problem: string;
  /** How often the viewer has done what the newest message answers. */
  followed: number;
}

const NOTICES = {
  stopped: `${BOT_NAME} is gone. Nobody answers until its process is started.`,
  starting: `${BOT_NAME} is starting…`,
  running: '',
};

/** The whole page: snapshots come in, and what the viewer does goes out. */
class Page extends Component<object, State> {
  override state: State = { isCutOff: false, manageGuild: true, part: 'chat', problem: '', followed: 0 };

  override componentDidMount(): void {
    // A slash anywhere on the page starts a command, as in Discord
    document.addEventListener('keydown', ({ key, target }) => {
      const isField = target instanceof Element && target.matches('input, select, textarea');
      if (key === '/' && !isField) focusComposer();
    });
    watchSnapshots((snapshot) => {
      this.setState(snapshot ? { snapshot, isCutOff: false } : { isCutOff: true });
      if (!this.state.known) this.#refresh().catch(() => {}); // the next snapshot tries again
    });
  }

  override render() {
    const { snapshot, known, part, isCutOff, problem, followed } = this.state;
    const connection = (
      <div class="connection" role="status" hidden={!isCutOff}>
        The sandbox does not answer. Is it still running?
      </div>
    );
    if (!snapshot || !known) return connection;

    const { guilds, members, guide, bot } = snapshot;
    const at = this.#at;
    const { memberId, guildId, manageGuild } = at;
    const name = members.find(({ id }) => id === memberId)?.name ?? '';
    const [placeName, where] =
      guildId === null
        ? [`@${BOT_NAME}`, 'Direct messages']
        : ['#card-talk', guilds.find(({ id }) => id === guildId)?.name];
    return (
      <div class="page" data-part={part}>
        <header>{this.#tabs()}</header>
        <div class="left">
          <nav class="places" aria-label="Servers and direct messages">
            <h2>Servers</h2>
            {guilds.map(({ id, name }) => this.#place(id, name, avatarOf(name)))}
            <h2>Direct messages</h2>
            {this.#place(null, BOT_NAME, botAvatar())}
          </nav>
          <section class="identity" aria-label="You are">
            <h2>You are</h2>
            <div class="who">
              <img src={avatarOf(name)} alt="" />
              <select
                aria-label="Member"
                value={memberId}
                onChange={({ currentTarget }) => this.#choose({ memberId: currentTarget.value })}
              >
                {members.map(({ id, name }) => (
                  <option key={id} value={id}>
                    {name}
                  </option>
                ))}
              </select>
            </div>
            <label class="tick">
              <input
                type="checkbox"
                checked={manageGuild && guildId !== null}
                disabled={guildId === null}
                onChange={({ currentTarget }) => this.#choose({ manageGuild: currentTarget.checked })}
              />
              with Manage Server
            </label>
          </section>
        </div>
        <main>
          <header class="channel">
            <h1>{placeName}</h1>
            <span class="quiet">{where}</span>
            {guide && (
              <button type="button" class="reset" aria-label="Reset sandbox" onClick={() => this.#tell(call('reset'))}>
                Reset
              </button>
            )}
          </header>
          {connection}
          {guide && (
            <Guide
              guide={guide}
              messages={snapshot.messages}
              onPress={({ id, inDirectMessages }) => {
                this.#choose({ memberId: members[0]?.id, guildId: inDirectMessages ? null : guilds[0]?.id });
                this.#tell(call('step', id));
              }}
            />
          )}
          <Chat
            followed={followed}
            snapshot={snapshot}
            viewer={at}
            actions={{
              menu: known.menu,
              use: (messageId, customId, values) =>
                this.#tell(call('use', { messageId, customId, ...(values && { values }), memberId, manageGuild })),
              submit: (interactionId, values, done) => this.#tell(call('submit', { interactionId, values }).then(done)),
              pick: (messageId, command) => {
                this.#tell(call('type', { command, target: { messageId }, ...at }));
                this.#follow(true);
              },
            }}
          />
          <Composer
            key={JSON.stringify(at)}
            at={at}
            placeName={placeName}
            notice={bot ? NOTICES[bot.state] : ''}
            problem={problem}
            onProblem={(sentence) => this.setState({ problem: sentence })}
            commands={known.commands}
            refresh={() => this.#refresh()}
            onSent={(isCommand) => this.#follow(isCommand)}
          />
        </main>
        <Panel snapshot={snapshot} />
      </div>
    );
  }

  /** Chat or card service; the style sheets do the rest. */
  #tabs() {
    const { part: shown } = this.state;
    return (
      <div class="tabs" role="tablist" aria-label="Parts of the page">
        {(['chat', 'service'] as const).map((part) => (
          <button
            key={part}
            type="button"
            role="tab"
            aria-controls={part}
            aria-selected={part === shown}
            tabIndex={part === shown ? 0 : -1}
            onClick={() => this.setState({ part })}
            onKeyDown={({ key, currentTarget }) => {
              if (key !== 'ArrowLeft' && key !== 'ArrowRight') return;
              this.setState({ part: shown === 'chat' ? 'service' : 'chat' });
              currentTarget.parentElement?.querySelector<HTMLElement>('[aria-selected="true"]')?.focus();
            }}
          >
            {PARTS[part]}
          </button>
        ))}
      </div>
    );
  }

  #place(guildId: string | null, name: string, picture: string) {
    const isCurrent = this.#at.guildId === guildId;
    return (
      <button type="button" aria-current={isCurrent ? 'page' : undefined} onClick={() => this.#choose({ guildId })}>
        <img src={picture} alt="" />
        {name}
      </button>
    );
  }

  get #at(): Viewer {
    const { snapshot, manageGuild, guildId = snapshot?.guilds[0]?.id ?? null } = this.state;
    const { memberId = snapshot?.members[0]?.id ?? '' } = this.state;
    return { memberId, guildId, manageGuild };
  }

  #choose(chosen: Pick<State, 'memberId' | 'guildId'> | { manageGuild: boolean }): void {
    this.setState({ ...chosen, known: { commands: [], menu: [] }, problem: '' });
    this.#refresh().catch(() => {}); // typing loads them again
    this.#follow();
  }

  /** Loads what the viewer can use, because the bot may just have registered something. */
  async #refresh(): Promise<readonly ShownCommand[]> {
    const at = this.#at;
    const known = await call('commands', at);
    // Those of a place that was left meanwhile are of no use, and the same again draws the page for nothing
    if (isSame(at, this.#at) && !isSame(known, this.state.known)) this.setState({ known });
    return known.commands;
  }

  /** @param isCommand whether its answer is shown, too, where there is room for one part */
  #follow(isCommand = false): void {
    this.setState(({ followed, part }) => ({ followed: followed + 1, part: isCommand ? 'chat' : part }));
  }

  /** A failed click is reported in the same place as a failed command. */
  #tell(done: Promise<unknown>): void {
    this.setState({ problem: '' });
    done.catch((error: unknown) => this.setState({ problem: wordsOf(error) }));
  }
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

// At once: the next key may be pressed before another turn, and it is meant for what this one shows
options.debounceRendering = (draw) => draw();
render(<Page />, document.body);
