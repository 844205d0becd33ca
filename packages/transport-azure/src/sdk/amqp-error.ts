/** The fields of an AMQP error (AMQP 1.0, part 2.8.14). */
export interface AmqpErrorFields {
  readonly condition?: string | undefined;
  readonly description?: string | undefined;
}

/** Turns an AMQP error into an `Error`. The SDK recognises it by `condition` and `description`. */
export function amqpError({ condition, description }: AmqpErrorFields): Error & AmqpErrorFields {
  return Object.assign(new Error(description ?? condition), { condition, description });
}
