import type { VNode } from "preact";
import type { AttemptView } from "../data/types.js";
import { Table } from "./parts.js";
import { Text } from "./text.js";

interface AttemptsTableProps {
  readonly title: string;
  readonly attempts: readonly AttemptView[];
  /** The one that got furthest; -1 for none. */
  readonly decisive: number;
}

/** Who tried to read a body, at which stage each failed, why and where. */
export function AttemptsTable({ title, attempts, decisive }: AttemptsTableProps): VNode {
  return (
    <Table label={title} head={["Tried", "Stage", "Reason", "Offset", "Detail"]} hasCaption={true}>
      {attempts.map((attempt, index) => (
        <tr key={index} class={index === decisive ? "decisive" : ""}>
          <th scope="row">{attempt.serializer ?? "nobody"}</th>
          <td>{attempt.stage}</td>
          <td>{attempt.reason}</td>
          <td>{attempt.offset ?? "–"}</td>
          <td class="detail">
            <Text>{attempt.detail}</Text>
          </td>
        </tr>
      ))}
    </Table>
  );
}
