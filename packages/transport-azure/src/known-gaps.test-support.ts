import type { KnownGap } from "@waybill/conformance";

/** Cases of the suite that this transport is known to fail in any environment. */
export const knownGaps: readonly KnownGap[] = [];
