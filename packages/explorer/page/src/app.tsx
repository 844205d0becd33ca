import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { countText, plural, timeText } from "./data/format.js";
import { href, type Route, useQuery, useRoute } from "./data/route.js";
import type { About, EntityView } from "./data/types.js";
import { useEscape } from "./data/use-escape.js";
import { useKeptHashState } from "./data/use-kept-hash-state.js";
import { type Live, useLive } from "./data/use-live.js";
import { useLoad } from "./data/use-load.js";
import { useRoving } from "./data/use-roving.js";
import { EntityPage } from "./entity/entity-page.js";
import { type Sample, useSamples } from "./overview/use-samples.js";
import { CensusPage } from "./pages/census.js";
import { ConversationPage } from "./pages/conversation.js";
import { DecodePage } from "./pages/decode.js";
import { Overview } from "./pages/overview.js";
import { SearchPage } from "./pages/search.js";
import { Problem, Waiting } from "./parts/parts.js";

/** The whole page: the entities on the left, the current view beside them. */
export function App(): VNode {
  const route = useRoute();
  const live = useLive();
  const samples = useSamples(live);
  const { value: about, error } = useLoad<About>("about");
  const [isDrawerOpen, setDrawerOpen] = useState(false);
  const closeDrawer = () => {
    setDrawerOpen(false);
    document.getElementById("drawer-button")?.focus();
  };
  useEscape(isDrawerOpen, closeDrawer);
  useEffect(() => setDrawerOpen(false), [route]);
  useEffect(() => {
    document.title = [route[1] ?? route[0], about?.namespace, "waybill"]
      .filter((part) => part !== undefined)
      .join(" · ");
  }, [route, about]);
  return (
    <>
      {/* Not a link to #content: the hash is the address of the view. */}
      <button type="button" class="skip" onClick={() => document.getElementById("content")?.focus()}>
        To the content
      </button>
      <Header
        about={about}
        live={live}
        isDrawerOpen={isDrawerOpen}
        onDrawer={() => (isDrawerOpen ? closeDrawer() : setDrawerOpen(true))}
      />
      <div class={isDrawerOpen ? "layout drawer-open" : "layout"}>
        <Sidebar live={live} route={route} />
        {isDrawerOpen ? <div class="backdrop" aria-hidden="true" onClick={closeDrawer} /> : null}
        <div id="content" tabIndex={-1}>
          <Problem text={error ?? live.error} />
          {about === undefined ? (
            <Waiting isLoading={error === undefined} />
          ) : (
            <Place route={route} about={about} live={live} samples={samples} />
          )}
        </div>
      </div>
    </>
  );
}

const themes = ["system", "light", "dark"] as const;
type Theme = (typeof themes)[number];

interface HeaderProps {
  readonly about: About | undefined;
  readonly live: Live;
  readonly isDrawerOpen: boolean;
  onDrawer(): void;
}

function Header({ about, live, isDrawerOpen, onDrawer }: HeaderProps): VNode {
  const [theme, setTheme] = useState<Theme>(
    () => themes.find((each) => each === localStorage.getItem("theme")) ?? "system",
  );
  const nextTheme = themes[(themes.indexOf(theme) + 1) % themes.length] ?? "system";
  useEffect(() => {
    document.documentElement.dataset.theme = theme;
    localStorage.setItem("theme", theme);
  }, [theme]);
  return (
    <header class="top">
      {/* Only narrow windows show it: there, the sidebar is a drawer. */}
      <button
        id="drawer-button"
        type="button"
        class="quiet-button"
        aria-expanded={isDrawerOpen}
        aria-controls="sidebar"
        onClick={onDrawer}
      >
        ☰ <span class="visually-hidden">Entities and pages</span>
      </button>
      <a class="brand" href="#/">
        waybill
      </a>
      <span class="namespace">{about?.namespace}</span>
      {about === undefined ? null : (
        <span class={about.allowChanges ? "badge warn" : "badge"}>
          {about.allowChanges ? (
            <>
              changes<span class="wide-only"> allowed</span>
            </>
          ) : (
            "read-only"
          )}
        </span>
      )}
      <span class="live" title={timeText(live.at)}>
        <span class={live.error === undefined ? "dot on" : "dot"} aria-hidden="true" />{" "}
        {live.error === undefined ? <span class="wide-only">live</span> : "not connected"}
      </span>
      <button
        type="button"
        class="quiet-button theme"
        aria-label={`Colours: ${theme}. Change to ${nextTheme}`}
        title={`Colours: ${theme}`}
        onClick={() => setTheme(nextTheme)}
      >
        <span class={`theme-sign ${theme}`} aria-hidden="true" />
      </button>
    </header>
  );
}

