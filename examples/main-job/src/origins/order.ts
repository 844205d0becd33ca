/** The order that every producer of the second part sends, each in its own format. */
export interface Order {
  readonly id: string;
  readonly cents: number;
  readonly isPaid: boolean;
  readonly lines: readonly { readonly sku: string; readonly quantity: number }[];
}

/** The schema of an {@link Order} in both registries. */
export const orderSchema = JSON.stringify({
  type: "record",
  name: "Order",
  namespace: "shop",
  fields: [
    { name: "id", type: "string" },
    { name: "cents", type: "int" },
    { name: "isPaid", type: "boolean" },
    {
      name: "lines",
      type: {
        type: "array",
        items: {
          type: "record",
          name: "Line",
          fields: [
            { name: "sku", type: "string" },
            { name: "quantity", type: "int" },
          ],
        },
      },
    },
  ],
});

/** Order number 0, 1, 2 …: always the same for the same number. */
export function orderOf(number: number): Order {
  return {
    id: `A-${1000 + number}`,
    cents: number * 1999,
    isPaid: number % 3 === 0,
    lines: Array.from({ length: 1 + (number % 4) }, (_, line) => ({
      sku: `SKU-${number}-${line}`,
      quantity: line + 1,
    })),
  };
}
