/**
 * Where a server's owner adds the bot: as a member, so that it is seen in the list, and with its commands. It needs no
 * permission there: it answers commands, and that needs none
 * (https://docs.discord.com/developers/topics/oauth2#bot-authorization-flow).
 */
export function inviteLink(applicationId: string): string {
  return `https://discord.com/oauth2/authorize?client_id=${applicationId}&scope=bot+applications.commands&permissions=0`;
}
