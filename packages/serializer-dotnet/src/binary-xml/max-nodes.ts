/** The XML nodes of one item in a dictionary of objects: an entry, a key, a value, its type, a namespace. */
const nodesPerItem = 5;

/** This many elements and attributes take some hundred megabytes while a body is read. */
const mostNodes = 1_048_576;

/** Maximum number of elements, attributes and declarations of a body with a given maximum of items. */
export function maxNodes(maxItems: number): number {
  return Math.max(maxItems, Math.min(nodesPerItem * maxItems + nodesPerItem, mostNodes));
}
