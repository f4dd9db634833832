/** What the client programs share: their options, the commands and the lines of the transcript. */
export const { DISCORD_API_URL = '', DISCORD_TOKEN = '' } = process.env;

const STRING = 3 as const;
const CHAT_INPUT = 1 as const;

const slash = (name: string) => ({ type: CHAT_INPUT, name, description: `Says ${name}` });

export const COMMANDS = [
  slash('now'),
  slash('later'),
  {
    ...slash('find'),
    options: [{ type: STRING, name: 'text', description: 'Any text', required: true, autocomplete: true }],
  },
  slash('spare'),
];

export const LATE_COMMAND = slash('bye');

export const AGAIN_BUTTON = { type: 2, style: 1, label: 'Again', custom_id: 'again' } as const;

/** One line of the transcript. */
export function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

export function namesOf(commands: Iterable<{ name: string }>): string {
  return Array.from(commands, ({ name }) => name).join(', ');
}
