/** The first letters of each interaction token, here as at Discord: "interaction:" in base64. */
export const INTERACTION_TOKEN_START = 'aW50ZXJhY3Rpb246';

/** A secret as it can stand in a text: as it is, encoded for an address or in base64, and in JSON up to three deep. */
export function secretForms(secret: string): string[] {
  const inJson = (text: string) => JSON.stringify(text).slice(1, -1);
  const forms = [secret, encodeURIComponent(secret), encodeURI(secret), Buffer.from(secret).toString('base64')];
  return [
    ...new Set(forms.flatMap((form) => [form, inJson(form), inJson(inJson(form)), inJson(inJson(inJson(form)))])),
  ];
}

/** The forms of `secrets` that a text holds, interaction tokens of whatever interaction included. */
export function secretsIn(text: string, secrets: readonly string[]): string[] {
  return [INTERACTION_TOKEN_START, ...secrets.flatMap(secretForms)].filter((form) => text.includes(form));
}
