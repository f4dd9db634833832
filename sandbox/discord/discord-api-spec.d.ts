// The package names its JavaScript as its types. Importing a schema that it no longer has still fails when it is loaded.
declare module 'discord-api-spec/zod';
