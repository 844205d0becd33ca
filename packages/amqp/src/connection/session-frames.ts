import type { ByteReader } from "../codec/byte-reader.js";
import { readComposite } from "../codec/composite.js";
import { toAmqpError } from "../frames/amqp-error.js";
import { DispositionFields, readDisposition } from "../frames/disposition.js";
import { FlowFields, readFlow } from "../frames/flow.js";
import { attachType, DISPOSITION, detachType, endType, FLOW, TRANSFER } from "../frames/performatives.js";
import { readTransfer, TransferFields } from "../frames/transfer.js";
import { costOfPerformative } from "../memory/memory-budget.js";
import type { SessionEndpoint } from "./session.js";

/** Reads the frames of a connection's sessions. Frequent ones are read into reused objects. */
export class SessionFrames {
  readonly #transfer = new TransferFields();
  readonly #flow = new FlowFields();
  readonly #disposition = new DispositionFields();

  /** Passes a frame to its session; returns false for a performative that sessions do not handle (2.7). */
  receive(session: SessionEndpoint, code: number, body: ByteReader): boolean {
    switch (code) {
      case TRANSFER:
        readTransfer(body, this.#transfer);
        session.receiveTransfer(this.#transfer, body.buffer.subarray(body.position, body.end));
        return true;
      case DISPOSITION:
        readDisposition(body, this.#disposition);
        session.receiveDisposition(this.#disposition);
        return true;
      case FLOW:
        readFlow(body, this.#flow);
        session.receiveFlow(this.#flow);
        return true;
      case attachType.code: {
        const size = body.end - body.position;
        const attach = readComposite(body, attachType);
        session.receiveAttach(attach, costOfPerformative(size, body.items));
        return true;
      }
      case detachType.code: {
        const { handle, error, closed } = readComposite(body, detachType);
        session.receiveDetach(handle, toAmqpError(error), closed ?? false);
        return true;
      }
      case endType.code:
        session.receiveEnd(toAmqpError(readComposite(body, endType).error));
        return true;
      default:
        return false;
    }
  }
}
