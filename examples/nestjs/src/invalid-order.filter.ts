import { Catch, type RpcExceptionFilter } from "@nestjs/common";
import { DeadLetterError } from "@waybill/core";
import { type Observable, throwError } from "rxjs";
import { InvalidOrder } from "./orders.service.js";

// #region filter
/** Dead-letters what no retry can mend; other errors abandon their message. */
@Catch(InvalidOrder)
export class InvalidOrderFilter implements RpcExceptionFilter<InvalidOrder> {
  catch(error: InvalidOrder): Observable<never> {
    return throwError(() => new DeadLetterError("InvalidOrder", error.message));
  }
}
// #endregion
