/** A command as members see it: `/card`, or its name in a menu. Discord takes no blank and no capital in a slash command's. */
export function shownCommand(name: string): string {
  return /[\s\p{Lu}]/u.test(name) ? name : `/${name}`;
}
