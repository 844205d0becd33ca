import type { TargetedSubmitEvent, VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { errorText, lines, post } from "../data/api.js";
import { countText } from "../data/format.js";
import type { SavedSearch, SearchCriteria, SearchEvent } from "../data/types.js";
import { useLoad } from "../data/use-load.js";
import { ResultTable } from "../messages/result-table.js";
import { Action, Field, formValues, Problem } from "../parts/parts.js";

type Hit = Extract<SearchEvent, { kind: "hit" }>;

/** Searches bodies, paths, properties and reasons of all waiting messages. */
export function SearchPage(): VNode {
  const { value: saved, reload } = useLoad<readonly SavedSearch[]>("searches");
  const [criteria, setCriteria] = useState<SearchCriteria>({});
  const [hits, setHits] = useState<readonly Hit[]>([]);
  const [status, setStatus] = useState<string>();
  const [problem, setProblem] = useState<string>();
  const running = useRef<AbortController | undefined>(undefined);
  useEffect(() => () => running.current?.abort(), []);

  const search = async (query: SearchCriteria) => {
    running.current?.abort();
    const controller = new AbortController();
    running.current = controller;
    setHits([]);
    setProblem(undefined);
    const found: Hit[] = [];
    try {
      for await (const event of lines<SearchEvent>("search", {
        query: { ...query },
        signal: controller.signal,
      })) {
        if (event.kind === "hit") found.push(event);
        else {
          setHits([...found]);
          setStatus(statusOf(event, found.length));
        }
      }
    } catch (error) {
      if (!controller.signal.aborted) setProblem(errorText(error));
    }
  };
  const save = async (values: Record<string, string>) => {
    try {
      await post("searches", values);
      reload();
    } catch (error) {
      setProblem(errorText(error));
    }
  };
  const onSubmit = (event: TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const { name, ...values } = formValues(event.currentTarget);
    const isSaving = (event.submitter as HTMLButtonElement | null)?.value === "save";
    void (isSaving ? save({ ...values, name: name ?? "" }) : search(values));
  };
  return (
    <main class="page">
      <h1>Search</h1>
      {saved === undefined || saved.length === 0 ? null : (
        <p class="actions">
          Saved:
          {saved.map((one) => (
            <span key={one.name}>
              <Action
                text={one.name}
                kind="quiet-button"
                onClick={() => {
                  setCriteria(one.criteria);
                  void search(one.criteria);
                }}
              />
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
      <form key={JSON.stringify(criteria)} class="form columns" onSubmit={onSubmit}>
        <Field label="Text in the body" name="text" value={criteria.text} />
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
          label="Reason"
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
          <Action text="Stop" kind="quiet-button" onClick={() => running.current?.abort()} />
        </p>
      </form>
      <Problem text={problem} />
      <p role="status">{status}</p>
      {hits.length === 0 ? null : <ResultTable label="Messages that were found" results={hits} />}
    </main>
  );
}

function statusOf(event: Exclude<SearchEvent, Hit>, hits: number): string {
  if (event.kind === "progress")
    return `${countText(hits)} found, ${countText(event.scanned)} read, now in ${event.path} …`;
  const end = event.isComplete ? "" : "; there are more, narrow the search";
  return `${countText(event.hits)} found in ${countText(event.scanned)} messages${end}.`;
}
