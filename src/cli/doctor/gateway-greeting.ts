const PATIENCE_MS = 10_000;

/**
 * Whether Discord's gateway greets who connects. Ends before the login, so it costs none of the day's and does not
 * disturb a bot that is running.
 */
export function greets(url: string): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = new WebSocket(`${url}?v=10&encoding=json`);
  const timer = setTimeout(() => resolve(false), PATIENCE_MS);
  socket.addEventListener('message', () => resolve(true));
  socket.addEventListener('error', () => resolve(false));
  socket.addEventListener('close', () => resolve(false));
  return promise.finally(() => {
    clearTimeout(timer);
    socket.close();
  });
}
