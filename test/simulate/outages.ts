/** What becomes of Redis as a whole, or of the way of one process to it. */
export const DISRUPTIONS = ['restart', 'forget', 'hang', 'part', 'fail over'] as const;
export type Disruption = (typeof DISRUPTIONS)[number];

export interface Outage {
  kind: Disruption;
  fromMs: number;
  untilMs: number;
}
