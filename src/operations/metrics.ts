import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from '@prometheus-io/client';
import type { Events, EventsByName } from '../model/events.ts';

type Labels = Readonly<Record<string, string>>;

/** The labels of the metric, and perhaps others that it has not. */
interface Sample {
  /** What a counter is increased by (1 unless given), a gauge is set to, a histogram observes. */
  value?: number;
  [label: string]: unknown;
}

/** One metric: what Prometheus is told of it, and where its figures come from. With `buckets` it is a histogram. */
export interface Metric {
  /** As Prometheus wants it, counters alone end with `_total`. */
  name: string;
  help: string;
  /**
   * The values of each label for which there are figures from the start: Prometheus sees no increase in a counter that
   * begins at 1.
   */
  labels?: Readonly<Record<string, readonly string[]>>;
  /** Where such a figure starts; 0 unless given. */
  startOf?: (labels: Labels) => number;
  buckets?: number[];
  /** Begins to count. */
  follow?: (events: Events, record: (sample: Sample) => void) => void;
  /** All figures, as they are whenever Prometheus reads them. */
  read?: () => Sample[];
}

/**
 * A metric that changes with each event, and whose labels are fields of it.
 *
 * @param sample what is not as in the event; `undefined`: this one does not count
 */
export function on<Name extends keyof EventsByName>(
  name: Name,
  sample: (event: EventsByName[Name]) => Sample | undefined = () => ({}),
): Pick<Metric, 'follow'> {
  return {
    follow(events, record) {
      events.subscribe(name, (event) => {
        const found = sample(event);
        if (found) record({ ...event, ...found });
      });
    },
  };
}

/** A metric of what the last event said, as of the moment at which it is read. */
export function last<Name extends keyof EventsByName>(
  name: Name,
  samples: (event: EventsByName[Name] | undefined) => Sample[],
): Pick<Metric, 'follow' | 'read'> {
  let known: EventsByName[Name] | undefined;
  return {
    follow(events) {
      events.subscribe(name, (event) => {
        known = event;
      });
    },
    read: () => samples(known),
  };
}

/** What Prometheus reads: what is counted from the events of one bot, and the library's own metrics of the process. */
export function registryOf(events: Events, metrics: readonly Metric[]): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  for (const metric of metrics) {
    const record = register(metric, registry);
    metric.follow?.(events, record);
  }
  return registry;
}

/** @returns takes a sample */
function register({ name, help, labels = {}, startOf = () => 0, buckets, read }: Metric, registry: Registry) {
  const labelNames = Object.keys(labels);
  const collect = () => {
    figure.reset();
    for (const sample of read?.() ?? []) record(sample);
  };
  const options = { name, help, labelNames, registers: [registry], ...(read && { collect }) };
  const Kind = name.endsWith('_total') ? Counter : Gauge;
  const figure = buckets ? new Histogram({ ...options, buckets }) : new Kind(options);
  const record = ({ value = 1, ...sample }: Sample) => {
    const own = Object.fromEntries(labelNames.map((label) => [label, String(sample[label])]));
    if (figure instanceof Counter) figure.inc(own, value);
    else if (figure instanceof Gauge) figure.set(own, value);
    else figure.observe(own, value);
  };
  for (const combination of combinations(labels)) {
    if (figure instanceof Histogram) figure.zero(combination);
    else record({ ...combination, value: startOf(combination) });
  }
  return record;
}

function combinations(labels: NonNullable<Metric['labels']>): Labels[] {
  return Object.entries(labels).reduce<Labels[]>(
    (known, [name, values]) => known.flatMap((each) => values.map((value) => ({ ...each, [name]: value }))),
    [{}],
  );
}
