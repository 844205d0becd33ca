export type { CensusCount, CensusPoint, PlanView } from "../../../src/census/census-view.js";
export type { RepairDifference, RepairPreview } from "../../../src/changes/preview-repair.js";
export type { RepairJobView } from "../../../src/changes/repair-jobs.js";
export type { SentView } from "../../../src/changes/send-message.js";
export type { AttemptView } from "../../../src/reads/attempt-view.js";
export type { DeadLettersView, GroupView } from "../../../src/reads/dead-letters.js";
export type { EntityView } from "../../../src/reads/entities.js";
export type { MessagePage, NumberRange } from "../../../src/reads/list-messages.js";
export type { MessageRow } from "../../../src/reads/message-row.js";
export type { HexView, MessageView, PropertyView, ReadingView } from "../../../src/reads/message-view.js";
export type { SessionList, SessionStateView } from "../../../src/reads/sessions.js";
export type { Conversation } from "../../../src/search/conversation.js";
export type { SavedSearch } from "../../../src/search/saved-searches.js";
export type { SearchCriteria } from "../../../src/search/search-criteria.js";
export type { SearchEvent } from "../../../src/search/search-messages.js";
export type { ContainerNode, LeafNode, ValueNode } from "../../../src/values/value-tree.js";

/** The explorer's settings. */
export interface About {
  readonly namespace: string;
  readonly allowChanges: boolean;
  readonly serializers: readonly { readonly name: string; readonly mediaTypes: readonly string[] }[];
  readonly messageTypes: readonly {
    readonly name: string;
    readonly version: number;
    readonly versions: readonly number[];
  }[];
  readonly writePlans: number;
  readonly directory: string;
}
