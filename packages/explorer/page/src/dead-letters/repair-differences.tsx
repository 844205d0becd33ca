import type { VNode } from "preact";
import { countText, sizeText } from "../data/format.js";
import type { RepairDifference, RepairPreview } from "../data/types.js";
import { Table } from "../parts/parts.js";
import { Text } from "../parts/text.js";
import { ValueTree } from "../parts/value-view.js";

interface DifferencesProps {
  readonly preview: RepairPreview;
  /** Whether the settings have changed since the preview. */
  readonly isStale: boolean;
}

/** What a repair would do, with the differences for some of the messages. */
export function Differences({ preview, isStale }: DifferencesProps): VNode {
  return (
    <section class={isStale ? "differences stale" : "differences"} aria-label="Dry run">
      <p>
        <strong>{countText(preview.resubmittable)}</strong> of {countText(preview.peeked)} would go to{" "}
        <strong>{preview.to}</strong>.
        {Object.entries(preview.skipped).map(([why, count]) => (
          <span key={why}>
            {" "}
            {countText(count ?? 0)} stay: {why}.
          </span>
        ))}
      </p>
      {preview.examples.map((example) => (
        <Difference key={example.sequenceNumber} example={example} />
      ))}
    </section>
  );
}

interface DifferenceProps {
  readonly example: RepairDifference;
  readonly isOpen?: boolean;
}

/** One message before and after. */
export function Difference({ example, isOpen = false }: DifferenceProps): VNode {
  const { skip, isByteIdentical, bytesBefore, bytesAfter, properties, values } = example;
  return (
    <details open={isOpen}>
      <summary>
        № {example.sequenceNumber} <Text>{example.messageId ?? ""}</Text>:{" "}
        {skip === undefined ? (
          isByteIdentical ? (
            <strong class="good">byte-identical, {sizeText(bytesBefore)}</strong>
          ) : (
            <strong>
              {isOpen ? "changed" : "transcoded"}, {sizeText(bytesBefore)} → {sizeText(bytesAfter)}
            </strong>
          )
        ) : (
          <strong class="bad">stays: {skip}</strong>
        )}
      </summary>
      {properties.length === 0 ? null : (
        <Table label="Properties that change" head={["Property", "Before", "After"]}>
          {properties.map(({ name, before, after }) => (
            <tr key={name}>
              <th scope="row">
                <Text>{name}</Text>
              </th>
              <td class="removed">
                <Text>{before ?? "–"}</Text>
              </td>
              <td class="added">
                <Text>{after ?? "–"}</Text>
              </td>
            </tr>
          ))}
        </Table>
      )}
      {skip === undefined && example.reading?.status === "decoded" ? (
        <p>
          {values.length === 0
            ? "Read again, the value is the same."
            : `Read again, the value differs: ${values.map(({ path, kind }) => `${path} (${kind})`).join(", ")}.`}
        </p>
      ) : null}
      <div class="side-by-side">
        {example.before === undefined ? null : (
          <ValueTree node={example.before} name="before" path={[0, 0]} />
        )}
        {example.after === undefined ? null : <ValueTree node={example.after} name="after" path={[0, 0]} />}
      </div>
    </details>
  );
}
