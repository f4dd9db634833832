import { stripTypeScriptTypes } from 'node:module';
import { type Node, parse } from 'acorn';

/** One small change of a file: the text between two places becomes another. */
export interface Mutant {
  start: number;
  end: number;
  instead: string;
}

type Tree = Node & Record<string, unknown>;

const OPERATORS: Readonly<Record<string, string>> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
  '&&': '||',
  '||': '&&',
  '??': '&&',
};
const MEMBERS: Readonly<Record<string, string>> = {
  min: 'max',
  max: 'min',
  floor: 'ceil',
  ceil: 'floor',
  some: 'every',
  every: 'some',
  add: 'delete',
  at: 'indexOf',
};

/** All mutants of a TypeScript file that Node can run, in the order of their places. */
export function mutantsOf(source: string): Mutant[] {
  // Types become spaces, so that every place stays where it is.
  const script = stripTypeScriptTypes(source, { mode: 'strip' });
  const mutants: Mutant[] = [];
  const visit = (node: Tree): void => {
    mutants.push(...mutantsAt(node, script));
    for (const child of Object.values(node).flat()) if (isNode(child)) visit(child);
  };
  visit(parse(script, { ecmaVersion: 'latest', sourceType: 'module' }) as unknown as Tree);
  return mutants.sort((a, b) => a.start - b.start);
}

function mutantsAt(node: Tree, script: string): Mutant[] {
  const { type, start, end } = node;
  const text = (inner: Node) => script.slice(inner.start, inner.end);
  switch (type) {
    case 'BinaryExpression':
    case 'LogicalExpression': {
      const { left, right, operator } = node as unknown as { left: Node; right: Node; operator: string };
      const instead = OPERATORS[operator];
      const at = script.indexOf(operator, left.end);
      return instead && at < right.start ? [{ start: at, end: at + operator.length, instead }] : [];
    }
    case 'ConditionalExpression': {
      const { consequent, alternate } = node as unknown as Record<'consequent' | 'alternate', Node>;
      return [{ start: consequent.start, end, instead: `${text(alternate)} : ${text(consequent)}` }];
    }
    case 'IfStatement': {
      const { test } = node as unknown as { test: Node };
      return ['true', 'false'].map((instead) => ({ start: test.start, end: test.end, instead }));
    }
    case 'UnaryExpression':
      return node.operator === '!' ? [{ start, end: start + 1, instead: '' }] : [];
    case 'Literal':
      return typeof node.value === 'number'
        ? [{ start, end, instead: `(${script.slice(start, end)} + 1)` }]
        : flipped(node);
    case 'MemberExpression': {
      const { property, computed } = node as unknown as { property: Tree; computed: boolean };
      const instead = computed ? undefined : MEMBERS[String(property.name)];
      return instead ? [{ start: property.start, end: property.end, instead }] : [];
    }
    case 'ExpressionStatement':
      return [{ start, end, instead: ';' }];
    case 'ReturnStatement':
      return node.argument && text(node) !== 'return undefined;' ? [{ start, end, instead: 'return undefined;' }] : [];
    default:
      return [];
  }
}

function flipped({ value, start, end }: Tree): Mutant[] {
  return typeof value === 'boolean' ? [{ start, end, instead: String(!value) }] : [];
}

function isNode(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}
