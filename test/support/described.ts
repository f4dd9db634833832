import { openDescription, plansIn } from '../../src/config/description.ts';
import type { PlanSetting } from '../../src/model/quota.ts';
import type { ServiceDescription } from '../../src/service/service-description.ts';

/** What the variables replace of the default description. */
export interface Replaced {
  cardPath?: string;
  bulkPath?: string | undefined;
  bulkMax?: number | undefined;
  /** A list's own rate. */
  perSecond?: number | undefined;
}

/** The default description, or another, as `CARD_SERVICE` names it. */
export function described(
  { cardPath, bulkPath, bulkMax = 20, perSecond }: Replaced = {},
  name?: string,
): ServiceDescription {
  const opened = openDescription(name);
  if ('faults' in opened) throw new Error(opened.faults.join('\n'));
  const { card, list } = opened.description;
  return {
    ...opened.description,
    card: { ...card, path: cardPath ?? card.path },
    list: bulkPath === undefined ? list : { ...listAt(bulkPath, bulkMax), perSecond },
  };
}

/** As `CARD_SERVICE_BULK_PATH` describes it. */
export function listAt(path: string, max = 20): NonNullable<ServiceDescription['list']> {
  return { path, max, each: '{id}', separator: ',', body: { ids: ['{id}'] } };
}

/** A setting of the default service's plans, unless it has its own. */
export type Planned = Omit<PlanSetting, 'plans'> & Partial<PlanSetting>;

export function settingOf(given: Planned = { plan: 'free' }): PlanSetting {
  return { plans: plansIn(described()), isDayStated: given.plans === undefined, ...given };
}
