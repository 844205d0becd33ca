import { required } from "@waybill/foundation";
/** An order with line items: about 40 % numbers, the rest short strings, as business messages are. */
export interface Order {
  readonly orderId: string;
  readonly customer: { readonly id: number; readonly name: string; readonly vip: boolean };
  readonly currency: string;
  readonly placedAt: string;
  readonly lines: readonly OrderLine[];
}

interface OrderLine {
  readonly sku: string;
  readonly title: string;
  readonly quantity: number;
  readonly unitPrice: number;
  readonly discount: number | null;
}

/** The Avro schema of an {@link Order}. */
export const orderSchema = {
  type: "record",
  name: "Order",
  namespace: "shop",
  fields: [
    { name: "orderId", type: "string" },
    {
      name: "customer",
      type: {
        type: "record",
        name: "Customer",
        fields: [
          { name: "id", type: "int" },
          { name: "name", type: "string" },
          { name: "vip", type: "boolean" },
        ],
      },
    },
    { name: "currency", type: "string" },
    { name: "placedAt", type: "string" },
    {
      name: "lines",
      type: {
        type: "array",
        items: {
          type: "record",
          name: "Line",
          fields: [
            { name: "sku", type: "string" },
            { name: "title", type: "string" },
            { name: "quantity", type: "int" },
            { name: "unitPrice", type: "double" },
            { name: "discount", type: ["null", "double"] },
          ],
        },
      },
    },
  ],
} as const;

/** {@link orderSchema} one version later: a field renamed by alias, one added with a default, one dropped. */
export const nextOrderSchema = {
  ...orderSchema,
  fields: [
    ...orderSchema.fields.filter(({ name }) => name !== "currency"),
    { name: "channel", type: "string", default: "web" },
  ],
};

const titles = [
  "Walnut desk organiser",
  "Brass lamp",
  "Linen notebook A5",
  "Wool blanket, grey",
  "Steel bottle 0.7 l",
];

/** An order whose JSON text has about the given number of bytes. */
export function order(bytes: number): Order {
  const lines: OrderLine[] = [];
  const made = (): Order => ({
    orderId: "ord-2026-000184-7731",
    customer: { id: 4211877, name: "Ada Example", vip: true },
    currency: "EUR",
    placedAt: "2026-03-14T09:26:53.589Z",
    lines,
  });
  while (JSON.stringify(made()).length < bytes) {
    const n = lines.length;
    lines.push({
      sku: `SKU-${100000 + n * 37}`,
      title: required(titles[n % titles.length]),
      quantity: 1 + (n % 7),
      unitPrice: 4.95 + n * 1.25,
      discount: n % 3 === 0 ? 0.1 : null,
    });
  }
  return made();
}
