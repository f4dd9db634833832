/** Ctrl-C under npm arrives twice: from the terminal, and forwarded by npm. */
const ECHO_MS = 1_000;

/** Whether a signal after the first asks for an immediate exit. */
export function isSecondRequest(firstAtMs: number, nowMs: number): boolean {
  return nowMs - firstAtMs >= ECHO_MS;
}

/** Aborted by the first SIGTERM or SIGINT; a second exits at once with 1, unless it is an echo of the first. */
export function stopSignal(): AbortSignal {
  const stopping = new AbortController();
  let firstAtMs = 0;
  for (const name of ['SIGTERM', 'SIGINT'] as const) {
    process.on(name, () => {
      if (!stopping.signal.aborted) firstAtMs = performance.now();
      else if (isSecondRequest(firstAtMs, performance.now())) process.exit(1);
      stopping.abort(new Error(name));
    });
  }
  return stopping.signal;
}
