import { openLocalWorld } from "../../packages/transport-local/src/local-world.test-support.js";
import { requestReplyTests } from "./request-reply.js";

requestReplyTests("on the local transport", async () => openLocalWorld());
