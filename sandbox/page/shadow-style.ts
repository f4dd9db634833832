/**
 * The components' own colours of times, notes and command names are too pale to read on one of the two backgrounds, and
 * their pictures are smaller than Discord's; and an embed's text gets all the width that its thumbnail leaves, also below a
 * long footer. Rules of the page do not reach into shadow roots, variables do.
 */
const STYLE = new CSSStyleSheet();
STYLE.replaceSync(`
  .discord-message-timestamp, .discord-message-edited, .discord-message-ephemeral,
  .discord-replied-message-content { color: var(--quiet) !important; }
  .discord-message-ephemeral .discord-message-ephemeral-link { color: var(--link); }
  :host .discord-replied-message-username { color: var(--text) !important; opacity: 1 !important; }
  :host .discord-slash-command-name { color: var(--command) !important; background-color: var(--command-back); }
  .discord-message-content { min-width: 0; }
  :host .discord-embed-wrapper .discord-embed-grid { grid-template-columns: minmax(0, 1fr) min-content; }
  :host .discord-embed-image { max-width: min(400px, 100%); }
`);

/** Gives a component of the library the page's look, once it is drawn. */
export function usePageStyle(component: HTMLElement & { updateComplete: Promise<unknown> }): void {
  void component.updateComplete.then(() => component.shadowRoot?.adoptedStyleSheets.push(STYLE));
}
