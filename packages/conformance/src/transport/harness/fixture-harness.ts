import type { EntitySetting, TransportFixture, TransportSubject } from "./transport-subject.js";

/** The fixture of one case, with the defaults of its subject. */
export class FixtureHarness {
  protected readonly fixture: TransportFixture;
  protected readonly patienceMs: number;
  readonly lockDurationMs: number;

  constructor(fixture: TransportFixture, subject: TransportSubject) {
    this.fixture = fixture;
    this.patienceMs = subject.patienceMs ?? 60_000;
    this.lockDurationMs = subject.lockDurationMs ?? 5000;
  }

  createQueue(setting: Partial<EntitySetting> = {}): Promise<string> {
    return this.fixture.createQueue(this.completed(setting));
  }

  /** Advances the broker's time. */
  advance(durationMs: number): Promise<void> {
    return this.fixture.advance(durationMs);
  }

  protected completed(setting: Partial<EntitySetting>): EntitySetting {
    return {
      lockDurationMs: this.lockDurationMs,
      maxDeliveryCount: 10,
      requiresSession: false,
      ...setting,
    };
  }
}
