import type { Sample } from './parse-metrics.ts';

/** Labels that Prometheus gives to every target. */
const TARGET_LABELS = ['job', 'instance'];
/** What an expression may name besides metrics. */
const WORDS = new Set(
  'sum max min by on and or unless rate increase changes histogram_quantile min_over_time up'.split(' '),
);

/**
 * What an expression of PromQL reads that is not exported: metrics, labels, and values of labels. Knows the part of the
 * language that the dashboard and the alert rules use; a word that is neither of it nor a metric is a problem, too.
 */
export function expressionProblems(expression: string, samples: readonly Sample[]): string[] {
  const isBalanced = expression.split('(').length === expression.split(')').length;
  const problems = [
    ...unknownNames(expression, samples),
    ...unknownValues(expression, samples),
    ...unknownLabels(expression, samples),
    ...(isBalanced ? [] : ['parentheses']),
  ];
  return problems.map((problem) => `${problem}: ${expression}`);
}

function namesIn(expression: string): string[] {
  const bare = expression.replaceAll(/\[[^\]]*\]|\{[^}]*\}|\b(?:by|on) \([^)]*\)/g, '');
  return bare.match(/[a-z_]\w*/g) ?? [];
}

function unknownNames(expression: string, samples: readonly Sample[]): string[] {
  const exported = new Set(samples.map(({ name }) => name));
  return namesIn(expression).filter((name) => !WORDS.has(name) && !exported.has(name));
}

function unknownValues(expression: string, samples: readonly Sample[]): string[] {
  return [...expression.matchAll(/([a-z_]\w*)\{([^}]*)\}/g)].flatMap(([, name = '', matchers = '']) => {
    const series = samples.filter((sample) => sample.name === name);
    return [...matchers.matchAll(/(\w+)(=~|!=|=)"([^"]*)"/g)]
      .filter(([, label = '']) => !TARGET_LABELS.includes(label))
      .flatMap(([, label = '', operator, text = '']) =>
        (operator === '=~' ? text.split('|') : [text])
          .filter((value) => !series.some(({ labels }) => labels[label] === value))
          .map((value) => `${name}{${label}="${value}"}`),
      );
  });
}

/** Those that series are grouped by, or matched on. */
function unknownLabels(expression: string, samples: readonly Sample[]): string[] {
  const names = namesIn(expression);
  const known = samples.filter(({ name }) => names.includes(name)).flatMap(({ labels }) => Object.keys(labels));
  const wanted = [...expression.matchAll(/\b(?:by|on) \(([^)]*)\)/g)].flatMap(([, labels = '']) => labels.split(', '));
  return wanted.filter((label) => ![...TARGET_LABELS, ...known].includes(label));
}
