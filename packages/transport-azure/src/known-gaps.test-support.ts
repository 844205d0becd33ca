import type { KnownGap } from "@waybill/conformance";

/** The clauses of the law that the transport is known to break, on any seat. */
export const knownGaps: readonly KnownGap[] = [];
