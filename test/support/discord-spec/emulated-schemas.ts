import * as specification from 'discord-api-spec/zod';
import { type JsonSchema, jsonSchemas } from './json-schemas.ts';

/** The bodies that the emulated Discord reads. */
const BODIES = [
  'IncomingWebhookInteractionRequest',
  'MessageCreateRequest',
  'CreatePrivateChannelRequest',
  'ModalInteractionCallbackRequestData',
  'InteractionApplicationCommandAutocompleteCallbackStringData',
  'ApplicationCommandUpdateRequest',
  'ApplicationFormPartial',
];

// What the bot never uses is not emulated, and refused: kinds of components and options, fields, and values.
export const NOT_EMULATED =
  /^(?:Container|File|FileUpload|MediaGallery|Section|Separator|TextDisplay|Checkbox|CheckboxGroup|RadioGroup)Component|^(?:Channel|Mentionable|Role|User)SelectComponent|^StringSelectComponentForModal|^ActionRowComponentForModal|^ApplicationCommand(?:Attachment|Channel|Mentionable|Role|User|Subcommand|SubcommandGroup)Option$|^ApplicationCommand\w+Option\.choices$|^ApplicationCommand(?:Integer|Number)Option\.autocomplete$|^InteractionApplicationCommandAutocompleteCallback(?:Integer|Number)Data|^ApplicationCommandOption(?:Integer|Number)Choice|\.(?:poll|sku_id|handler)$|^ApplicationFormPartial\.(?!description|default|localizations|tags|integration_types_config)/;
const VALUES: Readonly<Record<string, unknown>> = { ApplicationCommandType: 4, ButtonStyleTypes: 6 };

/** Of a message that answers nobody these alone are read: the others are those of every message. */
const NONCE = ['nonce', 'enforce_nonce'];

/** `sandbox/discord/schemas.json`: the schemas of the bodies that the emulated Discord reads, one a line. */
export function emulatedSchemas(): string {
  const all = jsonSchemas(
    Object.fromEntries(Object.entries(specification).map(([name, each]) => [name.replace(/Schema$/, ''), each])),
  );
  const found = new Map<string, JsonSchema>();
  const add = (name: string) => {
    if (found.has(name)) return;
    const schema = emulated(all[name] ?? {}, name);
    found.set(name, schema);
    JSON.stringify(schema, (key, value) => (key === '$ref' ? add(value) : value));
  };
  BODIES.forEach(add);
  const lines = [...found].map(([name, schema]) => `  ${JSON.stringify(name)}: ${JSON.stringify(schema)}`);
  return `{\n${lines.join(',\n')}\n}\n`;
}

function emulated(schema: JsonSchema, name: string): JsonSchema {
  const { anyOf, items, properties, additionalProperties, ...rest } = schema;
  if (anyOf) {
    const kept = anyOf.filter(({ $ref = '' }) => !NOT_EMULATED.test($ref)).map((each) => emulated(each, name));
    const [only, nothing] = kept;
    const isNullable = kept.length === 2 && nothing?.type === 'null' && typeof only?.type === 'string';
    return isNullable ? { ...only, type: [only.type as string, 'null'] } : { ...rest, anyOf: kept };
  }
  const fields = Object.entries(properties ?? {}).filter(
    ([key]) => name !== 'MessageCreateRequest' || NONCE.includes(key),
  );
  return {
    ...rest,
    ...(rest.enum && { enum: rest.enum.filter((value) => value !== VALUES[name]) }),
    ...(items && { items: emulated(items, name) }),
    ...(additionalProperties && { additionalProperties: emulated(additionalProperties, name) }),
    ...(properties && {
      properties: Object.fromEntries(
        fields.map(([key, each]) => [
          key,
          NOT_EMULATED.test(`${name}.${key}`) ? { type: 'null' } : emulated(each, name),
        ]),
      ),
    }),
  };
}
