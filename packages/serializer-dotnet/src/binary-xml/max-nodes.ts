/** What an item of a dictionary of objects is in XML: an entry, a key, a value, its type, a namespace. */
const nodesPerItem = 5;

/** So many elements and attributes take some hundred megabytes while a body is read. */
const mostNodes = 1_048_576;

/** How many elements, attributes and declarations a body may have that may hold so many items. */
export function maxNodes(maxItems: number): number {
  return Math.max(maxItems, Math.min(nodesPerItem * maxItems + nodesPerItem, mostNodes));
}
