import { Component, createRef } from 'preact';
import { botAvatar } from './avatars.ts';
import { Message, type MessageActions } from './message.tsx';
import type { Snapshot } from './page-server.ts';
import { Reading } from './text.tsx';
import { isVisible, type Viewer } from './viewer.ts';

interface ChatProps {
  snapshot: Snapshot;
  viewer: Viewer;
  /** When it grows, the newest message and later ones are scrolled to. */
  followed: number;
  actions: MessageActions;
}

/** A reader closer to the end than this wants to see new messages. */
const NEAR_END_PX = 80;

/** The messages of one place, as the viewer sees them. */
export class Chat extends Component<ChatProps, { dismissed: ReadonlySet<string> }> {
  override state = { dismissed: new Set<string>() };
  readonly #scroller = createRef<HTMLDivElement>();
  /** The newest message is read; only scrolling up ends that. */
  #following = true;
  #topPx = 0;
  #heights = '';

  override componentDidMount(): void {
    const { current } = this.#scroller;
    // Images load after their message and push it down; a taller composer covers more
    const resized = new ResizeObserver(() => this.#keepUp());
    for (const part of current ? [current, ...current.children] : []) resized.observe(part);
  }

  /** At once when there is less: otherwise the browser scrolls up first, which looks like the reader. */
  override componentDidUpdate({ followed }: ChatProps): void {
    if (followed !== this.props.followed) this.#following = true;
    this.#keepUp();
  }

  override render() {
    const { snapshot, viewer, actions } = this.props;
    const { dismissed } = this.state;
    const memberOf = (memberId: string) => snapshot.members.find(({ id }) => id === memberId);
    const reader = { locale: memberOf(viewer.memberId)?.locale ?? '', nameOf: (id: string) => memberOf(id)?.name };
    return (
      <div
        ref={this.#scroller}
        id="chat"
        class="chat"
        role="log"
        aria-label="Messages"
        tabIndex={0} // makes it scrollable by keyboard
        onScroll={() => this.#onScroll()}
      >
        <section class="welcome" aria-label="Welcome">
          <img src={botAvatar()} alt="" />
          <h2>Ask cardbot for a card</h2>
          <p>
            Type <kbd>/card</kbd>, <kbd>Enter</kbd>, <kbd>ember</kbd>, <kbd>Enter</kbd> to pick, <kbd>Enter</kbd> to
            send.
          </p>
        </section>
        <div class="messages">
          <Reading.Provider value={reader}>
            {snapshot.messages
              .filter((message) => isVisible(message, viewer) && !dismissed.has(message.interactionId))
              .map((message) => {
                const { interactionId: id } = message;
                const dismiss = () => this.setState({ dismissed: new Set([...this.state.dismissed, id]) });
                return <Message key={id} {...{ message, actions, dismiss }} />;
              })}
          </Reading.Provider>
        </div>
      </div>
    );
  }

  /** The end also moves when an image loads, and the scroll event after that is not the reader's: the height has changed. */
  #onScroll(): void {
    const scroller = this.#scroller.current;
    if (!scroller) return;
    const { scrollTop, scrollHeight, clientHeight } = scroller;
    const isResized = this.#heights !== `${scrollHeight} ${clientHeight}`;
    const isNearEnd = scrollHeight - scrollTop - clientHeight < NEAR_END_PX;
    this.#following = isNearEnd || (this.#following && (scrollTop >= this.#topPx || isResized));
    this.#topPx = scrollTop;
  }

  /** Keeps the end of the newest message in view, or of a higher one its top; who has scrolled down in it stays there. */
  #keepUp(): void {
    const scroller = this.#scroller.current;
    if (!scroller) return;
    const { scrollTop, scrollHeight, clientHeight } = scroller;
    this.#heights = `${scrollHeight} ${clientHeight}`;
    if (!this.#following) return;
    const newest = scroller.lastElementChild?.lastElementChild?.getBoundingClientRect();
    const newestPx = newest ? newest.top - scroller.getBoundingClientRect().top + scrollTop : scrollHeight;
    scroller.scrollTop = Math.max(scrollTop, Math.min(newestPx, scrollHeight - clientHeight));
    this.#topPx = scroller.scrollTop;
  }
}
