import { ApplicationFormPartialSchema } from 'discord-api-spec/zod';

import { readForm, refuse, when } from './forms.ts';

/** What a bot may change of its own application; null and an absent part: none from now on. */
interface ApplicationForm {
  description?: { default: string } | null;
  tags?: string[] | null;
  integration_types_config?: Record<
    string,
    { oauth2_install_params?: { scopes?: string[]; permissions?: number } }
  > | null;
}

/** The fields of the application that the body changes, as Discord answers with them. @throws ApiError 50035 */
export function changedApplication(body: unknown): object {
  const form = readForm<ApplicationForm>(ApplicationFormPartialSchema, JSON.parse(JSON.stringify(body), asSpecified));
  const installs = Object.entries(form.integration_types_config ?? {});
  const isOdd = installs.some(([type]) => type !== '0' && type !== '1');
  refuse(when(isOdd, ['integration_types_config'], 'BASE_TYPE_CHOICES', 'Value must be one of {0, 1}.'));
  return {
    ...('description' in form && { description: form.description?.default ?? '' }),
    ...('tags' in form && { tags: form.tags ?? [] }),
    ...('integration_types_config' in form && {
      integration_types_config: Object.fromEntries(
        installs.map(([type, { oauth2_install_params: params }]) => {
          const { scopes = [], permissions = 0 } = params ?? {};
          return [type, params ? { oauth2_install_params: { scopes, permissions: String(permissions) } } : {}];
        }),
      ),
    }),
  };
}

/** The documentation has texts where the specification has an object and a number. */
function asSpecified(key: string, value: unknown): unknown {
  if (key === 'permissions' && typeof value === 'string' && /^\d+$/.test(value)) return Number(value);
  return key === 'description' && typeof value === 'string' ? { default: value } : value;
}
