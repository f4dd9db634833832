/** A treap: a search tree that is balanced because each node has a random weight, and none is above a lighter one. */
interface Node<T> {
  readonly item: T;
  readonly weight: number;
  /** The item's own, and those of all below. */
  readonly marks: number;
  marksBelow: number;
  size: number;
  before: Node<T> | undefined;
  behind: Node<T> | undefined;
}

/** Every item has it. */
export const PRESENT = 1;

/**
 * Items in order. Adding one, taking one out, counting those before a place and finding the first with a mark takes at most
 * the logarithm of their number. An item is taken out before what orders or marks it changes.
 */
export class OrderedSet<Place, T extends Place = Place> {
  readonly #compare: (a: Place, b: Place) => number;
  readonly #marksOf: (item: T) => number;
  #root: Node<T> | undefined;

  /**
   * @param compare never 0 for two items
   * @param marksOf bits, besides `PRESENT`
   */
  constructor(compare: (a: Place, b: Place) => number, marksOf: (item: T) => number = () => 0) {
    this.#compare = compare;
    this.#marksOf = marksOf;
  }

  get size(): number {
    return this.#root?.size ?? 0;
  }

  add(item: T): void {
    const marks = this.#marksOf(item) | PRESENT;
    const weight = Math.random();
    const node = { item, weight, marks, marksBelow: marks, size: 1, before: undefined, behind: undefined };
    this.#root = this.#with(this.#root, node);
  }

  delete(item: T): void {
    this.#root = this.#without(this.#root, item);
  }

  countBefore(place: Place): number {
    let count = 0;
    for (let node = this.#root; node; ) {
      const isBefore = this.#compare(node.item, place) < 0;
      if (isBefore) count += 1 + (node.before?.size ?? 0);
      node = isBefore ? node.behind : node.before;
    }
    return count;
  }

  first(marks = PRESENT): T | undefined {
    let node = this.#root;
    while (node && node.marksBelow & marks) {
      if (node.before && node.before.marksBelow & marks) node = node.before;
      else if (node.marks & marks) return node.item;
      else node = node.behind;
    }
    return undefined;
  }

  /** In order, those with one of these marks. Nothing is added or taken out meanwhile. */
  *having(marks = PRESENT): Generator<T, undefined> {
    const path: Node<T>[] = [];
    for (let next = this.#root; ; ) {
      for (; next && next.marksBelow & marks; next = next.before) path.push(next);
      const node = path.pop();
      if (!node) return;
      if (node.marks & marks) yield node.item;
      next = node.behind;
    }
  }

  #with(tree: Node<T> | undefined, node: Node<T>): Node<T> {
    if (!tree) return node;
    if (node.weight < tree.weight) {
      [node.before, node.behind] = this.#split(tree, node.item);
      return measured(node);
    }
    if (this.#compare(node.item, tree.item) < 0) tree.before = this.#with(tree.before, node);
    else tree.behind = this.#with(tree.behind, node);
    return measured(tree);
  }

  #without(tree: Node<T> | undefined, item: T): Node<T> | undefined {
    if (!tree) return undefined;
    if (tree.item === item) return joined(tree.before, tree.behind);
    if (this.#compare(item, tree.item) < 0) tree.before = this.#without(tree.before, item);
    else tree.behind = this.#without(tree.behind, item);
    return measured(tree);
  }

  #split(tree: Node<T> | undefined, place: Place): [Node<T> | undefined, Node<T> | undefined] {
    if (!tree) return [undefined, undefined];
    const isBefore = this.#compare(tree.item, place) < 0;
    const [before, behind] = this.#split(isBefore ? tree.behind : tree.before, place);
    if (isBefore) tree.behind = before;
    else tree.before = behind;
    return isBefore ? [measured(tree), behind] : [before, measured(tree)];
  }
}

function joined<T>(before: Node<T> | undefined, behind: Node<T> | undefined): Node<T> | undefined {
  if (!before || !behind) return before ?? behind;
  if (before.weight < behind.weight) before.behind = joined(before.behind, behind);
  else behind.before = joined(before, behind.before);
  return measured(before.weight < behind.weight ? before : behind);
}

function measured<T>(node: Node<T>): Node<T> {
  const { before, behind } = node;
  node.size = 1 + (before?.size ?? 0) + (behind?.size ?? 0);
  node.marksBelow = node.marks | (before?.marksBelow ?? 0) | (behind?.marksBelow ?? 0);
  return node;
}
