/** What is different in each run, and what stands for it in the transcript. */
export interface MaskedNames {
  /** Texts such as folders and ports, longest first, with their names. */
  readonly texts: readonly (readonly [text: string, name: string])[];
}

const instant = /\b(20(?:19|[23]\d)-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)/g;
/** Years that only the cases name. */
const isOurs = /^20(?:20|50)/;

const rules: readonly (readonly [RegExp, string])[] = [
  [/\b[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}\b/gi, "00000000-0000-0000-0000-000000000000"],
  [/((?:127\.0\.0\.1|localhost):)\d{4,5}\b/g, "$1PORT"],
  [/\bafter \d+ ms\b/g, "after N ms"],
  [/\b\d+(?:\.\d+)? ms\b/g, "N ms"],
  [/("(?:durationInMs|readyMs|pid)": ?)[\d.]+/g, "$1N"],
  [/\bprocess \d+ /g, "process N "],
  [/TrackingId:.*?Timestamp:[^\s"]+/g, "TrackingId:…"],
  [/( ports {3})[\d, ]+( of)/g, "$1PORT$2"],
  [/("ports": ?\[)[\d, ]+/g, "$1PORT"],
  [/\b20(?:19|[234]\d)-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, "20YY-MM-DDTHH:MM:SSZ"],
  [/\b20(?:19|[234]\d)-\d\d-\d\d(T?)(?= |$)/gm, "20YY-MM-DD$1"],
  [/\b\d\d:\d\d:\d\dZ/g, "HH:MM:SSZ"],
  [/(?<=\s)[\da-f]{4}-[\da-f]{4}-(?=\s)/g, "0000-0000-"],
  [/(?<=\s)[\da-f]{4}-[\da-f]{12}(?=\s)/g, "0000-000000000000"],
  [/(?<=\s\s)[\da-f]{12}(?=\s)/g, "000000000000"],
  [/\(node:\d+\)/g, "(node:PID)"],
  [/%3A\d{4,5}(?=%2F)/g, "%3APORT"],
  [/token=[\w-]+/g, "token=MASKED"],
  [/\b[\da-f]{8}-(?=[ \n])/g, "00000000-"],
  [/\b[\da-f]{8}-[\da-f]{4}-(?=[ \n])/g, "00000000-0000-"],
  [/\b[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-(?=[ \n])/g, "00000000-0000-0000-"],
  [/\b(sig|se)=[^&\s"]+/g, "$1=MASKED"],
  [/(\/\?|#)[\w-]{16,}/g, "$1MASKED"],
  [/\b(since|until) 20\d\d-\S+/g, "$1 TIME"],
  [/waybill-rehearse-[\da-f]{8}/g, "waybill-rehearse-00000000"],
  [/[\da-f]{64}/g, "HASH"],
];

/** Replaces what is different in each run; instants and ids keep their width, so that tables stay as they are. */
export function masked(text: string, { texts }: MaskedNames): string {
  let result = text.replace(
    /[^\P{Cc}\n]/gu,
    (control) => `\\x${control.charCodeAt(0).toString(16).padStart(2, "0")}`,
  );
  for (const [given, name] of texts) result = result.replaceAll(given, name);
  result = result.replace(instant, (time: string) => (isOurs.test(time) ? time : "20YY-MM-DDTHH:MM:SS.sssZ"));
  for (const [pattern, replacement] of rules) result = result.replace(pattern, replacement);
  return result;
}
