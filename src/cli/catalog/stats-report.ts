import type { CatalogStats } from '../../catalog/catalog-card.ts';
import { counted } from './progress.ts';

/** The figures of the catalog, as lines. */
export function statsReport({ cards, confirmed, denied, names, imports, bytes }: CatalogStats): string {
  const withdrawn = (isWithdrawn: boolean) =>
    isWithdrawn ? ', no longer offered: the service denied five of its cards and confirmed none' : '';
  const lines = [
    `Cards: ${counted(cards)} with ${counted(names)} names`,
    `Confirmed by the card service: ${counted(confirmed)}`,
    `Denied by it, while a copy is kept: ${counted(denied)}`,
    `Not confirmed: ${counted(cards - confirmed)}`,
    ...imports.map(
      ({ source, unconfirmed, isWithdrawn }) => `  ${source}: ${counted(unconfirmed)}${withdrawn(isWithdrawn)}`,
    ),
    `On disk: ${(bytes / 1e6).toLocaleString('en', { maximumFractionDigits: 1 })} MB`,
  ];
  return `${lines.join('\n')}\n`;
}
