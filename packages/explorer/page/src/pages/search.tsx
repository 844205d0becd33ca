import type { TargetedSubmitEvent, VNode } from "preact";
import { useEffect } from "preact/hooks";
import { post } from "../data/api.js";
import { countText, plural } from "../data/format.js";
import { goTo } from "../data/route.js";
import type { SavedSearch, SearchCriteria } from "../data/types.js";
import { useAttempt } from "../data/use-attempt.js";
import { useLoad } from "../data/use-load.js";
import { type SearchState, useSearch } from "../data/use-search.js";
import { ResultTable } from "../messages/result-table.js";
import { Action, Field, formValues, Problem } from "../parts/parts.js";
import { Progress } from "../parts/progress.js";

/** Searches all waiting messages. The address holds the criteria, so that a search can be linked to and Back returns to it. */
export function SearchPage({ query }: { readonly query: URLSearchParams }): VNode {
  const { value: saved, reload } = useLoad<readonly SavedSearch[]>("searches");
  const { problem, attempt } = useAttempt();
  const { state, start, stop } = useSearch();
  const criteria: SearchCriteria = Object.fromEntries(query);
  const key = query.toString();
  useEffect(() => {
    if (key !== "") start(key);
  }, [key]);
  const search = (wanted: SearchCriteria) => {
    const address = new URLSearchParams();
    for (const [name, text] of Object.entries(wanted)) if (text !== undefined) address.set(name, text);
    if (address.toString() === key) start(key, { isNew: true });
    else goTo(["search"], address);
  };
  const onSubmit = (event: TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const { name, ...values } = formValues(event.currentTarget);
    const isSaving = (event.submitter as HTMLButtonElement | null)?.value === "save";
    if (!isSaving) return search(values);
    void attempt(async () => {
      await post("searches", { ...values, name: name ?? "" });
      reload();
    });
  };
  const isRunning = state?.end === undefined && state !== undefined;
  return (
    <main class="page">
      <h1>Search</h1>
      {saved === undefined || saved.length === 0 ? null : (
        <p class="actions">
          Saved:
          {saved.map((one) => (
            <span key={one.name}>
              <Action text={one.name} kind="quiet-button" onClick={() => search(one.criteria)} />
              <Action
                text="✕"
                kind="quiet-button"
                label={`Remove the search ${one.name}`}
                onClick={() => post("searches/remove", { name: one.name }).then(reload)}
              />
            </span>
          ))}
        </p>
      )}
      <form key={key} class="form columns" onSubmit={onSubmit}>
        <Field label="Text anywhere in a message" name="text" value={criteria.text} />
        <Field
          label="Path in the body"
          name="path"
          value={criteria.path}
          placeholder="$.order.lines[0].sku"
        />
        <Field label="Value at the path" name="value" value={criteria.value} />
        <Field label="Property" name="property" value={criteria.property} placeholder="messageId, tenant …" />
        <Field label="Value of the property" name="propertyValue" value={criteria.propertyValue} />
        <Field
          label="Reason or its description"
          name="reason"
          value={criteria.reason}
          placeholder="DeserializationFailed, truncated …"
        />
        <Field label="Only in" name="entity" value={criteria.entity} placeholder="orders/$DeadLetterQueue" />
        <Field label="Name, to keep it" name="name" placeholder="small-letters" />
        <p class="actions">
          <button type="submit" value="search">
            Search
          </button>
          <button type="submit" value="save" class="quiet-button">
            Keep as a file
          </button>
          <Action text="Stop" kind="quiet-button" isDisabled={!isRunning} onClick={stop} />
        </p>
      </form>
      <p class="quiet">
        Parts of words are found, in any letter case. A text between slashes is a regular expression:{" "}
        <code>/^order-\d+$/i</code>.
      </p>
      <Problem text={problem ?? state?.problem} />
      {state === undefined ? null : (
        <Status state={state} onAgain={() => start(key, { isNew: true, again: "true" })} />
      )}
      {state === undefined || state.hits.length === 0 ? null : (
        <ResultTable label="Messages that were found" results={state.hits} />
      )}
    </main>
  );
}

function Status({ state, onAgain }: { readonly state: SearchState; onAgain(): void }): VNode {
  const { end, counts } = state;
  return (
    <>
      {end === undefined ? (
        <Progress label="Messages searched" done={counts.scanned} of={counts.expected} />
      ) : null}
      <p role="status">
        {statusOf(state)}{" "}
        {end === "done" && counts.remembered > 0 ? (
          <>
            <span class="quiet">
              {plural(counts.remembered, "message")} remembered from an earlier search.
            </span>{" "}
            <Action text="Read them again" kind="link" onClick={onAgain} />
          </>
        ) : null}
      </p>
    </>
  );
}

/** What a search did so far, or in the end. */
function statusOf({ hits, counts, path, end }: SearchState): string {
  const found = `${countText(hits.length)} found in ${plural(counts.scanned, "message")}`;
  const all = counts.expected === undefined ? "" : ` of ${countText(counts.expected)}`;
  switch (end) {
    case undefined:
      return `${found}${all}${path === undefined ? "" : `, now in ${path}`} …`;
    case "stopped":
      return `Stopped: ${found}${all}. The others were not searched.`;
    case "failed":
      return `${found}${all} before it failed.`;
    case "limit":
      return `${found}; there may be more, narrow the search.`;
    case "done":
      return `${found}.`;
  }
}
