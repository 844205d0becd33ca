/** An error as AMQP writes it (AMQP 1.0, part 2.8.14). */
export interface AmqpErrorFields {
  readonly condition?: string | undefined;
  readonly description?: string | undefined;
}

/** An error of AMQP as one that can be thrown. The SDK, whichever copy of its libraries it uses, knows it by its two fields. */
export function amqpError({ condition, description }: AmqpErrorFields): Error & AmqpErrorFields {
  return Object.assign(new Error(description ?? condition), { condition, description });
}
