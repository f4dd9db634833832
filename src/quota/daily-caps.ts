/** Upstream requests that one may cause per UTC day. */
export interface BudgetSetting {
  /** `undefined` = no cap. */
  guildDaily: number | undefined;
  /** `undefined` = a tenth of the day; 0 = no cap. */
  memberDaily: number | undefined;
}

const DEFAULT_SHARE = 0.1;
const LEAST_DEFAULT = 20;

/** A member's cap; `undefined` when there is none. */
export function memberCap({ memberDaily }: BudgetSetting, dailyLimit: number | undefined): number | undefined {
  if (memberDaily !== undefined) return memberDaily === 0 ? undefined : memberDaily;
  return dailyLimit === undefined ? undefined : Math.max(LEAST_DEFAULT, Math.floor(dailyLimit * DEFAULT_SHARE));
}
