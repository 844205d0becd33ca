import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { root } from "./workspace-packages.js";

/** A sentence of a page, and the test that proves it. */
interface Claim {
  /** As on the page, except for line breaks. */
  readonly sentence: string;
  readonly file: string;
  /** The title of a test of that file. */
  readonly title: string;
}

const capability = "packages/migration/src/capability/capability.test.ts";
const plan = "packages/migration/src/write-plan/write-plan.test.ts";
const stepped = "packages/migration/src/write-plan/stepped-plan.test.ts";
const contentPlan = "packages/migration/src/write-plan/content-type-plan.test.ts";
const share = "packages/migration/src/write-plan/stable-share.test.ts";
const plans = "packages/migration/src/write-plan/with-write-plans.test.ts";
const census = "packages/migration/src/census/take-census.test.ts";
const verdict = "packages/migration/src/retirement/retirement-verdict.test.ts";
const repair = "packages/migration/src/repair/repair-dead-letters.test.ts";
const resume = "packages/migration/src/repair/resume-repair.test.ts";
const readBack = "packages/migration/src/repair/read-back.test.ts";
const rehearse = "packages/core/src/rehearsal/rehearse.test.ts";
const records = "packages/migration/src/reads/record-reads.test.ts";
const others = "packages/core/src/receive/delivery/other-readers.test.ts";
const sdk = "packages/transport-azure/src/sdk-bodies.test.ts";
const types = "packages/core/src/message-types/typed-pipeline.test.ts";
const shadow = "packages/migration/src/shadow-check/shadow-check.test.ts";
const verification = "packages/migration/src/verification/verification.test.ts";
const explorer = "packages/explorer/src/changes.test.ts";
const commands = "packages/cli/src/broker-commands.test.ts";
const contract = "packages/migration/src/contract/contract.test.ts";
const deployment = "packages/migration/src/contract/deployment/deployment.test.ts";
const asyncapi = "packages/migration/src/contract/asyncapi/asyncapi.test.ts";
const deliveredTypes = "packages/migration/src/contract/generate/delivered-types.test.ts";
const corpus = "packages/migration/src/contract/corpus.test.ts";
const registries = "test/schema-registry/contracts.test.ts";
const options = "packages/cli/src/command-line.test.ts";
const processor = "packages/core/src/receive/processing/processor.test.ts";
const retry = "packages/core/src/receive/processing/retry.test.ts";
const stopping = "packages/core/src/receive/processing/stopping.test.ts";
const edit = "packages/explorer/src/edit.test.ts";
const chainCommands = "packages/cli/src/chain-commands.test.ts";
const verdictReasons = "packages/migration/src/retirement/verdict-reasons.test.ts";
const lockedElsewhere = "packages/migration/src/repair/locked-elsewhere.test.ts";
const edited = "packages/migration/src/repair/resend-edited.test.ts";
const transcode = "packages/migration/src/repair/transcode.test.ts";
const queueReads = "packages/migration/src/reads/queue-read-store.test.ts";
const queueBeacons = "packages/migration/src/capability/queue-beacon-store.test.ts";
const readBackOnSend = "packages/core/src/read-back/read-back.test.ts";
const typesToSend = "packages/core/src/message-types/types-to-send.test.ts";
const breakers = "packages/explorer/src/breakers.test.ts";
const explorerReads = "packages/explorer/src/reads.test.ts";
const censusHistory = "packages/explorer/src/census/census-history.test.ts";
const repairForm = "reliability/src/explorer/repair-form-checks.ts";
const namespaces = "packages/cli/src/several-namespaces.test.ts";
const guide = "examples/coming-from-azure/src/announced.test.ts";
const setAside = "packages/core/src/receive/holding/set-aside.test.ts";
const coldStart = "packages/core/src/receive/circuit-breaker/cold-start.test.ts";
const breaker = "packages/core/src/receive/circuit-breaker/client-circuit-breaker.test.ts";
const sharedWork = "packages/migration/src/work/shared-work.test.ts";

function claim(sentence: string, file: string, title: string): Claim {
  return { sentence, file, title };
}

