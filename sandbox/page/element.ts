type Properties<Tag extends keyof HTMLElementTagNameMap> = {
  [Name in keyof HTMLElementTagNameMap[Tag]]?: HTMLElementTagNameMap[Tag][Name] | undefined;
};

/** Creates an element with properties and children; `undefined` properties are not set. */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  properties: Properties<Tag> = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value !== undefined) Reflect.set(made, name, value);
  }
  made.append(...children);
  return made;
}

/** A link to somewhere else. */
export function linkTo(href: string, ...children: (Node | string)[]): HTMLElement {
  return element('a', { href, target: '_blank', rel: 'noopener noreferrer' }, ...children);
}

/** Finds an element of `page.html`. */
export function section(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (!found) throw new Error(`page.html has no #${id}`);
  return found;
}
