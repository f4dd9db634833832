/** Ctrl-C under npm comes twice: from the terminal, and from npm, which passes on what the terminal has told both. */
const ECHO_MS = 1_000;

/** Whether a signal after the first is meant: whoever sends it does not want to wait. */
export function isImpatient(firstAtMs: number, nowMs: number): boolean {
  return nowMs - firstAtMs >= ECHO_MS;
}

/** Aborted by the first SIGTERM or SIGINT; a second ends the process at once with 1, unless it is an echo. */
export function stopSignal(): AbortSignal {
  const stopping = new AbortController();
  let firstAtMs = 0;
  for (const name of ['SIGTERM', 'SIGINT'] as const) {
    process.on(name, () => {
      if (!stopping.signal.aborted) firstAtMs = performance.now();
      else if (isImpatient(firstAtMs, performance.now())) process.exit(1);
      stopping.abort(new Error(name));
    });
  }
  return stopping.signal;
}
