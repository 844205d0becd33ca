export type { CensusCount, CensusPoint, PlanView } from "../../../src/census/census-view.js";
export type { EditedView, EditPreview } from "../../../src/changes/edit-message.js";
export type { RepairDifference, RepairPreview } from "../../../src/changes/preview-repair.js";
export type {
  NumbersView,
  RemovalEvent,
  RemovalPreview,
  RemovalView,
} from "../../../src/changes/remove-messages.js";
export type { RepairJobView } from "../../../src/changes/repair-jobs.js";
export type { SentView } from "../../../src/changes/send-message.js";
export type { AttemptView } from "../../../src/reads/attempt-view.js";
export type { BodyTextView } from "../../../src/reads/body-text.js";
export type { BreakerView, OpenCircuitView } from "../../../src/reads/breakers.js";
export type { DeadLettersView, GroupView } from "../../../src/reads/dead-letters.js";
export type { EntityView } from "../../../src/reads/entities.js";
export type { FoundNumber, NumberRange } from "../../../src/reads/find-number.js";
export type { HealthView } from "../../../src/reads/health.js";
export type { MessagePage } from "../../../src/reads/list-messages.js";
export type { SendRight } from "../../../src/reads/may-send.js";
export type { MessageRow } from "../../../src/reads/message-row.js";
export type { MessageTemplate } from "../../../src/reads/message-template.js";
export type { HexView, MessageView, PropertyView, ReadingView } from "../../../src/reads/message-view.js";
export type { SessionList, SessionRow, SessionStateView } from "../../../src/reads/sessions.js";
export type { Conversation, ConversationEvent } from "../../../src/search/conversation.js";
export type { SavedSearch } from "../../../src/search/saved-searches.js";
export type { SearchCriteria } from "../../../src/search/search-criteria.js";
export type { SearchCounts, SearchEvent } from "../../../src/search/search-messages.js";
export type { LiveView } from "../../../src/server/live.js";
export type { About } from "../../../src/server/read-routes.js";
export type { InterruptedView } from "../../../src/server/work-routes.js";
export type { ContainerNode, LeafNode, ValueNode } from "../../../src/values/value-tree.js";
