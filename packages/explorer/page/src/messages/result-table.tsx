import type { VNode } from "preact";
import { href } from "../data/route.js";
import type { MessageRow } from "../data/types.js";
import { Table } from "../parts/parts.js";
import { Text } from "../parts/text.js";
import { Time } from "../parts/time.js";
import { ReadBy } from "./message-row.js";

interface Result {
  readonly path: string;
  readonly row: MessageRow;
  readonly ties?: readonly string[];
}

/** Messages of several entities. */
export function ResultTable({
  label,
  results,
}: {
  readonly label: string;
  readonly results: readonly Result[];
}): VNode {
  const hasTies = results.some(({ ties }) => ties !== undefined);
  return (
    <Table
      label={label}
      head={["Where", "Message", "Enqueued", "Type", "Read by", ...(hasTies ? ["Related by"] : [])]}
    >
      {results.map(({ path, row, ties }) => (
        <tr key={`${path} ${row.sequenceNumber}`}>
          <td>{path}</td>
          <th scope="row">
            <a href={href("entity", path, "messages", row.sequenceNumber)}>
              <Text>{row.messageId ?? `№ ${row.sequenceNumber}`}</Text>
            </a>
          </th>
          <td>
            <Time at={row.enqueuedAt} />
          </td>
          <td>
            <Text>{row.messageType ?? row.subject ?? "–"}</Text>
          </td>
          <td>
            <ReadBy row={row} />
          </td>
          {hasTies ? (
            <td>
              <Text>{(ties ?? []).join(", ")}</Text>
            </td>
          ) : null}
        </tr>
      ))}
    </Table>
  );
}
