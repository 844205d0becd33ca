import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { countText, plural } from "../data/format.js";
import { href } from "../data/route.js";
import type { About, DeadLettersView, InterruptedView, MessageRow, RepairJobView } from "../data/types.js";
import { useHashState } from "../data/use-hash-state.js";
import { useLetters } from "../data/use-letters.js";
import { useLoad } from "../data/use-load.js";
import { useSelection } from "../data/use-selection.js";
import { Action, Problem, Waiting } from "../parts/parts.js";
import { Text } from "../parts/text.js";
import { TimeRange } from "../parts/time.js";
import { RemovalDialog } from "../removal/removal-dialog.js";
import { groupKey, groupKeyOf, type LetterGroup, letterGroups } from "./letter-groups.js";
import { isFound, LetterTable } from "./letter-table.js";
import { RepairPanel, unfinished } from "./repair-panel.js";

interface DeadLettersProps {
  readonly about: About;
  readonly entity: string;
  readonly repairs: readonly RepairJobView[];
}

/** Dead letters by reason, message type, version and format, and how many of each the chain reads now. */
export function DeadLetters({ about, entity, repairs }: DeadLettersProps): VNode {
  const { value: letters, error, isLoading, reload } = useLoad<DeadLettersView>("dead-letters", { entity });
  const { value: receipts } = useLoad<{ found?: InterruptedView }>("repair/interrupted", { entity });
  const [turn, setTurn] = useState(0);
  const [limit, setLimit] = useState(maxRows);
  const rows = useLetters(letters?.path, turn, limit);
  const [only, setOnly] = useHashState("group");
  const selection = useSelection(entity);
  const [shownGroups, setShownGroups] = useState(maxCards);
  const [repaired, setRepaired] = useHashState("repair");
  const [removed, setRemoved] = useHashState("delete");
  const groups = letterGroups(letters?.groups ?? []);
  const group = groups.find((one) => groupKey(one) === repaired);
  const [find = ""] = useHashState("find");
  // A repair selects by the whole text of a reason: texts that differ are repaired by the numbers of their messages.
  const selectedNumbers = numbersOf(
    rows.rows.filter((row) => selection.numbers.has(row.sequenceNumber) && isFound(row, find, only)),
  );
  const numbers =
    repaired === "selected"
      ? selectedNumbers
      : group !== undefined && group.texts > 1
        ? numbersOf(rows.rows.filter((row) => groupKeyOf(row) === repaired))
        : undefined;
  const isRepairing =
    repaired === "all" ||
    ((repaired === "selected" || group !== undefined) &&
      (numbers === undefined || rows.isWhole !== undefined));
  const lookAgain = () => {
    reload();
    setTurn((before) => before + 1);
  };
  const pending = unfinished(repairs, entity);
  return (
    <div class="dead-letters">
      {pending === undefined || isRepairing ? null : (
        <p class="notice">
          A repair is {pending.state}, {countText(pending.resubmitted)} sent again.{" "}
          <Action text="Show it" kind="link" onClick={() => setRepaired("all")} />
        </p>
      )}
      {pending !== undefined || receipts?.found === undefined || isRepairing ? null : (
        <p class="notice">
          A repair was interrupted, {countText(receipts.found.sent)} sent again.{" "}
          <Action text="Show it" kind="link" onClick={() => setRepaired("all")} />
        </p>
      )}
      <Problem text={error} />
      <Waiting isLoading={isLoading && letters === undefined} />
      {letters === undefined ? null : (
        <>
          <div class="toolbar">
            <p>
              <strong>{plural(letters.peeked, "dead letter")}</strong>,{" "}
              <strong class="good">{countText(letters.readable)} readable now</strong>
            </p>
            <p class="actions">
              {letters.readable > 0 ? (
                <Action text="Repair all …" onClick={() => setRepaired("all")} />
              ) : null}
              <Action text="Look again" kind="quiet-button" onClick={lookAgain} />
              {letters.peeked > 0 ? (
                <Action text="Purge …" kind="quiet-button" onClick={() => setRemoved("all")} />
              ) : null}
            </p>
          </div>
          <ul class="groups">
            {groups.slice(0, shownGroups).map((one) => (
              <Group
                key={groupKey(one)}
                group={one}
                path={letters.path}
                onRepair={() => setRepaired(groupKey(one))}
                onShow={() => setOnly(groupKey(one))}
              />
            ))}
          </ul>
          {groups.length > shownGroups ? (
            <p>
              {countText(shownGroups)} of {countText(groups.length)} groups shown.{" "}
              <Action text="Show all groups" kind="link" onClick={() => setShownGroups(groups.length)} />
            </p>
          ) : null}
          <LetterTable
            path={letters.path}
            group={only}
            onEveryGroup={() => setOnly("")}
            letters={rows}
            onReadOn={() => setLimit(limit + maxRows)}
            selection={selection}
            onRepair={() => setRepaired("selected")}
            onRemove={() => setRemoved("selected")}
          />
        </>
      )}
      {letters === undefined ||
      removed === undefined ||
      (removed === "selected" && rows.isWhole === undefined) ? null : (
        <RemovalDialog
          about={about}
          entity={letters.path}
          numbers={removed === "selected" ? selectedNumbers : undefined}
          onClose={() => {
            setRemoved("");
            lookAgain();
          }}
        />
      )}
      {isRepairing ? (
        <RepairPanel
          about={about}
          entity={entity}
          group={numbers === undefined ? group : undefined}
          numbers={numbers}
          repairs={repairs}
          onClose={() => {
            setRepaired("");
            lookAgain();
          }}
        />
      ) : null}
    </div>
  );
}

