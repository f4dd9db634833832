import { parseMetrics } from './parse-metrics.ts';

/**
 * What `promtool check metrics` would object to, as far as these of its rules go: every metric has help; a counter, and
 * nothing else, ends with `_total`; the label `quantile` is left to summaries, and `le` and `_bucket` to histograms; names
 * of labels are in snake case. (Names of metrics are: `parseMetrics` reads no other.) Not covered: base units and their
 * abbreviations, and types in names.
 */
export function promtoolProblems(text: string): string[] {
  const types = new Map([...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = '', type = '']) => [name, type]));
  const samples = parseMetrics(text);
  return [...types].flatMap(([name, type]) => {
    const own = samples.filter(
      (sample) => sample.name.startsWith(name) && isPartOf(sample.name.slice(name.length), type),
    );
    const labels = new Set(own.flatMap((sample) => Object.keys(sample.labels)));
    const reserved = ['quantile', 'le'].filter((label) => label !== RESERVED_FOR[type]);
    return [
      ...(type === 'counter' && !name.endsWith('_total') ? [`${name}: a counter ends with _total`] : []),
      ...(type !== 'counter' && name.endsWith('_total') ? [`${name}: only a counter ends with _total`] : []),
      ...[...labels]
        .filter((label) => reserved.includes(label) || !/^[a-z_]+$/.test(label))
        .map((label) => `${name}: label ${label}`),
      ...(text.includes(`# HELP ${name} `) ? [] : [`${name}: no help`]),
    ];
  });
}

const RESERVED_FOR: Readonly<Record<string, string>> = { summary: 'quantile', histogram: 'le' };

function isPartOf(suffix: string, type: string): boolean {
  return suffix === '' || (type in RESERVED_FOR && ['_bucket', '_sum', '_count'].includes(suffix));
}
