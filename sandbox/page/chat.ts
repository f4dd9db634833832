import '@skyra/discord-components-core/discord-messages.js';
import type { Snapshot } from '../page-protocol.ts';
import { element } from './element.ts';
import { followedTopPx, followsAfterScroll } from './following.ts';
import { type MessageActions, type MessageView, messageElement, postElement } from './message.ts';
import { isVisible, isVisiblePost, type Viewer } from './viewer.ts';

export interface ChatOptions {
  actions: MessageActions;
  redraw(): void;
}

interface Shown {
  /** The message as JSON with the viewer's locale, menu and theme; if equal, it is not redrawn. */
  drawn: string;
  node: HTMLElement;
}

/** A reply, or a message that a member wrote. */
interface Entry {
  id: string;
  of: object;
  make(view: MessageView): HTMLElement;
}

/** The messages of one place, as the viewer sees them; only changed ones are redrawn. */
export class Chat {
  readonly #scroller: HTMLElement;
  readonly #list = element('discord-messages', { noBackground: true });
  readonly #shown = new Map<string, Shown>();
  readonly #dismissed = new Set<string>();
  readonly #options: ChatOptions;
  #following = true;
  #topPx = 0;
  #heights = '';

  constructor(scroller: HTMLElement, options: ChatOptions) {
    this.#scroller = scroller;
    this.#options = options;
    scroller.tabIndex = 0; // makes it scrollable by keyboard
    scroller.append(this.#list);
    watchLightTheme((isLight) => this.#light(isLight));
    scroller.addEventListener('scroll', () => {
      const { scrollTop: topPx, scrollHeight, clientHeight } = scroller;
      const isResized = this.#heights !== `${scrollHeight} ${clientHeight}`;
      const scrolled = { beforePx: this.#topPx, topPx, isResized, toEndPx: scrollHeight - topPx - clientHeight };
      this.#following = followsAfterScroll({ following: this.#following, ...scrolled });
      this.#topPx = topPx;
    });
    // Images load after their message and push it down; a taller composer covers more
    const resized = new ResizeObserver(() => this.#keepUp());
    for (const part of [scroller, ...scroller.children]) resized.observe(part);
  }

  /** Scrolls to the newest message and follows later ones. */
  follow(): void {
    this.#following = true;
    this.#keepUp();
  }

  /** @param menu the names of the context menu commands of a message */
  show(snapshot: Snapshot, viewer: Viewer, menu: readonly string[]): void {
    const replies = snapshot.messages
      .filter((message) => isVisible(message, viewer) && !this.#dismissed.has(message.interactionId))
      .map((of) => ({ id: of.interactionId, atMs: of.typedAtMs, of, make: messageElement.bind(null, of) }));
    const posts = snapshot.posts
      .filter((post) => isVisiblePost(post, viewer))
      .map((of) => ({ id: of.messageId, atMs: of.postedAtMs, of, make: postElement.bind(null, of) }));
    const entries = [...replies, ...posts].sort((a, b) => a.atMs - b.atMs);
    const kept = new Set(entries.map(({ id }) => id));
    const isShorter = this.#shown.size > entries.length;
    for (const [id, { node }] of this.#shown) {
      if (kept.has(id)) continue;
      node.remove();
      this.#shown.delete(id);
    }
    for (const [position, entry] of entries.entries()) {
      this.#place(position, this.#draw(entry, snapshot, viewer, menu));
    }
    if (isShorter) this.#keepUp(); // at once: otherwise the browser scrolls up first, which looks like the reader
  }

  /** Messages are drawn anew, because some of the library's components take their theme only when they are created. */
  #light(isLight: boolean): void {
    this.#list.lightTheme = isLight;
    if (this.#shown.size > 0) this.#options.redraw();
  }

  #draw({ id, of, make }: Entry, { members }: Snapshot, { member }: Viewer, menu: readonly string[]) {
    const drawn = JSON.stringify([of, member.locale, menu, this.#list.lightTheme]);
    const before = this.#shown.get(id);
    if (before?.drawn === drawn) return before.node;

    const dismiss = () => {
      this.#dismissed.add(id);
      this.#options.redraw();
    };
    const nameOf = (id: string) => members.find((known) => known.id === id)?.name;
    const reader = { locale: member.locale, nameOf };
    const { actions } = this.#options;
    const node = make({ reader, menu, actions, dismiss });
    before?.node.replaceWith(node);
    this.#shown.set(id, { drawn, node });
    return node;
  }

  #place(position: number, node: HTMLElement): void {
    const there = this.#list.children[position];
    if (there !== node) this.#list.insertBefore(node, there ?? null);
  }

  /** Keeps the newest message visible, unless the reader has scrolled up; who has scrolled down in it stays there. */
  #keepUp(): void {
    const { scrollTop, scrollHeight, clientHeight } = this.#scroller;
    this.#heights = `${scrollHeight} ${clientHeight}`;
    if (!this.#following) return;
    const newest = this.#list.lastElementChild?.getBoundingClientRect();
    const newestPx = newest ? newest.top - this.#scroller.getBoundingClientRect().top + scrollTop : scrollHeight;
    const topPx = followedTopPx({ newestPx, endPx: scrollHeight - clientHeight });
    this.#scroller.scrollTop = Math.max(scrollTop, topPx);
    this.#topPx = this.#scroller.scrollTop;
  }
}

/** Calls back with whether the reader's system is light: now, and at each change. */
function watchLightTheme(onChange: (isLight: boolean) => void): void {
  const light = matchMedia('(prefers-color-scheme: light)');
  light.addEventListener('change', () => onChange(light.matches));
  onChange(light.matches);
}
