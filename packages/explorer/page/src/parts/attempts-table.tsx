import type { VNode } from "preact";
import { countText } from "../data/format.js";
import type { AttemptView } from "../data/types.js";
import { Table } from "./parts.js";
import { Text } from "./text.js";

interface AttemptsTableProps {
  readonly title: string;
  readonly attempts: readonly AttemptView[];
  /** The index of the attempt that got furthest; -1 for none. */
  readonly decisive: number;
}

/** The failed attempts to read a body: serializer, stage, reason and offset. */
export function AttemptsTable({ title, attempts, decisive }: AttemptsTableProps): VNode {
  return (
    <Table
      label={title}
      head={["Tried", "Stage", "Reason", "Offset", "Detail"]}
      numbers={["Offset"]}
      hasCaption={true}
    >
      {attempts.map((attempt, index) => (
        <tr key={index} class={index === decisive ? "decisive" : ""}>
          <th scope="row">{attempt.serializer ?? "no serializer"}</th>
          <td>{attempt.stage}</td>
          <td>{attempt.reason}</td>
          <td class="number">{attempt.offset === undefined ? "–" : countText(attempt.offset)}</td>
          <td class="detail">
            <Text>{attempt.detail}</Text>
          </td>
        </tr>
      ))}
    </Table>
  );
}