/** What the pages promise about the guard, rehearsals, the verdict, repairs, and what becomes of a message in a processor. */
const claims: Readonly<Record<string, readonly Claim[]>> = {
  "docs/write-plan.md": [
    claim(
      "The first `setPercent(100)` rejects, because the guard knows no reader yet.",
      capability,
      "objects to a reader without a beacon, or with an expired one",
    ),
    claim(
      "The guard never skips a beacon",
      capability,
      "are found after more than 10,000 messages; listing is refused beyond maxMessages",
    ),
    claim(
      "but it does not count as the beacon of a required reader",
      capability,
      "tolerates different clocks: the beacon of a reader whose clock is slow does not count as expired",
    ),
    claim(
      "A plan that cannot write both of its ends is refused when it is made",
      plans,
      "is refused when it is made, not at the first send",
    ),
    claim(
      "`new WritePlan` without downcasters to a version",
      plan,
      "is refused when a version cannot be written",
    ),
    claim(
      "Messages without a body are not changed.",
      contentPlan,
      "does not affect typed messages, empty ones and other content types",
    ),
    claim("`covers` selects others", contentPlan, "applies to the messages that `covers` accepts"),
    claim(
      "Raising, stopping and the guard work as below.",
      contentPlan,
      "is refused until all readers have announced their capability",
    ),
    claim("A plan begins at 0 %.", stepped, "begins at 0 %, all old"),
    claim(
      "it depends on its key, which is the `sessionId`, else the `partitionKey`, else the `messageId`",
      stepped,
      "depends on the session, else the partition key, else the message id",
    ),
    claim(
      "Every sender decides alike, in any process and language",
      share,
      "follows the documented algorithm, so that other senders can decide in the same way",
    ),
    claim(
      "Raising the percentage moves keys from old to new and none back",
      plan,
      "decides in the same way for the same key, and raising the share moves no key back",
    ),
    claim(
      "Messages without any key are assigned at random.",
      plan,
      "decides at random for messages without a key",
    ),
    claim("`keyOf` selects another key.", plan, "uses a key function of the caller"),
    claim(
      "`plan.stop()` takes effect with the next message, asks no guard",
      plan,
      "takes effect immediately without the guard",
    ),
    claim("and cancels a pending raise", plan, "cancels a raise whose guard is still pending"),
    claim(
      "If readers are not ready, `setPercent` rejects with `operation-invalid` and names each reader that blocks it.",
      plan,
      "is refused until every reader can read the target, and names those that cannot",
    ),
    claim(
      "`setPercent(percent, { override: true })` raises without asking",
      stepped,
      "does not ask the guard if it is overridden",
    ),
    claim("without a guard, `override` is required", plan, "is refused without a guard"),
    claim("Lowering is always allowed.", plan, "lowering the share does not call the guard either"),
    claim(
      "stops the plan if a reader can no longer read the new format",
      plan,
      "is triggered by a recheck if a reader can no longer read the target",
    ),
    claim(
      "one of the named `readers` has no valid beacon",
      capability,
      "objects to a reader without a beacon, or with an expired one",
    ),
    claim(
      "or fewer than the `instances` that run: what the others read is not known",
      capability,
      "does not know what instances read that have not announced themselves",
    ),
    claim(
      "or a function that counts",
      capability,
      "counts the instances with a function, each time it is asked",
    ),
    claim(
      "any instance with a beacon, even of a reader that is not named, lacks the new version or media type",
      capability,
      "objects to one instance that cannot read the target among others that can, also of an unnamed reader",
    ),
    claim(
      "or has another schema for that version in that format",
      capability,
      "objects to a reader that lacks the version, or has another schema for it",
    ),
    claim(
      "a queue with more messages than `maxMessages`",
      capability,
      "are found after more than 10,000 messages; listing is refused beyond maxMessages",
    ),
    claim(
      "or a beacon larger than 16 MiB, rejects the raise",
      capability,
      "are read up to the maximum size, and refused if larger",
    ),
    claim(
      "it does not count as the beacon of a required reader",
      capability,
      "objects to a reader without a beacon, or with an expired one",
    ),
    claim(
      "an expired beacon may still block a raise for `clockToleranceInMs` (ten minutes)",
      capability,
      "tolerates different clocks: the beacon of a reader whose clock is slow does not count as expired",
    ),
    claim(
      "puts a beacon into the store and renews it",
      capability,
      "are renewed three times within their lifetime",
    ),
    claim(
      "a JSON body and a time to live, and is read by peeking",
      capability,
      "contain the announced capability, and stay in the queue until they expire",
    ),
    claim("it then withdraws its beacon", capability, "ignores an instance that has stopped"),
    claim(
      "leaves the message to that reader instead of dead-lettering it",
      capability,
      "leaves what only another one reads to that one, and dead-letters it once that one has stopped",
    ),
    claim(
      "until then its beacon counts as an instance, and can stand for one that announces nothing",
      capability,
      "counts a killed instance until its beacon expires: so long it can stand for one that announces nothing",
    ),
    claim("Raising the share asks the guard.", stepped, "is asked for each raise, and only for raises"),
    claim(
      "A beacon in a queue is valid from its arrival until it expires, by the broker's clock",
      capability,
      "use the broker's time for a reader whose clock is wrong by %i minutes",
    ),
    claim(
      "unless the table sets them by its own clock and says `expiresBeacons: true`",
      queueBeacons,
      "are all that a store lists that removes the expired ones, and present if this clock is not far off",
    ),
    claim(
      "`npx waybill explore --beacons` shows them",
      breakers,
      "tells of each entity which circuits its running readers hold open, and nothing where none announces them",
    ),
    claim(
      "what it receives from, and which formats and versions it reads",
      capability,
      "contain the announced capability, and stay in the queue until they expire",
    ),
    claim(
      "are open, a second after they opened or closed",
      capability,
      "announces the circuits of its client, but only if they are followed",
    ),
  ],
  "docs/checking-a-switch.md": [
    claim(
      "Each sampled message is also written in the candidate's format (and version, if one is given), both are read back, upcasting included",
      shadow,
      "compares across versions: the values that handlers get after upcasting",
    ),
    claim("keep counts in bounded memory", shadow, "keeps a bounded number of findings"),
    claim(
      "`report()` resolves after `timeoutInMs` at the latest, even if the candidate hangs.",
      shadow,
      "tries further messages when those in progress take too long, and ignores late results",
    ),
    claim(
      "Samples are SHA-256 digests of bodies on the wire.",
      verification,
      "reports bodies that another deserializer would have read as another value, by digest",
    ),
    claim(
      "and never store or report a value",
      shadow,
      "reports what readers would read differently, by path and kind, without values",
    ),
    claim(
      "not put into a claim-check store",
      shadow,
      "does not use a claim-check store, and calls a key provider no more often than a send",
    ),
    claim(
      "no serializer reads the body as it is sent now, before the switch",
      shadow,
      "reports what readers cannot read already, before the switch",
    ),
    claim(
      "Each sampled message that was read is read again by every other serializer of the pipeline, and as every other version of its type",
      verification,
      "reports versions that read one body in two ways",
    ),
    claim(
      "`isHarmless` means that the handler would have got the same value",
      verification,
      "reports an ambiguity as harmless if both values are the same",
    ),
  ],
  "README.md": [
    claim(
      "suggests an option for the rest, tried on it first where the client has the serializer",
      rehearse,
      "advises no serializer with which handlers would get another value than from the SDK",
    ),
    claim(
      "a guard that first asks the readers what they can read",
      plan,
      "is refused until every reader can read the target, and names those that cannot",
    ),
    claim(
      "It repairs dead letters, with a diff before and a log of what was sent.",
      explorer,
      "shows the difference before it changes anything",
    ),
  ],
  "docs/explore.md": [
    claim(
      "The page is read-only; `--allow-changes` lets it send, repair, edit, delete and purge messages.",
      explorer,
      "sends and repairs nothing",
    ),
    claim(
      "messages that were sent are noted and removed, the others stay",
      explorer,
      "can be cancelled halfway and resumed from its receipts, without loss or duplicates",
    ),
    claim(
      "A dry run shows what would change: properties, bytes, and whether the value is the same when it is read again.",
      explorer,
      "shows the difference before it changes anything",
    ),
    claim(
      "A repair is cancelled between two batches: messages that were sent are noted and removed, the others stay.",
      explorer,
      "can be cancelled halfway and resumed from its receipts, without loss or duplicates",
    ),
    claim(
      "either resumes it, with the same group, destination, bodies, rate and limit, or gives it up",
      explorer,
      "is resumed with the group, body, target and rate that it was begun with, also by the next explorer",
    ),
    claim(
      "with the code of `waybill dead-letters repair`, and with all of its options",
      explorer,
      "takes every option of the command",
    ),
    claim(
      "The repair sends at most as many messages as the dry run showed.",
      repairForm,
      "repairs no more than its dry run showed, whatever arrives meanwhile",
    ),
    claim(
      "the result lists it under `possibleDuplicates`",
      repair,
      "sends again messages that may have been sent, and reports them",
    ),
    claim(
      "what was sent and not removed, because the process was killed, is not sent again",
      edited,
      "is not sent twice when it was killed before it removed the dead letter: the next one, or a repair, removes it",
    ),
    claim(
      "and what may have been sent twice is said",
      edited,
      "names a possible duplicate when it was killed while it was sending, unless the target detects duplicates",
    ),
    claim(
      "the [retirement verdict](census.md#verdict) with its open conditions",
      explorerReads,
      "keeps censuses in a file, and decides with them what can be retired",
    ),
    claim(
      "when there are more, every second census of the older half is deleted",
      censusHistory,
      "has at most 200 censuses; of more, every second one of the older half is deleted",
    ),
    claim(
      "one that it cannot read is sent only if you tick that",
      edit,
      "stays when it would be unreadable, unless told otherwise",
    ),
  ],
  "docs/contracts.md": [
    claim(
      "The file is the same for the same chain",
      contract,
      "is the same text each time, and is read back as it was",
    ),
    claim(
      "in single-object encoding a new schema under an old version is not read at all until readers list it in `writerSchemas`",
      contract,
      "knows that single-object encoding needs the writer's schema",
    ),
    claim(
      "The smallest that fails is printed.",
      contract,
      "finds what the new chain does not read, with the smallest value that fails",
    ),
    claim(
      "Neither is known, for the reason given: a schema is code",
      contract,
      "says not decided where a schema is code",
    ),
    claim(
      "none that breaks a reader is called compatible",
      corpus,
      "never have the opposite verdict of their specification: %s",
    ),
    claim(
      "**A new optional property of an open JSON Schema is a break.**",
      contract,
      "takes the user's word that writers write only what their schemas name",
    ),
    claim(
      "a test that fails until the chain reads it",
      contract,
      "keeps its message as a golden one, which fails until the chain reads it",
    ),
    claim(
      "What `waybill asyncapi` wrote is the contract itself",
      asyncapi,
      "is read back as the contract from which it was written, also without entities",
    ),
    claim(
      "messages of other tools get your serializers by their content types",
      asyncapi,
      "gets a version, a format and a schema for each message of another tool",
    ),
    claim(
      "every schema of a subject in a registry",
      registries,
      "has every schema of a subject, the newest first",
    ),
    claim(
      "It says no while one old instance's beacon is alive that does not read a version that would be written.",
      deployment,
      "says no while one old instance's beacon is alive, and yes after it",
    ),
    claim(
      "Services that share no message type are left out, unless one receives from a queue to which the other sends.",
      deployment,
      "leaves out services that share no message type, unless they read the same queue",
    ),
    claim(
      "Nothing that is known to run is no proof: the answer is then *not known*.",
      deployment,
      "says not known if nothing is known to run",
    ),
    claim(
      "readers first, then what is written, then what is no longer read",
      deployment,
      "deploys readers first, then what is written, and says what to roll back to",
    ),
    claim(
      "exactly as the serializers deliver its values",
      deliveredTypes,
      "are those of the values that the serializers deliver, and message types infer from them",
    ),
  ],
  "docs/cli.md": [
    claim(
      "Peeks without locking and changes nothing.",
      commands,
      "rehearses with the waiting messages, names their readers, and changes nothing",
    ),
    claim(
      "through a subscription that is made for this and removed at the end",
      commands,
      "rehearses a topic only while it is watched, and leaves no subscription behind",
    ),
    claim(
      "Says yes only if every message was peeked, no waiting message needs it, its writers have stopped",
      verdict,
      "is yes when no message needs it and its writers have stopped",
    ),
    claim(
      "when the last producer stopped writing it; without this the verdict is not known",
      verdict,
      "is no without writersStoppedAt, or if a message was sent after it",
    ),
    claim(
      "the queue in which consumers record what they read; without it the verdict is not known",
      records,
      "without a record since the writers stopped, the verdict is not known, and says what to wait for",
    ),
    claim(
      "Without --apply it reports what it would do.",
      commands,
      "lists dead letters by cause, shows them, and repairs them in two steps",
    ),
    claim(
      "After an interruption, --resume continues with the same messages, target, bodies and rate.",
      options,
      "ends with 130, and --resume continues it with its own plan",
    ),
    claim(
      "A subscription cannot be sent to: its dead letters need --to, or --through-topic.",
      options,
      "are 2 for %s",
    ),
    claim(
      "the target detects duplicates: give each message a new id, or it is dropped; default: the broker is asked",
      commands,
      "repairs dead letters of a queue that detects duplicates and still remembers them",
    ),
    claim(
      "After an interruption the same command continues.",
      sharedWork,
      "sends every message once, or says so, wherever a worker is killed",
    ),
  ],
  "docs/processing.md": [
    claim(
      "is abandoned and delivered again at once",
      processor,
      "abandons a message whose handler throws, and passes the error to processError",
    ),
    claim(
      "Up to eight completions per slot may be pending",
      processor,
      "continues while messages wait to be completed, up to eight per call",
    ),
    claim("closing waits for all", processor, "closes after the waiting messages are completed"),
    claim(
      "Settlements that the broker refuses are reported there too",
      processor,
      "reports a failed completion, and the message is delivered again",
    ),
    claim(
      "The copy has the same bytes and properties and expires when the message would have.",
      retry,
      "keeps bytes and properties, and when the message expires",
    ),
    claim(
      "an entity with duplicate detection would drop a copy with the old one",
      retry,
      "works with duplicate detection, although its copies are within the window",
    ),
    claim(
      "`subscribe` refuses `retry` where a copy would not be equivalent",
      retry,
      "is refused if a copy would not be the same",
    ),
    claim(
      "four fifths of `closeTimeoutInMs`",
      stopping,
      "does not wait longer for a broker that does not respond",
    ),
    claim(
      "Then the messages of handlers that still run are abandoned",
      stopping,
      "takes 25 seconds by default, also when the client is closed",
    ),
    claim("their `abortSignal` aborts", stopping, "is already aborted for a handler that checks it late"),
    claim(
      "Closing a processor or receiver abandons the held messages, which costs one delivery each.",
      breaker,
      "abandons held messages when it is closed",
    ),
    claim(
      "If it can read one of them, the first message is dead-lettered.",
      coldStart,
      "is not stopped by one message in a hundred that cannot be read",
    ),
    claim(
      "If there are ten or more and it can read none, circuits open at once, and nothing is dead-lettered",
      coldStart,
      "dead-letters no message of a queue that its processor cannot read, and suggests an option",
    ),
    claim(
      "their locks are renewed",
      breaker,
      "keeps messages locked, without increasing their delivery count",
    ),
    claim(
      "a message without room for the property stays locked instead",
      setAside,
      "stays locked: deferred without the mark, no other process would find it",
    ),
    claim(
      "and once more if a handler abandons them, because the broker keeps them deferred",
      setAside,
      "is delivered again if its handler fails: the broker keeps it deferred, and gives it to nobody else",
    ),
    claim(
      "If no message behind can be read, receiving pauses",
      breaker,
      "stops receiving, and defers nothing, while no message can be read",
    ),
    claim(
      "scheduled and deferred ones do not count",
      coldStart,
      "dead-letters nothing because of scheduled and deferred messages that it can read",
    ),
    claim(
      "or dead-lettered if they still fail, because other messages of their kind can be read",
      breaker,
      "dead-letters held messages that still cannot be read when others can",
    ),
    claim(
      "reads them with the client's chain and reports what would happen to them",
      rehearse,
      "reports the outcome for waiting messages, by content type, reader, outcome and reason",
    ),
    claim(
      "Kinds of messages that neither waited nor passed are not known.",
      rehearse,
      "says that it is not known, and how to learn it, when nothing or little was seen",
    ),
    claim(
      "it reads them, and where the SDK's receiver would give a value, it gives the same",
      rehearse,
      "advises no serializer with which handlers would get another value than from the SDK",
    ),
    claim(
      "It locks nothing, counts no delivery and writes nothing.",
      rehearse,
      "locks nothing, counts no delivery and writes nothing",
    ),
    claim(
      "You can also rehearse with subscriptions",
      rehearse,
      "reads subscriptions, dead-letter queues and sessions",
    ),
  ],
  "docs/production.md": [
    claim(
      "shows how your serializers would read the waiting messages, and locks nothing",
      rehearse,
      "locks nothing, counts no delivery and writes nothing",
    ),
    claim(
      "a queue with few messages proves nothing",
      rehearse,
      "says that it is not known, and how to learn it, when nothing or little was seen",
    ),
    claim(
      "so watch live traffic",
      rehearse,
      "reads what arrives while it watches, and says how many of which kind",
    ),
    claim(
      "on a topic with `--mirror`, which makes a subscription for it and removes it",
      commands,
      "shows what is published meanwhile, although a consumer takes it at once",
    ),
    claim(
      "`repair` sends again the messages that can be read now",
      repair,
      "leaves messages that the current chain cannot read, that were not selected or were resubmitted too often",
    ),
  ],
  "docs/coming-from-azure-service-bus.md": [
    claim(
      "**Handlers get what the SDK gives them.**",
      sdk,
      "reads every kind of body exactly as the receiver of the SDK does",
    ),
    claim(
      "**The sent bytes are the same**",
      sdk,
      "writes what the receiver of the SDK reads as it reads its own sender's",
    ),
    claim(
      "the guard of step 5 objects to an instance that was left behind, as long as it has announced itself",
      capability,
      "ignores unnamed readers without the type, and objects to named ones",
    ),
    claim(
      "while another running consumer of the queue has announced it, leaves the message to",
      others,
      "is left to that reader, which handles it",
    ),
    claim(
      "`not-known` says what is missing",
      rehearse,
      "says that it is not known, and how to learn it, when nothing or little was seen",
    ),
    claim(
      "`setPercent` rejects until as many instances as you say have announced that they read Avro, and names those that have not",
      capability,
      "does not know what instances read that have not announced themselves",
    ),
    claim(
      "on JSON and on version 1 says yes when the census, what consumers have recorded, and your word",
      verdict,
      "is yes when no message needs it and its writers have stopped",
    ),
    claim(
      "they read up to 100 waiting messages as a waybill consumer with this serializer would",
      rehearse,
      "reads a hundred messages, or the given number",
    ),
    claim(
      "From the first step on, a consumer announces what it reads",
      guide,
      "%s has announced itself before it handles its first order",
    ),
    claim(
      "`json()` reads them exactly, as `bigint`; the SDK, and `sdkBodies()`, round them",
      sdk,
      "reads integers beyond 2^53 exactly, which the SDK rounds",
    ),
    claim(
      "`json()` gives `undefined`; the SDK, and `sdkBodies()`, give an empty `Buffer`",
      sdk,
      "gives undefined for an empty Buffer, which the SDK leaves as it is",
    ),
    claim(
      "its `subject` is the name of the type: rules and consumers on the SDK see it",
      sdk,
      "sets the subject of a message of a type, which the SDK sees",
    ),
    claim(
      "`client.reply` answers in the format of the request",
      sdk,
      "replies to a request of the SDK in its format, not in that of the main serializer",
    ),
  ],
  "docs/census.md": [
    claim(
      "Before a readable message is sent, it is read back as it would be sent, in the dry run as in the repair.",
      readBack,
      "leaves a readable message where it is, if it could not be read as it would be sent",
    ),
    claim(
      "is the dry run: it takes the options of a repair and counts the messages that the repair would send and skip",
      repair,
      "reports what a repair with the same options would do, and changes nothing",
    ),
    claim(
      "An interrupted repair is continued only with this plan",
      resume,
      "refuses to continue with another plan, and says in what it differs",
    ),
    claim(
      "the limit and what failed again counted from its first run",
      resume,
      "keeps its limit over all interruptions",
    ),
    claim(
      "the current batch is sent, noted and removed, and locked messages that were not sent are abandoned",
      repair,
      "is aborted between two batches only: resumed at once, it sends each message once",
    ),
    claim(
      "with their dead-letter and transfer dead-letter queues, and the scheduled messages of every topic",
      census,
      "reads the messages that are scheduled at a topic, before its subscriptions",
    ),
    claim(
      'A place that cannot be peeked does not end the census: `places` lists it with `end: "failed"` and the reason.',
      census,
      "reports where it stopped at the limit, and which entity it could not peek",
    ),
    claim(
      "Entities are peeked in the direction in which messages move",
      census,
      "peeks sessions, subscriptions and forwarding entities, sources before targets",
    ),
    claim(
      "where waiting is enough, with the time, which is also in `until`",
      verdict,
      "says when the last message is due at a topic that can be neither peeked nor counted, by what is stated",
    ),
    claim(
      "writes the last read of each format and version to the store, at once and then every ten minutes",
      records,
      "records the last read of each format, at once and then at intervals",
    ),
    claim(
      '`"yes"`: everything was peeked to its end',
      verdict,
      "is yes when no message needs it and its writers have stopped",
    ),
    claim(
      "since then each of `readers` has written down what it read",
      records,
      "requires a record of every consumer that is named",
    ),
    claim(
      "A statement of yours that an observation contradicts is named in `contradicts`.",
      verdict,
      "is no without writersStoppedAt, or if a message was sent after it",
    ),
    claim(
      "Without such a record from after `writersStoppedAt` the answer is never yes.",
      records,
      "without a record since the writers stopped, the verdict is not known, and says what to wait for",
    ),
    claim(
      "A census of a queue that is drained at once sees nothing",
      records,
      "lets the verdict see a writer whose queue is drained at once",
    ),
    claim(
      "A message is scheduled further ahead than `maxScheduleDurationInMs`.",
      verdict,
      "is no while messages are scheduled at a topic, whatever is stated",
    ),
    claim("Misspelt evidence is refused.", verdict, "refuses misspelt evidence: it could not contradict"),
    claim(
      "Messages need it, or name it in their content type.",
      verdict,
      "is no while messages wait that declare it, even if another serializer can read them",
    ),
    claim(
      "No serializer of the chain can read these.",
      verdict,
      "is no while a message is undeserializable or was not read, or an entity was not peeked completely",
    ),
    claim(
      "The broker counts messages scheduled at a topic that were not peeked there",
      verdict,
      "is not known while the broker counts scheduled messages that could not be peeked, whatever is stated",
    ),
    claim(
      "Entities have sessions, and their states cannot be read without locking the session.",
      verdict,
      "is no with sessions, unless their states are known not to need it",
    ),
    claim(
      "`writersStoppedAt` is not set",
      verdict,
      "is no without writersStoppedAt, or if a message was sent after it",
    ),
    claim(
      "Beacons and read records in the queues themselves count against no format.",
      verdict,
      "does not count beacons and read records",
    ),
    claim(
      "The chain of the census had no such serializer",
      verdict,
      "is no for a serializer that the chain did not have",
    ),
    claim(
      "A date or a duration in the evidence is invalid.",
      verdict,
      "does not make a verdict safe with a census with invalid dates",
    ),
    claim(
      "groups its messages by the reason and by how the current chain reads them",
      repair,
      "groups them by cause and reports how the current chain reads them",
    ),
    claim(
      "a message that was resubmitted three times stays",
      repair,
      "leaves messages that the current chain cannot read, that were not selected or were resubmitted too often",
    ),
    claim(
      "continues it, the limit and what failed again counted from its first run",
      resume,
      "keeps its limit over all interruptions",
    ),
    claim(
      "To reach only one subscription of a topic, put `resubmitFilter(subscription, itsOwnFilter)` on each",
      repair,
      "sends to another queue, or to a topic for one subscription only",
    ),
    claim(
      "counts the messages that the repair would send and skip",
      repair,
      "reports what a repair with the same options would do, and changes nothing",
    ),
    claim(
      "`onRehearsed` gets each that it would send",
      repair,
      "shows what would be sent, message by message",
    ),
    claim(
      "resubmits the dead letters that the current chain can read",
      repair,
      "leaves messages that the current chain cannot read, that were not selected or were resubmitted too often",
    ),
    claim(
      "It stays, with the reason `would-be-unreadable`",
      readBack,
      "leaves a readable message where it is, if it could not be read as it would be sent",
    ),
    claim("or would read another value", readBack, "leaves it also if its readers would get another value"),
    claim(
      "Bytes and properties do not change",
      repair,
      "sends the original bytes, keeps all properties and removes those of dead-lettering",
    ),
    claim(
      "writes the value again instead",
      repair,
      "writes the value again in the chain's main format if configured",
    ),
    claim(
      "The receipts begin with the plan of the repair",
      resume,
      "is in its receipts with its plan, and continues with it: the same messages, body, rate and target",
    ),
    claim(
      "Other options are refused",
      resume,
      "refuses to continue with another plan, and says in what it differs",
    ),
    claim(
      "A `select` function cannot be kept: give the same one again.",
      resume,
      "has to be given the function that selects its messages, which receipts cannot hold",
    ),
    claim(
      "removes messages that are noted as sent",
      repair,
      "resumes with its receipts: sent messages are removed, not sent again",
    ),
    claim(
      "otherwise they are listed in `possibleDuplicates`",
      repair,
      "sends again messages that may have been sent, and reports them",
    ),
    claim(
      "so that the queue drops the second one",
      repair,
      "causes no duplicate if the target detects duplicates, although the original's id is still in its window",
    ),
    claim(
      "messages of its plan that still wait are in `locked`",
      resume,
      "reports what the locks of the killed process still hold, and until when",
    ),
    claim(
      "A repair whose `abortSignal` aborts ends between two batches",
      repair,
      "is aborted between two batches only: resumed at once, it sends each message once",
    ),
    claim(
      "So such a repair needs `to`, or `throughTopic`",
      repair,
      "of a subscription needs a target, or leave to go through the topic to its siblings",
    ),
    claim(
      "keeps the records in a queue, which may be that of the beacons",
      queueReads,
      "may lie between beacons, which are listed without them",
    ),
    claim(
      "A service such as a schema registry could not be reached.",
      verdictReasons,
      "is not known while messages cannot be read",
    ),
    claim(
      "Messages were not read, or a place was not peeked to its end.",
      verdict,
      "is no while a message is undeserializable or was not read, or an entity was not peeked completely",
    ),
    claim(
      "Messages are being transferred between entities.",
      verdictReasons,
      "is told once if the broker counts what is scheduled there",
    ),
    claim(
      "The repair has not ended then",
      lockedElsewhere,
      "are counted, with the first ten, and the repair has not come to its end",
    ),
  ],
  "docs/migrating.md": [
    claim(
      "The [verdict](census.md#verdict) is yes with its evidence, no with the evidence against it, or not known with what is missing.",
      verdict,
      "is no without writersStoppedAt, or if a message was sent after it",
    ),
    claim(
      "shows the formats and versions of all that wait, also forgotten ones: scheduled, deferred and dead-lettered messages",
      census,
      "counts active, scheduled, deferred and dead-lettered messages by the serializer that would read them",
    ),
    claim(
      "It does not see what is received at once: [consumers record](census.md#verdict) what they read.",
      records,
      "lets the verdict see a writer whose queue is drained at once",
    ),
    claim(
      "writes about a quarter of the [keys](write-plan.md#the-share) in the new format, always the same ones",
      plan,
      "decides in the same way for the same key, and raising the share moves no key back",
    ),
    claim(
      "**Writers** go back at once: `plan.stop()`, or a percentage of 0.",
      plan,
      "takes effect immediately without the guard",
    ),
    claim(
      'a message that was enqueued after "the last writer has stopped" proves that it had not',
      verdict,
      "is no without writersStoppedAt, or if a message was sent after it",
    ),
    claim(
      "**Session states** are not read",
      verdict,
      "is no with sessions, unless their states are known not to need it",
    ),
    claim(
      "leave messages in that format to the readers that announced it",
      capability,
      "leaves what only another one reads to that one, and dead-letters it once that one has stopped",
    ),
    claim(
      "calling `recheck()` at intervals detects the old instance by its beacon and stops the plan",
      plan,
      "is triggered by a recheck if a reader can no longer read the target",
    ),
    claim(
      "finds differences that readers of the checked messages would see, before the switch",
      shadow,
      "reports what readers would read differently, by path and kind, without values",
    ),
    claim(
      "without that a yes would only be your word",
      records,
      "without a record since the writers stopped, the verdict is not known, and says what to wait for",
    ),
    claim(
      "What comes meanwhile in version 1 is dead-lettered with that reason, never read as version 2",
      types,
      "its messages and those without a version are dead-lettered as such, and never read as another version",
    ),
    claim(
      "Until as many instances as run have announced both formats, the",
      capability,
      "does not know what instances read that have not announced themselves",
    ),
    claim(
      "The guard knows only readers that are named or announce themselves",
      capability,
      "objects to one instance that cannot read the target among others that can, also of an unnamed reader",
    ),
    claim(
      "**Messages in transfer** between entities cannot be peeked",
      census,
      "reports messages in transfer, which the broker only counts",
    ),
  ],
  "docs/message-types.md": [
    claim(
      "A client that does not know the type sends it as one that does: validated, with type and version.",
      typesToSend,
      "is sent with type and version, and read as what it is",
    ),
    claim(
      "A client that knows the type in another version refuses it.",
      typesToSend,
      "is refused if the client knows the type in another version",
    ),
    claim(
      "Its messages, and messages without a version, are dead-lettered with the reason `message-version-removed`.",
      types,
      "its messages and those without a version are dead-lettered as such, and never read as another version",
    ),
    claim(
      "It does not say what messages without a version are: they are dead-lettered",
      types,
      "messages without a version are dead-lettered if the definition does not say what they are",
    ),
    claim(
      "the first ten bodies of each type, version and format, and then one in five hundred, are read back",
      readBackOnSend,
      "reads the first ten, and then one in five hundred, unless told otherwise",
    ),
    claim(
      "deserialized, upcast and validated, without encryption and claim check",
      readBackOnSend,
      "happens before encryption and the claim check, and after compression",
    ),
    claim(
      "which names the type, the entity, the format, the stage and the path, and nothing is sent",
      readBackOnSend,
      "is refused before it is sent, with type, entity, format, stage and path",
    ),
    claim(
      "`transcode`, a repair that transcodes, and",
      chainCommands,
      "reads back what it writes, and writes nothing that the chain would not read",
    ),
    claim(
      "a repair that transcodes, and a [shadow check](checking-a-switch.md) read back every body",
      transcode,
      "never makes a readable message unreadable: it stays, and the dry run says so",
    ),
    claim(
      "`readBack: false` switches it off",
      readBackOnSend,
      "can be switched off, for a pipeline and for a call",
    ),
    claim(
      "the body is sent after at most five seconds",
      readBackOnSend,
      "does not fail a send because something is unavailable, unless the call asks for it",
    ),
    claim(
      "and adds such a body unread; `tryAddMessageAsync` waits",
      readBackOnSend,
      "waits for an asynchronous upcaster, except in tryAddMessage",
    ),
    claim(
      "To read them, give the definition version 1 and its upcaster back, and [repair](census.md#repair) them.",
      types,
      "its messages and those without a version are dead-lettered as such, and never read as another version",
    ),
  ],
  "docs/receiving.md": [
    claim(
      "does not dead-letter a message whose content type or message version it does not know, if the directory lists a running reader of the entity that does",
      others,
      "is left to that reader, which handles it",
    ),
    claim(
      "abandoned, after 1, 2, 4 and 8 seconds, and from its fifth delivery on held",
      others,
      "does not run out of deliveries while that reader runs, and is dead-lettered once it stopped",
    ),
    claim(
      "In a session it is held from the beginning",
      others,
      "is held in a session, in order and without counting deliveries",
    ),
    claim(
      "The directory is asked only about messages that would be dead-lettered, at most once a second.",
      others,
      "is seen by a list that began after its delivery, at most one a second",
    ),
    claim(
      "messages that can be read never wait",
      others,
      "does not wait for a message that can be read, and asks nothing about it",
    ),
    claim("at most five seconds", others, "is dead-lettered if the directory never answers"),
    claim(
      "If the directory fails, its last list counts for ten minutes.",
      others,
      "is left by the last list while the directory fails, for ten minutes",
    ),
    claim(
      "in receive-and-delete mode, and for messages without a label, nothing changes",
      others,
      "is handed over in receive-and-delete mode, as without a directory",
    ),
  ],
  "docs/differences-from-azure.md": [
    claim(
      "Integers beyond 2^53 in JSON arrive as `bigint` from `json()`; the SDK rounds them.",
      sdk,
      "reads integers beyond 2^53 exactly, which the SDK rounds",
    ),
    claim(
      "An empty `Buffer` that the SDK sends arrives as `undefined` from `json()`",
      sdk,
      "gives undefined for an empty Buffer, which the SDK leaves as it is",
    ),
    claim(
      "`t.message(body)` sets `subject` to the name of the message type",
      sdk,
      "sets the subject of a message of a type, which the SDK sees",
    ),
    claim(
      "`client.reply` writes in the format of the request",
      sdk,
      "replies to a request of the SDK in its format, not in that of the main serializer",
    ),
  ],
  "docs/troubleshooting.md": [
    claim(
      "`waybill dead-letters repair orders` sends again the messages that can be read now.",
      repair,
      "leaves messages that the current chain cannot read, that were not selected or were resubmitted too often",
    ),
  ],
  "docs/several-namespaces.md": [
    claim(
      "A namespace that cannot be listed fails the census",
      namespaces,
      "are named where one of them cannot be counted",
    ),
  ],
  "packages/migration/README.md": [
    claim(
      "The guard knows only the readers that you name, and those that announce themselves.",
      capability,
      "objects to one instance that cannot read the target among others that can, also of an unnamed reader",
    ),
  ],
  "packages/cli/README.md": [
    claim(
      "a census and a verdict then cover only those",
      verdict,
      "counts of earlier censuses only the entities to which the census was limited",
    ),
    claim(
      "Interrupted; `--resume` continues a repair.",
      options,
      "ends with 130, and --resume continues it with its own plan",
    ),
  ],
  "docs/shared-work.md": [
    claim(
      "A process can be killed at any time: another one goes on when the lock has expired.",
      sharedWork,
      "counts every message once, wherever a worker is killed",
    ),
    claim(
      "**Every dead letter is sent once.**",
      sharedWork,
      "sends every message once, or says so, wherever a worker is killed",
    ),
    claim(
      "are marked as own records, like beacons, and count against no format",
      verdict,
      "does not count beacons and read records",
    ),
    claim(
      "A shared census is what one process would have taken.",
      sharedWork,
      "is the census that one process takes",
    ),
    claim(
      "Only a repair whose target does not detect duplicates may then send some messages twice; it names them.",
      sharedWork,
      "sends every message once, or says so, wherever a worker is killed",
    ),
  ],
};

function textOf(path: string): string {
  return readFileSync(join(root, path), "utf8");
}

function unwrapped(text: string): string {
  return text.replace(/\s+/g, " ");
}

/** The titles of the tests of a file, those of `it.each` and of checks in the browser included. */
function titlesOf(file: string): readonly string[] {
  const titles = textOf(file).matchAll(/(?:\bit\(|\)\(|\]\(|\btitle:)\s*"((?:[^"\\]|\\.)*)"/g);
  return [...titles].map(([, title = ""]) => title.replaceAll('\\"', '"'));
}

describe.each(Object.entries(claims))("%s", (page, listed) => {
  it.each(listed)("promises only what a test proves: $sentence", ({ sentence, file, title }) => {
    expect(unwrapped(textOf(page))).toContain(sentence);
    expect(titlesOf(file)).toContain(title);
  });
});

it("a promise is listed once", () => {
  for (const listed of Object.values(claims)) {
    const sentences = listed.map(({ sentence }) => sentence);
    expect(new Set(sentences).size).toBe(sentences.length);
  }
});
