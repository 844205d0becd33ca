import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { countText, plural, timeText } from "../data/format.js";
import { href } from "../data/route.js";
import type { About, DeadLettersView, GroupView, InterruptedView, RepairJobView } from "../data/types.js";
import { useHashState } from "../data/use-hash-state.js";
import { useLoad } from "../data/use-load.js";
import { Action, Problem, Waiting } from "../parts/parts.js";
import { Text } from "../parts/text.js";
import { groupKey, type LetterGroup, letterGroups } from "./letter-groups.js";
import { LetterTable } from "./letter-table.js";
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
  const [group, setGroup] = useState<GroupView | "all">();
  const [numbers, setNumbers] = useState<readonly string[]>();
  const [turn, setTurn] = useState(0);
  const [only, setOnly] = useHashState("group");
  const [shownGroups, setShownGroups] = useState(maxCards);
  const groups = letterGroups(letters?.groups ?? []);
  const lookAgain = () => {
    reload();
    setTurn((before) => before + 1);
  };
  const pending = unfinished(repairs, entity);
  return (
    <div class="dead-letters">
      {pending === undefined || group !== undefined ? null : (
        <p class="notice">
          A repair is {pending.state}, {countText(pending.resubmitted)} sent again.{" "}
          <Action text="Show it" kind="link" onClick={() => setGroup("all")} />
        </p>
      )}
      {pending !== undefined || receipts?.found === undefined || group !== undefined ? null : (
        <p class="notice">
          A repair was interrupted, {countText(receipts.found.sent)} sent again.{" "}
          <Action text="Show it" kind="link" onClick={() => setGroup("all")} />
        </p>
      )}
      <Problem text={error} />
      <Waiting isLoading={isLoading && letters === undefined} />
      {letters === undefined ? null : (
        <>
          <p class="headline">
            <strong>{plural(letters.peeked, "dead letter")}</strong>,{" "}
            <strong class="good">{countText(letters.readable)} readable now</strong>{" "}
            <Action text="Look again" kind="quiet-button" onClick={lookAgain} />{" "}
            {letters.readable > 0 ? <Action text="Repair all …" onClick={() => setGroup("all")} /> : null}
          </p>
          <ul class="groups">
            {groups.slice(0, shownGroups).map((one) => (
              <Group
                key={groupKey(one)}
                group={one}
                path={letters.path}
                onRepair={() => setGroup(one)}
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
            turn={turn}
            onRepair={(selected) => {
              setNumbers(selected);
              setGroup("all");
            }}
          />
        </>
      )}
      {group === undefined ? null : (
        <RepairPanel
          about={about}
          entity={entity}
          group={group === "all" ? undefined : group}
          numbers={numbers}
          repairs={repairs}
          onClose={() => {
            setGroup(undefined);
            setNumbers(undefined);
            lookAgain();
          }}
        />
      )}
    </div>
  );
}

/** How many groups are shown at first. */
const maxCards = 30;

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
      {texts === 1 ? null : (
        <p class="quiet">{countText(texts)} different texts: select in the table what to repair.</p>
      )}
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
        {timeText(group.oldestEnqueuedAt)} to {timeText(group.newestEnqueuedAt)}
      </p>
      <p class="actions">
        {group.examples.map((number) => (
          <a key={number} class="button" href={href("entity", path, "messages", number)}>
            № {number}
          </a>
        ))}
        <Action text={`Show all ${countText(count)}`} kind="quiet-button" onClick={onShow} />
        {/* A repair selects by the whole text of a reason. */}
        {readable > 0 && texts === 1 ? <Action text="Repair …" onClick={onRepair} /> : null}
      </p>
    </li>
  );
}
