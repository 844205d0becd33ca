import type { KnownGap } from "@waybill/conformance";

/** The clauses of the suite that the transport is known to break, on any environment. */
export const knownGaps: readonly KnownGap[] = [];
