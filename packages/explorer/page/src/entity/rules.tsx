import type { VNode } from "preact";
import { useLoad } from "../data/use-load.js";
import { Problem, Waiting } from "../parts/parts.js";

interface Rule {
  readonly name: string;
  readonly filter: Readonly<Record<string, unknown>>;
  readonly action?: string;
}

/** The rules of a subscription: their filters and actions. */
export function Rules({ entity }: { readonly entity: string }): VNode {
  const { value, error, isLoading } = useLoad<readonly Rule[]>("rules", { entity });
  return (
    <div>
      <Problem text={error} />
      <Waiting isLoading={isLoading && value === undefined} />
      {value?.length === 0 ? <p class="empty">There is no rule: the subscription gets no message.</p> : null}
      <ul class="groups">
        {(value ?? []).map(({ name, filter, action }) => (
          <li key={name} class="card">
            <h2>{name}</h2>
            <pre>
              {typeof filter.sqlExpression === "string"
                ? filter.sqlExpression
                : JSON.stringify(filter, undefined, 2)}
            </pre>
            {action === undefined ? null : <pre>{action}</pre>}
          </li>
        ))}
      </ul>
    </div>
  );
}
