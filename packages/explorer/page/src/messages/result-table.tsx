import type { VNode } from "preact";
import { timeText } from "../data/format.js";
import { href } from "../data/route.js";
import type { MessageRow } from "../data/types.js";
import { Text } from "../parts/text.js";
import { ReadBy } from "./message-list.js";

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
    <div class="table" tabIndex={0} role="region" aria-label={label}>
      <table>
        <thead>
          <tr>
            <th scope="col">Where</th>
            <th scope="col">Message</th>
            <th scope="col">Enqueued</th>
            <th scope="col">Type</th>
            <th scope="col">Read by</th>
            {hasTies ? <th scope="col">Related by</th> : null}
          </tr>
        </thead>
        <tbody>
          {results.map(({ path, row, ties }) => (
            <tr key={`${path} ${row.sequenceNumber}`}>
              <td>{path}</td>
              <th scope="row">
                <a href={href("entity", path, "messages", row.sequenceNumber)}>
                  <Text>{row.messageId ?? `№ ${row.sequenceNumber}`}</Text>
                </a>
              </th>
              <td>{timeText(row.enqueuedAt)}</td>
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
        </tbody>
      </table>
    </div>
  );
}
