// The three date forms of RFC 9110 §5.6.7. Date.parse alone would also take "2" for a month.
const HTTP_DATE =
  /^(?:\w{3}, \d{2} \w{3} \d{4} \d{2}:\d{2}:\d{2} GMT|\w+, \d{2}-\w{3}-\d{2} \d{2}:\d{2}:\d{2} GMT|\w{3} \w{3} [ \d]\d \d{2}:\d{2}:\d{2} \d{4})$/;

/** An HTTP date in ms, or `undefined` when the text is none. */
export function httpDateMs(text: string): number | undefined {
  if (!HTTP_DATE.test(text)) return undefined;
  const atMs = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`); // the asctime form carries no zone, and means UTC
  return Number.isNaN(atMs) ? undefined : atMs;
}
