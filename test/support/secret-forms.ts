/** Every interaction token begins with "interaction:" in base64, as Discord's do. */
export const INTERACTION_TOKEN_START = 'aW50ZXJhY3Rpb246';

/** The forms in which a secret can appear in a text: plain, percent-encoded, base64, and as JSON nested up to three deep. */
export function secretForms(secret: string): string[] {
  const inJson = (text: string) => JSON.stringify(text).slice(1, -1);
  const forms = [secret, encodeURIComponent(secret), encodeURI(secret), Buffer.from(secret).toString('base64')];
  return [
    ...new Set(forms.flatMap((form) => [form, inJson(form), inJson(inJson(form)), inJson(inJson(inJson(form)))])),
  ];
}

/** The forms of `secrets` that a text contains, and any interaction token. */
export function secretsIn(text: string, secrets: readonly string[]): string[] {
  return [INTERACTION_TOKEN_START, ...secrets.flatMap(secretForms)].filter((form) => text.includes(form));
}
