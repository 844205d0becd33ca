import { openLocalFixture } from "../../packages/transport-local/src/local-fixture.test-support.js";
import { outageTests } from "./outage.js";

outageTests("on the local transport", async () => openLocalFixture());
