import { openLocalWorld } from "../../packages/transport-local/src/local-world.test-support.js";
import { outageTests } from "./outage.js";

outageTests("on the local transport", async () => openLocalWorld());