const pages = [
  ["search", "Search"],
  ["census", "Census"],
  ["conversation", "Conversation"],
  ["decode", "Decode"],
] as const;

/** The setting of the address that holds the filter of the sidebar, beside every view. */
const sidebarFilter = "entities";

function Sidebar({ live, route }: { readonly live: Live; readonly route: Route }): VNode {
  const [filter, setFilter] = useKeptHashState(sidebarFilter, route);
  const roving = useRoving<HTMLUListElement>();
  const home = (route[1] ?? "").replace(/\/\$.*$/, "");
  const shown = (live.entities ?? []).filter(({ path }) => path.toLowerCase().includes(filter.toLowerCase()));
  return (
    <nav id="sidebar" class="sidebar" aria-label="Entities and pages">
      <ul class="pages">
        {pages.map(([path, title]) => (
          <li key={path}>
            <a href={href(path)} aria-current={route[0] === path ? "page" : undefined}>
              {title}
            </a>
          </li>
        ))}
      </ul>
      <label class="field">
        <span class="visually-hidden">Filter entities</span>
        <input
          type="search"
          placeholder={
            live.entities === undefined
              ? "Loading…"
              : `Filter ${plural(live.entities.length, "entity", "entities")}`
          }
          value={filter}
          onInput={({ currentTarget }) => setFilter(currentTarget.value)}
        />
      </label>
      <ul class="entities" {...roving}>
        {shown.map((entity) => (
          <EntityLink
            key={entity.path}
            entity={entity}
            isCurrent={route[0] === "entity" && entity.path === home}
          />
        ))}
      </ul>
    </nav>
  );
}

function EntityLink({
  entity,
  isCurrent,
}: {
  readonly entity: EntityView;
  readonly isCurrent: boolean;
}): VNode {
  const { path, kind, counts } = entity;
  const active = counts === undefined ? undefined : counts.active + counts.scheduled + (counts.deferred ?? 0);
  const dead = (counts?.deadLetter ?? 0) + (counts?.transferDeadLetter ?? 0);
  const name = kind === "subscription" ? (path.split("/").at(-1) ?? path) : path;
  const item = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (isCurrent) item.current?.scrollIntoView({ block: "nearest" });
  }, [isCurrent]);
  return (
    <li ref={item} class={kind}>
      <a
        href={href("entity", path, kind === "topic" ? "send" : "messages")}
        aria-current={isCurrent ? "page" : undefined}
      >
        <span class="entity-name">{name}</span>
        {kind === "topic" || active === undefined ? null : (
          <span class="count" title="messages">
            {countText(active)}
          </span>
        )}
      </a>
      {dead > 0 ? (
        <a class="dead" href={href("entity", `${path}/$DeadLetterQueue`, "dead-letters")}>
          {countText(dead)} <span class="visually-hidden">dead letters of {path}</span>
          <span aria-hidden="true">✝</span>
        </a>
      ) : null}
    </li>
  );
}

interface PlaceProps {
  readonly route: Route;
  readonly about: About;
  readonly live: Live;
  readonly samples: readonly Sample[];
}

function Place({ route, about, live, samples }: PlaceProps): VNode {
  const [page, path, tab = "messages", number] = route;
  const query = new URLSearchParams(useQuery());
  query.delete(sidebarFilter);
  if (page === "entity" && path !== undefined)
    return <EntityPage about={about} live={live} path={path} tab={tab} number={number} />;
  if (page === "search") return <SearchPage query={query} />;
  if (page === "census") return <CensusPage about={about} />;
  if (page === "conversation") return <ConversationPage id={path} />;
  if (page === "decode") return <DecodePage />;
  return <Overview about={about} live={live} samples={samples} />;
}
