/** The properties and options whose names in the broker differ from those in the client. */
interface BrokerNames {
  readonly timeToLive: "timeToLiveMs";
  readonly scheduledEnqueueTimeUtc: "scheduledEnqueueTime";
  readonly deadLetterReason: "reason";
  readonly deadLetterErrorDescription: "description";
}

/** The same, the other way round. */
type ClientNames = { [Name in keyof BrokerNames as BrokerNames[Name]]: Name };

/** Everything that a client's message or options have, by its name in the broker. A mapping that leaves one out does not compile. */
export type InBrokerTerms<Properties> = {
  [Name in keyof Required<Properties> as Name extends keyof BrokerNames ? BrokerNames[Name] : Name]: unknown;
};

/** Everything that a broker's message has, by its name in the client. A mapping that leaves one out does not compile. */
export type InClientTerms<Properties> = {
  [Name in keyof Required<Properties> as Name extends keyof ClientNames ? ClientNames[Name] : Name]: unknown;
};