/** How many groups are shown at first. */
const maxCards = 30;
/** How many rows are read before the page asks whether to read on. */
const maxRows = 20_000;

function numbersOf(rows: readonly MessageRow[]): string[] {
  return rows.map(({ sequenceNumber }) => sequenceNumber);
}

interface GroupProps {
  readonly group: LetterGroup;
  readonly path: string;
  onRepair(): void;
  onShow(): void;
}

function Group({ group, path, onRepair, onShow }: GroupProps): VNode {
  const { reason, messageType, messageVersion, mediaType, count, readable, failure, texts } = group;
  return (
    <li class="card">
      <h2>
        <Text>{reason ?? "(no reason)"}</Text> <span class="count">{countText(count)}</span>
      </h2>
      {texts === 1 ? null : <p class="quiet">{countText(texts)} different texts</p>}
      <p>
        <Text>{messageType ?? "(untyped)"}</Text>
        {messageVersion === undefined ? "" : ` version ${messageVersion}`} · <Text>{mediaType}</Text>
      </p>
      <p>
        <meter min={0} max={count} value={readable} aria-label={`${readable} of ${count} readable now`} />{" "}
        <strong class={readable > 0 ? "good" : "bad"}>{countText(readable)} readable now</strong>
        {group.serializer === undefined ? "" : ` by ${group.serializer}`}
      </p>
      {failure === undefined ? null : (
        <p class="quiet">
          {failure.serializer ?? "no serializer"}, {failure.stage}: <strong>{failure.reason}</strong>
          {failure.offset === undefined ? "" : ` at offset ${failure.offset}`}. <Text>{failure.detail}</Text>
        </p>
      )}
      <p class="quiet">
        <TimeRange from={group.oldestEnqueuedAt} to={group.newestEnqueuedAt} />
      </p>
      <p class="actions">
        {group.examples.map((number) => (
          <a key={number} class="button" href={href("entity", path, "messages", number)}>
            № {number}
          </a>
        ))}
        <Action text={`Show all ${countText(count)}`} kind="quiet-button" onClick={onShow} />
        {readable > 0 ? <Action text="Repair …" onClick={onRepair} /> : null}
      </p>
    </li>
  );
}
