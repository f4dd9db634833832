/**
 * The name of a UTC day under which requests to a card service with ids of its own are counted, so that nobody's budget counts
 * those to another; the default interface has the day alone. It begins with the day, and `~` comes after all of a day.
 */
export function dayOfService(day: string, service: string | undefined): string {
  return service === undefined ? day : `${day}.${service}`;
}
