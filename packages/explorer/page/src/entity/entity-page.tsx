import { Fragment, type VNode } from "preact";
import { countText } from "../data/format.js";
import { href } from "../data/route.js";
import { sendTarget, subQueuePattern } from "../data/sub-queue.js";
import type { About, EntityView } from "../data/types.js";
import type { Live } from "../data/use-live.js";
import { DeadLetters } from "../dead-letters/dead-letters.js";
import { EditForm } from "../dead-letters/edit-form.js";
import { Messages } from "./messages.js";
import { Rules } from "./rules.js";
import { SendForm } from "./send.js";
import { Sessions } from "./sessions.js";

interface EntityPageProps {
  readonly about: About;
  readonly live: Live;
  readonly path: string;
  readonly tab: string;
  readonly number: string | undefined;
}

/** A queue, topic or subscription, or one of their sub-queues. */
export function EntityPage({ about, live, path, tab, number }: EntityPageProps): VNode {
  const home = path.replace(subQueuePattern, "");
  const entity = live.entities?.find((each) => each.path.toLowerCase() === home.toLowerCase());
  const tabs = tabsOf(entity, home);
  return (
    <main class="page entity">
      <h1>
        {path.split("/").map((part, index) => (
          <Fragment key={index}>
            {index === 0 ? "" : "/"}
            <wbr />
            {part}
          </Fragment>
        ))}
      </h1>
      <Counts entity={entity} />
      <nav aria-label="Views of the entity">
        <ul class="tabs">
          {tabs.map(({ name, at, title }) => (
            <li key={title}>
              <a
                href={href("entity", at, name)}
                aria-current={name === tab && at === path ? "page" : undefined}
              >
                {title}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      {tab === "messages" ? (
        <Messages
          key={path}
          about={about}
          path={path}
          entity={entity}
          number={number}
          isKnown={live.entities !== undefined || live.error !== undefined}
        />
      ) : tab === "dead-letters" ? (
        <DeadLetters key={path} about={about} entity={path} repairs={live.repairs} />
      ) : tab === "edit" && number !== undefined ? (
        <EditForm key={`${path} ${number}`} about={about} entity={path} number={number} />
      ) : tab === "sessions" ? (
        <Sessions entity={path} />
      ) : tab === "rules" ? (
        <Rules entity={path} />
      ) : (
        <SendForm about={about} entity={sendTarget(home)} />
      )}
    </main>
  );
}

function tabsOf(entity: EntityView | undefined, home: string) {
  const hasMessages = entity?.kind !== "topic";
  const deadLetters = `${home}/$DeadLetterQueue`;
  const transfer = `${home}/$Transfer/$DeadLetterQueue`;
  return [
    ...(hasMessages
      ? [
          { name: "messages", at: home, title: "Messages" },
          { name: "dead-letters", at: deadLetters, title: "Dead letters" },
          { name: "messages", at: deadLetters, title: "One by one" },
        ]
      : []),
    ...(entity !== undefined && (entity.counts?.transferDeadLetter ?? 0) > 0
      ? [{ name: "dead-letters", at: transfer, title: "Transfer dead letters" }]
      : []),
    ...(entity?.requiresSession === true ? [{ name: "sessions", at: home, title: "Sessions" }] : []),
    ...(entity?.kind === "subscription" ? [{ name: "rules", at: home, title: "Rules" }] : []),
    ...(entity?.kind === "subscription" ? [] : [{ name: "send", at: home, title: "Send" }]),
  ];
}

function classOf(name: string, count: number | undefined): string {
  if (count === undefined || count === 0) return "none";
  return name.includes("dead") ? "bad" : "";
}

function Counts({ entity }: { readonly entity: EntityView | undefined }): VNode | null {
  if (entity === undefined) return null;
  const { counts } = entity;
  const shown: readonly (readonly [name: string, count: number | undefined])[] = [
    ["active", counts?.active],
    ...(counts?.deferred === undefined ? [] : [["deferred", counts.deferred] as const]),
    ["scheduled", counts?.scheduled],
    ["dead letters", counts?.deadLetter],
    ...(counts === undefined
      ? []
      : (
          [
            ["transfer", counts.transfer],
            ["transfer dead letters", counts.transferDeadLetter],
          ] as const
        )
          // Few entities forward messages: for the others, these are nothing to look at.
          .filter(([, count]) => count > 0)),
  ];
  return (
    <dl class="counts">
      {shown.map(([name, count]) => (
        <div key={name} class={classOf(name, count)}>
          <dt>{name}</dt>
          <dd>{count === undefined ? "–" : countText(count)}</dd>
        </div>
      ))}
      {counts === undefined ? (
        <div>
          <dt>not known</dt>
          <dd class="quiet">Counts need the Manage claim.</dd>
        </div>
      ) : null}
      {entity.forwardTo === undefined ? null : (
        <div>
          <dt>forwards to</dt>
          <dd>{entity.forwardTo}</dd>
        </div>
      )}
    </dl>
  );
}
